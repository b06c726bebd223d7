// The seed of the registry, on both databases: once, and never over what others made.
import { createHash } from 'node:crypto'
import { describe, expect, inject, it } from 'vitest'
import { modelSeedRows, providerSeedRows } from '../../src/storage/model-seed.ts'
import { seedRegistry } from '../../src/storage/seed-registry.ts'
import { createDatabase } from '../support/postgres.ts'
import { openDistributed, openMigrated } from './fixtures.ts'

let ids = 0
const randomId = () => `id-${ids++}`

const databases = {
  SQLite: () => openMigrated(),
  PostgreSQL: async () => openDistributed(await createDatabase(inject('postgresUrl'))),
}

describe.each(Object.entries(databases))('the seed on %s', (_name, open) => {
  it('is there once, however many copies seed at once, and again after the next start', async () => {
    const { sql } = await open()
    await Promise.all([1, 2, 3].map(() => seedRegistry(sql, () => 5, randomId)))
    await seedRegistry(sql, () => 6, randomId)
    const models = await sql.selectFrom('models').select(['id', 'updated_at']).execute()
    expect(models.map(model => model.id).sort()).toEqual(
      modelSeedRows(0)
        .map(model => model.id)
        .sort(),
    )
    expect(new Set(models.map(model => model.updated_at))).toEqual(new Set([5]))
    const providers = await sql.selectFrom('providers').select('slug').execute()
    expect(providers).toHaveLength(providerSeedRows(0, randomId).length)
  })

  it('of a newer version brings its own rows up to date, and leaves what a sync or an operator made', async () => {
    const { sql } = await open()
    await seedRegistry(sql, () => 5, randomId)
    const [old = '', synced = ''] = modelSeedRows(0).map(model => model.id)
    const change = { display_name: 'Changed', updated_at: 5 }
    await sql.updateTable('models').set(change).where('id', '=', old).execute()
    await sql
      .updateTable('models')
      .set({ ...change, source: 'sync' })
      .where('id', '=', synced)
      .execute()
    await sql.updateTable('providers').set({ is_active: 0 }).where('slug', '=', 'openai').execute()
    // As if what was seeded had been another version's.
    await sql.updateTable('revisions').set({ name: 'model-seed:of-yesterday' }).execute()
    await seedRegistry(sql, () => 6, randomId)
    const names = await sql
      .selectFrom('models')
      .select(['id', 'display_name'])
      .where('id', 'in', [old, synced])
      .execute()
    expect(names.find(model => model.id === old)?.display_name).not.toBe('Changed')
    expect(names.find(model => model.id === synced)?.display_name).toBe('Changed')
    const openai = await sql.selectFrom('providers').select('is_active').where('slug', '=', 'openai').execute()
    expect(openai).toEqual([{ is_active: 0 }])
  })

  it('adds a provider that came with a newer version, though the models are the same', async () => {
    const { sql } = await open()
    await seedRegistry(sql, () => 5, randomId)
    const slugs = async () => (await sql.selectFrom('providers').select('slug').execute()).map(row => row.slug).sort()
    const known = await slugs()
    await sql.deleteFrom('models').where('provider_slug', '=', 'cohere').execute()
    await sql.deleteFrom('providers').where('slug', '=', 'cohere').execute()
    const older = known.filter(slug => slug !== 'cohere')
    // How that version noted what it had seeded: by the digest of the models, then with the slugs of the providers it
    // knew.
    const names = [modelSeedRows(0), { models: modelSeedRows(0), providerSlugs: older }].map(
      seed => `model-seed:${createHash('sha256').update(JSON.stringify(seed)).digest('hex')}`,
    )
    await sql.deleteFrom('revisions').execute()
    await sql
      .insertInto('revisions')
      .values(names.map(name => ({ name, revision: 1 })))
      .execute()
    await seedRegistry(sql, () => 6, randomId)
    expect(await slugs()).toEqual(known)
  })
})
