// Costs that no real provider reports, on both databases: they are written, added up and listed like others.
import { randomUUID } from 'node:crypto'
import { describe, expect, inject, test } from 'vitest'
import { maxCost } from '../../../src/domain/money.ts'
import { addUsageRows, type UsageRow } from '../../../src/storage/add-usage-rows.ts'
import { sumSpent } from '../../../src/storage/budgets/spent.ts'
import type { Database } from '../../../src/storage/open-database.ts'
import { beginDay, closeDay, rollUpProject } from '../../../src/storage/rollups/close-days.ts'
import { listRollups } from '../../../src/storage/rollups/list-rollups.ts'
import { listUsageDays, listUsageOfAll, sumUsage, sumUsageOfAll } from '../../../src/storage/usage-rows.ts'
import { createDatabase } from '../../support/postgres.ts'
import { openDistributed, openMigrated } from '../fixtures.ts'

const day = '2026-05-01'
const noon = Date.UTC(2026, 4, 1, 12)
const max = Number.MAX_SAFE_INTEGER
/** As many of the greatest exact numbers as no whole number of the databases holds together. */
const users = 1_100
const greatest = { cost_nanousd: expect.closeTo(users * max, -5) }

async function openWith(backend: string) {
  const isEmbedded = backend === 'sqlite'
  const { sql } = isEmbedded ? await openMigrated() : await openDistributed(await createDatabase(inject('postgresUrl')))
  const [tenantId, projectId] = [randomUUID(), randomUUID()]
  const tenant = { id: tenantId, name: 'Tenant', plan: 'free' as const, provider_keys_revision: 0, created_at: 1 }
  await sql.insertInto('tenants').values(tenant).execute()
  const dns = { dns_status: 'READY' as const, dns_last_error: null, dns_updated_at: null }
  const project = { id: projectId, tenant_id: tenantId, name: 'Project', slug: 'amber-falcon-7' }
  await sql
    .insertInto('projects')
    .values({ ...project, ...dns, status: 'active', created_at: 1 })
    .execute()
  return { sql, tenantId, projectId }
}

type World = Awaited<ReturnType<typeof openWith>>

const addRows = ({ sql, tenantId, projectId }: World, count: number) => {
  const row = (): UsageRow => ({
    request_id: randomUUID(),
    tenant_id: tenantId,
    project_id: projectId,
    user_id: 'alice',
    tier: 'gold',
    day,
    model: 'acme/gpt',
    provider: 'acme',
    endpoint: 'embeddings',
    prompt_tokens: 1,
    completion_tokens: 0,
    total_tokens: 1,
    cached_tokens: 0,
    reasoning_tokens: 0,
    cost_nanousd: maxCost,
    is_estimated: 0,
    created_at: noon,
    budget_day: null,
    platform_day: day,
    platform_nanousd: maxCost,
  })
  return addUsageRows({ sql, now: () => noon }, Array.from({ length: count }, row))
}

const readSpent = ({ sql, tenantId, projectId }: World) => sumSpent(sql, { tenantId, projectId, userId: null }, day)

describe.each(['sqlite', 'postgres'])('on %s', backend => {
  test('what one end user spends in a day is stored up to the greatest number that is exact', async () => {
    const world = await openWith(backend)
    const { sql, projectId } = world
    await addRows(world, 400)
    expect(await readSpent(world)).toBe(400 * maxCost)
    for (const _again of [1, 2]) await addRows(world, 501)
    const filter = { projectId, userId: null, from: null, to: null }
    const { rows } = await listUsageDays(sql, filter, { after: null, limit: 10 })
    expect(rows).toMatchObject([{ requests: 1_402, endpoint: 'embeddings', cost_nanousd: max }])
    expect(await readSpent(world)).toBe(max)
    const stored = async (table: 'usage_tiers' | 'platform_days') =>
      await sql.selectFrom(table).select('cost_nanousd').execute()
    expect(await stored('usage_tiers')).toEqual([{ cost_nanousd: max }])
    expect(await stored('platform_days')).toEqual([{ cost_nanousd: max }])
  })

  test('what many spend is added up and closed, however much', async () => {
    const world = await openWith(backend)
    const { sql, projectId } = world
    await addDays(sql, projectId)
    expect(await readSpent(world)).toEqual(greatest.cost_nanousd)
    const days = { from: null, to: null }
    expect(await sumUsage(sql, { projectId, userId: null, ...days })).toMatchObject(greatest)
    expect(await sumUsageOfAll(sql, days)).toMatchObject(greatest)
    for (const grouping of ['tenant', 'day', 'model', 'endpoint'] as const) {
      expect(await listUsageOfAll(sql, days, grouping, { after: null, limit: 10 })).toMatchObject([greatest])
    }
    const list = () => listRollups(sql, { projectId, ...days }, { after: null, limit: 10 })
    expect(await list()).toMatchObject([{ ...greatest, closed_at: null }])
    await beginDay(sql, day)
    expect(await rollUpProject(sql, day, projectId)).toBe(true)
    await closeDay(sql, day, noon)
    expect(await list()).toMatchObject([{ cost_nanousd: max, closed_at: expect.any(Number) }])
  })
})

async function addDays(sql: Database['sql'], projectId: string): Promise<void> {
  const numbers = { requests: 1, prompt_tokens: 1, completion_tokens: 0, total_tokens: 1, cost_nanousd: max }
  const rows = Array.from({ length: users }, (_none, at) => ({
    project_id: projectId,
    day,
    user_id: `user-${at}`,
    model: 'acme/gpt',
    ...numbers,
  }))
  await sql.insertInto('usage_days').values(rows).execute()
}
