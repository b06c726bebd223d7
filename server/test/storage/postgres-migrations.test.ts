import { sql as text } from 'kysely'
import { describe, expect, inject, it } from 'vitest'
import { allMigrations } from '../../src/storage/migrations/all-migrations.ts'
import { createEmptyDatabase } from '../support/postgres.ts'
import { holdLocks } from '../support/postgres-locks.ts'
import { openDistributed } from './fixtures.ts'
import { describeMigrations } from './migration-contract.ts'
import { startChild } from './processes.ts'

describe('migrations of PostgreSQL', () => {
  describeMigrations(
    async () => {
      const url = await createEmptyDatabase(inject('postgresUrl'))
      return { address: url, open: more => openDistributed(url, more) }
    },
    () => (inject('prove') ? 20 : 3),
  )

  it('lets three processes that come to the same step at once apply each once', async () => {
    const url = await createEmptyDatabase(inject('postgresUrl'))
    await (await openDistributed(url, { migrations: [] })).close()
    // The first step makes this table too, so no process gets past it before the lock is released.
    const users = await holdLocks(url, 'create table users (id text)')
    const children = await Promise.all([1, 2, 3].map(() => startChild(['migrate', url])))
    const ended = () => children.some(child => !child.isRunning())
    await expect.poll(async () => (ended() ? 'one ended' : await users.countWaiting())).toBe(3)
    await users.release()
    const codes = await Promise.all(children.map(child => child.exitCode))
    expect(codes, children.map(child => child.stderr()).join('')).toEqual([0, 0, 0])
    const { sql } = await openDistributed(url)
    const { rows } = await text`select name from schema_migrations`.execute(sql)
    expect(rows).toHaveLength(allMigrations.length)
  })
})
