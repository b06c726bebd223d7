// A slug that a project has, or that a deleted one had, is drawn again.
import { expect, inject, test } from 'vitest'
import { insertWithNewSlug } from '../../../src/management/projects/insert-with-new-slug.ts'
import { transact } from '../../../src/storage/transact.ts'
import { openDistributed, openMigrated } from '../../storage/fixtures.ts'
import { createDatabase } from '../../support/postgres.ts'

test.each(['sqlite', 'postgres'])('no slug is given out twice, on %s', async backend => {
  const { sql } =
    backend === 'sqlite' ? await openMigrated() : await openDistributed(await createDatabase(inject('postgresUrl')))
  const tenant = { id: 't', name: 'T', plan: 'pro' as const, provider_keys_revision: 0, created_at: 1 }
  await sql.insertInto('tenants').values(tenant).execute()
  const insert = async (id: string, slugs: string[]) => {
    const project = {
      id,
      tenant_id: 't',
      name: id,
      status: 'active' as const,
      dns_status: 'READY' as const,
      created_at: 1,
    }
    const made = await transact(sql, trx => insertWithNewSlug(trx, () => slugs.shift() ?? 'never-drawn-1', project))
    return made.slug
  }
  await sql.insertInto('retired_slugs').values({ slug: 'old-falcon-12', retired_at: 1 }).execute()
  expect(await insert('first', ['old-falcon-12', 'new-falcon-12'])).toBe('new-falcon-12')
  expect(await insert('second', ['old-falcon-12', 'new-falcon-12', 'other-falcon-12'])).toBe('other-falcon-12')
  const kept = await sql.selectFrom('projects').select(['id', 'slug']).orderBy('id').execute()
  expect(kept).toEqual([
    { id: 'first', slug: 'new-falcon-12' },
    { id: 'second', slug: 'other-falcon-12' },
  ])
})
