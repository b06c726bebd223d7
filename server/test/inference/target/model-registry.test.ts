// Tests a replica's model registry on both databases: a sync of another replica is known within a second, other changes
// within half a minute, and unknown model names cause no additional queries.
import { expect, inject, onTestFinished, test } from 'vitest'
import { createModelRegistry } from '../../../src/inference/target/model-registry.ts'
import { upsertListedModels } from '../../../src/management/providers/upsert-models.ts'
import type { ListedModel } from '../../../src/providers/models/model-page.ts'
import { providerSeedRows } from '../../../src/storage/model-seed.ts'
import type { Database } from '../../../src/storage/open-database.ts'
import { createRowWatch } from '../../../src/storage/watched-rows.ts'
import { createHandClock, createMemoryLog } from '../../kv/stores.ts'
import { openDistributed, openEmbedded, openMigrated, temporaryFolder } from '../../storage/fixtures.ts'
import { createDatabase } from '../../support/postgres.ts'
import { startProxy } from '../../support/simulated/breakable-proxy.ts'

const databases: [string, () => Promise<Database>][] = [
  ['SQLite', () => openMigrated()],
  ['PostgreSQL', async () => openDistributed(await createDatabase(inject('postgresUrl')))],
]

function listed(model: string, contextWindow: number | null = null): ListedModel {
  const unknown = { displayName: null, maxOutputTokens: null, streaming: null, tools: null, vision: null, prices: null }
  const unsaid = { reasoning: null, temperature: null, structuredOutput: null, surfaces: null, status: null }
  return { model, contextWindow, ...unknown, ...unsaid }
}

/** Does what a sync of `openai` does, always with the same time: changes must be recognised without it. */
async function syncsOf({ sql }: Database) {
  let id = 0
  await sql
    .insertInto('providers')
    .values(providerSeedRows(7, () => `p${id++}`))
    .execute()
  return (...models: ListedModel[]) => upsertListedModels({ sql, now: () => 7 }, 'openai', models)
}

function hold({ sql }: Pick<Database, 'sql'>) {
  const clock = createHandClock(1_000_000)
  const { log, lines } = createMemoryLog()
  const rows = createRowWatch(sql, clock.now, log)
  onTestFinished(() => rows.stop())
  const registry = createModelRegistry(sql, rows)
  return { registry, clock, lines }
}

test.each(databases)(
  'what a sync changed is known at once, what other hands changed in half a minute, on %s',
  async (_name, open) => {
    const database = await open()
    const { sql } = database
    const sync = await syncsOf(database)
    await sync(listed('gpt-1'))
    const { registry, clock } = hold(database)
    await registry.whenLoaded()
    expect(registry.whenLoaded()).toBeNull()
    expect(registry.known()?.get('openai/gpt-1')).toBeDefined()

    await sync(listed('gpt-1', 4_096), listed('gpt-2'))
    await expect.poll(() => registry.known()?.get('openai/gpt-2')).toBeDefined()
    expect(registry.known()?.get('openai/gpt-1')?.facts.contextWindow).toBe(4_096)
    expect(registry.listOf('openai').map(({ id }) => id)).toEqual(['openai/gpt-1', 'openai/gpt-2'])

    await sql.deleteFrom('models').where('id', '=', 'openai/gpt-2').execute()
    clock.advance(30_000)
    await expect.poll(() => registry.known()?.get('openai/gpt-2')).toBeUndefined()
  },
)

test('while the database is away the last reading goes on, which is said once, and what was changed meanwhile is known when it is back', async () => {
  const url = await createDatabase(inject('postgresUrl'))
  const database = await openDistributed(url)
  const sync = await syncsOf(database)
  await sync(listed('gpt-1'))
  const way = await startProxy(Number(new URL(url).port))
  const { registry, lines } = hold(await openDistributed(Object.assign(new URL(url), { port: String(way.port) }).href))
  await registry.whenLoaded()
  way.cut()
  await sync(listed('gpt-2'))
  await expect.poll(() => lines).toHaveLength(1)
  expect(lines).toMatchObject([{ level: 'warn', event: 'models or budgets could not be read' }])
  expect(registry.whenLoaded()).toBeNull()
  expect(registry.known()?.get('openai/gpt-1')).toBeDefined()
  expect(registry.known()?.get('openai/gpt-2')).toBeUndefined()
  way.mend()
  await expect.poll(() => registry.known()?.get('openai/gpt-2')).toBeDefined()
  expect(lines).toHaveLength(1)
})

test('names of models cost the database nothing', async () => {
  let queries = 0
  const database = await openEmbedded(temporaryFolder(), { metrics: { queryEnded: () => void queries++ } })
  const { registry } = hold(database)
  await registry.whenLoaded()
  queries = 0
  const startedAt = performance.now()
  while (queries === 0 || performance.now() - startedAt < 1_100) {
    for (let name = 0; name < 1_000; name++) registry.known()?.get(`openai/made-up-${name}`)
    expect(registry.whenLoaded()).toBeNull()
    await new Promise(resolve => setTimeout(resolve, 5))
  }
  expect(queries).toBeLessThan(6)
})
