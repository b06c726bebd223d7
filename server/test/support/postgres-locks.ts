// Holds locks of PostgreSQL, so that a test decides when other sessions continue.
import pg from 'pg'
import { onTestFinished } from 'vitest'

interface HeldLocks {
  /** The number of sessions of this database that wait for any lock. */
  countWaiting(): Promise<number>
  /** Rolls the statement back, so that waiting sessions continue. */
  release(): Promise<void>
}

/** Runs the statement in a transaction that stays open until `release` or the end of the test. */
export async function holdLocks(url: string, statement: string, values: readonly string[] = []): Promise<HeldLocks> {
  // A second connection counts them, because pg_stat_activity does not change within a transaction.
  const [holder, observer] = await Promise.all([connect(url), connect(url)])
  await holder.query('begin')
  await holder.query(statement, [...values])
  return {
    async countWaiting() {
      const { rowCount } = await observer.query(
        "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      )
      return rowCount ?? 0
    },
    async release() {
      await holder.query('rollback')
    },
  }
}

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}
