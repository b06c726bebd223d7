import { sql as text } from 'kysely'
import pg from 'pg'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { allMigrations } from '../../src/storage/migrations/all-migrations.ts'
import { createDatabase } from '../support/postgres.ts'
import { openDistributed } from './fixtures.ts'
import { describeMigrations } from './migration-contract.ts'
import { startChild } from './processes.ts'

const patience = { timeout: 45_000, interval: 50 }

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

describe('migrations of PostgreSQL', () => {
  describeMigrations(
    async () => {
      const url = await createDatabase(inject('postgresUrl'))
      return { address: url, open: more => openDistributed(url, more) }
    },
    () => (inject('prove') ? 20 : 3),
  )

  it('lets three processes that come to the same step at once apply each once', async () => {
    const url = await createDatabase(inject('postgresUrl'))
    await (await openDistributed(url, { migrations: [] })).close()
    // Somebody else is about to make a table of the first step: nobody gets beyond it before that is decided.
    const [other, onlooker] = await Promise.all([connect(url), connect(url)])
    await other.query('begin')
    await other.query('create table users (id text)')
    const children = await Promise.all([1, 2, 3].map(() => startChild(['migrate', url])))
    const ended = () => children.some(child => !child.isRunning())
    const waiting = "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    const arrived = async () => (await onlooker.query(waiting)).rowCount
    await expect.poll(async () => (ended() ? 'one ended' : await arrived()), patience).toBe(3)
    await other.query('rollback')
    const codes = await Promise.all(children.map(child => child.exitCode))
    expect(codes, children.map(child => child.stderr()).join('')).toEqual([0, 0, 0])
    const { sql } = await openDistributed(url)
    const { rows } = await text`select name from schema_migrations`.execute(sql)
    expect(rows).toHaveLength(allMigrations.length)
  })
})
