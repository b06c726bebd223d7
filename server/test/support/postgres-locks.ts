// Locks of PostgreSQL that a test holds, so that others meet at them in an order the test decides.
import pg from 'pg'
import { onTestFinished } from 'vitest'

interface HeldLocks {
  /** How many sessions of this database wait for a lock, whoever holds it. */
  countWaiting(): Promise<number>
  /** Lets the waiting sessions go on; the statement is rolled back. */
  release(): Promise<void>
}

/** Runs the statement in a transaction of its own, which stays open until `release` or the end of the test. */
export async function holdLocks(url: string, statement: string, values: readonly string[] = []): Promise<HeldLocks> {
  // Within one transaction PostgreSQL always lists the same sessions, so a second connection counts them.
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
