import { sql as text } from 'kysely'
import { describe, expect, inject, it } from 'vitest'
import { createDatabase } from '../support/postgres.ts'
import { describeStorage } from './contract.ts'
import { openDistributed } from './fixtures.ts'

describe('PostgreSQL', () => {
  const open = async () => openDistributed(await createDatabase(inject('postgresUrl')))

  describeStorage(open)

  it('orders every text column by bytes whatever the database was created with', async () => {
    const { sql } = await open()
    const { rows } = await text<{ collation_name: string | null }>`
      select collation_name from information_schema.columns where table_schema = 'public' and data_type = 'text'`.execute(
      sql,
    )
    expect(rows.length).toBeGreaterThan(80)
    expect(new Set(rows.map(row => row.collation_name))).toEqual(new Set(['C']))
  })
})
