import { sql as text } from 'kysely'
import { describe, expect, inject, it } from 'vitest'
import { allMigrations } from '../../src/storage/migrations/all-migrations.ts'
import { createDatabase } from '../support/postgres.ts'
import { openDistributed } from './fixtures.ts'
import { describeMigrations } from './migration-contract.ts'
import { startChild } from './processes.ts'

describe('migrations of PostgreSQL', () => {
  describeMigrations(
    async () => {
      const url = await createDatabase(inject('postgresUrl'))
      return { address: url, open: more => openDistributed(url, more) }
    },
    () => (inject('prove') ? 20 : 3),
  )

  it('lets three processes that start at once apply each once', async () => {
    const url = await createDatabase(inject('postgresUrl'))
    const children = await Promise.all([1, 2, 3].map(() => startChild(['migrate', url])))
    expect(await Promise.all(children.map(child => child.exitCode))).toEqual([0, 0, 0])
    const { sql } = await openDistributed(url)
    const { rows } = await text`select name from schema_migrations`.execute(sql)
    expect(rows).toHaveLength(allMigrations.length)
  })
})
