// Tests what calls are charged to their budgets when a day ends, the store is emptied, or is unavailable, with a clock
// of the test and the worker's jobs.
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { Budget } from '../../src/domain/budgets/budget.ts'
import { Refusal } from '../../src/domain/errors.ts'
import type { Prices } from '../../src/domain/money.ts'
import { type ChargedTurn, createBudgetCharges } from '../../src/inference/budget/charge-budgets.ts'
import { createProcessStore } from '../../src/kv/process/store.ts'
import { type Store, StoreUnavailable } from '../../src/kv/store.ts'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { parseOutboundAllow } from '../../src/outbound/policy.ts'
import { addUsageRows } from '../../src/storage/add-usage-rows.ts'
import { tenantScope } from '../../src/storage/budgets/budget-scopes.ts'
import { listTenantEvents } from '../../src/storage/webhooks/tenant-events.ts'
import { raiseBudgetSpend } from '../../src/worker/raise-budget-spend.ts'
import { createHandClock, createMemoryLog } from '../kv/stores.ts'
import { openEmbedded, temporaryFolder } from '../storage/fixtures.ts'

const noon = Date.UTC(2026, 4, 31, 12)
const hourMs = 3_600_000
/** A prompt token costs nothing, a generated one a nano-dollar. */
const million = 1_000_000
const prices: Prices = { input: 0, cachedInput: 0, cacheWrite: 0, output: million, reasoning: million, steps: [] }
const target = { modelId: 'openai/gpt-4o', prices }
/** In nano-dollars. */
const usd = (nano: number) => nano / 1e9

const clock = createHandClock(noon)
let world: Awaited<ReturnType<typeof openWorld>>
beforeEach(async () => {
  clock.set(noon)
  world = await openWorld()
})

async function openWorld() {
  const { log, lines } = createMemoryLog()
  const { sql } = await openEmbedded(temporaryFolder())
  const [tenantId, projectId] = [randomUUID(), randomUUID()]
  const tenant = { id: tenantId, name: 'Tenant', plan: 'free' as const, provider_keys_revision: 0, created_at: 1 }
  await sql.insertInto('tenants').values(tenant).execute()
  const dns = { dns_status: 'READY' as const, dns_last_error: null, dns_updated_at: null }
  const named = { id: projectId, tenant_id: tenantId, name: 'Project', slug: 'amber-falcon-4821' }
  await sql
    .insertInto('projects')
    .values({ ...named, ...dns, status: 'active', created_at: 1 })
    .execute()
  let store = createProcessStore({ now: clock.now, log })
  let isReachable = true
  const reach = (): Store => {
    if (!isReachable) throw new StoreUnavailable('timeout')
    return store
  }
  const refusals: string[] = []
  const charges = createBudgetCharges({
    sql,
    kv: {
      reserveBudgets: async request => reach().reserveBudgets(request),
      settleBudgets: async (tenant, request, amount) => reach().settleBudgets(tenant, request, amount),
      checkpointBudgets: async (tenant, request, amount) => reach().checkpointBudgets(tenant, request, amount),
    },
    writeUsage: () => Promise.resolve(),
    metrics: { budgetRefused: (level, reason) => void refusals.push(`${level} ${reason}`) },
    now: clock.now,
    log,
    retryEveryMs: 20,
  })
  onTestFinished(() => charges.stop())
  const outbound = createOutbound({ allow: parseOutboundAllow(undefined), log })
  onTestFinished(() => outbound.close())
  return {
    sql,
    charges,
    refusals,
    lines,
    tenantId,
    projectId,
    store: () => store,
    setReachable: (value: boolean) => {
      isReachable = value
    },
    /** As after a restart of the store. */
    empty() {
      store = createProcessStore({ now: clock.now, log })
    },
    raise: () => raiseBudgetSpend.run({ sql, kv: store, outbound, now: clock.now, log }, new AbortController().signal),
  }
}

/** A call of alice whose longest answer costs 100 nano-dollars. */
function turnOf(budgets: Budget[], requestId: string = randomUUID()): ChargedTurn {
  const { tenantId, projectId } = world
  const verified = { requestId, tenantId, projectId, userId: 'alice' }
  const call = {
    verified,
    promptEstimate: 10,
    asked: { estimate: { prompt: 10, completion: 100 } },
    resolved: { tier: null, settings: { max_output_tokens: null }, budgets: { project: budgets, tier: [] } },
  }
  const prompt = { messages: [], tools: [], otherTools: [] }
  return { call, endpoint: { operation: 'generate' }, request: { prompt }, messages: [] } as unknown as ChargedTurn
}

async function reserve(budgets: Budget[], requestId?: string) {
  return await world.charges.reserve(turnOf(budgets, requestId), [target])
}

const refusal = { code: 'insufficient_quota' }

async function addRow(requestId: string, cost: number, day: string, budgetDay: string | null = null) {
  const { sql, tenantId, projectId } = world
  const ids = { request_id: requestId, tenant_id: tenantId, project_id: projectId, user_id: 'alice' }
  const model = { model: 'openai/gpt-4o', provider: 'openai', endpoint: 'chat_completions' as const }
  const tokens = {
    prompt_tokens: 0,
    completion_tokens: cost,
    total_tokens: cost,
    cached_tokens: 0,
    reasoning_tokens: 0,
  }
  const rest = { cost_nanousd: cost, is_estimated: 0 as const, created_at: clock.now(), budget_day: budgetDay }
  await addUsageRows(sql, [{ ...ids, ...model, ...tokens, ...rest, tier: null, day }])
}

async function spentOf(period: string): Promise<number | undefined> {
  const found = await world.store().findBudgetSpend(world.tenantId, period)
  return found.find(({ scope }) => scope.startsWith('project:'))?.spent
}

const day = (nano: number): Budget[] => [{ usd: usd(nano), period: 'day' }]

describe('a call over the end of its month', () => {
  const both: Budget[] = [
    { usd: usd(1_000), period: 'day' },
    { usd: usd(1_000), period: 'month' },
  ]

  test('is charged to the day and the month in which it was reserved', async () => {
    const requestId = randomUUID()
    const hold = await reserve(both, requestId)
    expect(hold?.day).toBe('2026-05-31')
    clock.advance(13 * hourMs)
    await reserve(both)
    hold?.settle(70)
    await expect.poll(() => spentOf('2026-05-31')).toBe(70)
    expect([await spentOf('2026-05'), await spentOf('2026-06-01'), await spentOf('2026-06')]).toEqual([70, 0, 0])

    // Its usage row is of the new day. An emptied store must not charge the new periods for it.
    await addRow(requestId, 70, '2026-06-01', '2026-05-31')
    await addRow(randomUUID(), 5, '2026-06-01')
    world.empty()
    await reserve(both)
    expect([await spentOf('2026-06-01'), await spentOf('2026-06')]).toEqual([5, 5])
    clock.set(noon)
    await reserve(both)
    expect([await spentOf('2026-05-31'), await spentOf('2026-05')]).toEqual([70, 70])
  })
})

test('an emptied store gives nothing back, and what it missed is counted later', async () => {
  const running = await reserve(day(300))
  await addRow(randomUUID(), 150, '2026-05-31')
  world.empty()
  // 150 of 300 are spent.
  const next = await reserve(day(300))
  await expect(reserve(day(300))).rejects.toMatchObject(refusal)
  next?.settle(20)
  running?.settle(60)
  await expect.poll(() => spentOf('2026-05-31')).toBe(170)
  await addRow(randomUUID(), 20, '2026-05-31')
  await addRow(randomUUID(), 60, '2026-05-31')
  await world.raise()
  expect(await spentOf('2026-05-31')).toBe(230)
  await expect(reserve(day(300))).rejects.toBeInstanceOf(Refusal)
  expect(world.refusals).toEqual(['project reserved', 'project spent'])
})

test('while the store is unavailable the database counts, and the store catches up', async () => {
  const first = await reserve(day(300))
  first?.settle(100)
  await expect.poll(() => spentOf('2026-05-31')).toBe(100)
  await addRow(randomUUID(), 100, '2026-05-31')
  world.setReachable(false)
  const second = await reserve(day(300))
  const third = await reserve(day(300))
  await expect(reserve(day(300))).rejects.toMatchObject(refusal)
  second?.settle(90)
  third?.release()
  await addRow(randomUUID(), 90, '2026-05-31')
  // Another replica's, which is known a second later.
  await addRow(randomUUID(), 15, '2026-05-31')
  clock.advance(2_000)
  await expect(reserve(day(300))).rejects.toMatchObject({ ...refusal, details: { retryAfterSeconds: 12 * 3_600 - 2 } })
  world.setReachable(true)
  await expect(reserve(day(300))).rejects.toMatchObject(refusal)
  expect(await spentOf('2026-05-31')).toBe(205)
  expect(await reserve(day(305))).not.toBeNull()
})

test('a budget in force costs one call of the store, none costs none', async () => {
  world.setReachable(false)
  expect(world.charges.reserve(turnOf([]), [target])).toSatisfy(value => value === null || value instanceof Promise)
  expect(await world.charges.reserve(turnOf([]), [target])).toBeNull()
  expect(world.charges.reserve(turnOf([]), [target])).toBeNull()
  expect(world.lines).toEqual([])
})

test('the dearest of several targets is reserved, and one without a price is rejected', async () => {
  const dear = { modelId: 'openai/dear', prices: { ...prices, output: 3 * million } }
  await expect(world.charges.reserve(turnOf(day(299)), [target, dear])).rejects.toMatchObject(refusal)
  expect(await world.charges.reserve(turnOf(day(300)), [dear, target])).not.toBeNull()
  const unpriced = async () =>
    world.charges.reserve(turnOf(day(1_000)), [target, { modelId: 'openai/new', prices: null }])
  await expect(unpriced()).rejects.toMatchObject({ code: 'model_not_priced' })
})

test('each threshold is recorded once, also by several replicas at once', async () => {
  const budgets = day(100)
  const replicas = [world.charges, ...Array.from({ length: 4 }, () => anotherReplica())]
  for (const replica of replicas) {
    for (const cost of [0, 20, 0]) (await replica.reserve(turnOf(day(1_000)), [target]))?.settle(cost)
  }
  await expect.poll(() => spentOf('2026-05-31')).toBe(100)
  // All of them find the budget used up.
  await Promise.all(replicas.map(replica => expect(replica.reserve(turnOf(budgets), [target])).rejects.toBeDefined()))
  await Promise.all(replicas.map(replica => replica.stop()))
  const events = await listTenantEvents(
    world.sql,
    { tenantId: world.tenantId, type: 'budget_alert' },
    { after: null, limit: 100 },
  )
  const found = events.map(({ data }) => JSON.parse(data)).sort((a, b) => a.threshold - b.threshold)
  expect(found).toEqual([50, 80, 100].map(threshold => ({ level: 'project', threshold, usd: usd(100), period: 'day' })))
})

function anotherReplica() {
  const { sql, store } = world
  return createBudgetCharges({
    sql,
    kv: store(),
    writeUsage: () => Promise.resolve(),
    metrics: { budgetRefused: () => undefined },
    now: clock.now,
    log: createMemoryLog().log,
  })
}

test('the scope of a tenant counts all its projects', async () => {
  const { sql, tenantId } = world
  await addRow(randomUUID(), 40, '2026-05-31')
  const { sumSpent } = await import('../../src/storage/budgets/spent.ts')
  expect(await sumSpent(sql, { tenantId, projectId: null, userId: null }, '2026-05')).toBe(40)
  expect(await sumSpent(sql, { tenantId, projectId: world.projectId, userId: 'alice' }, '2026-05-31')).toBe(40)
  expect(await sumSpent(sql, { tenantId, projectId: world.projectId, userId: 'bob' }, '2026-05')).toBe(0)
  expect(await sumSpent(sql, { tenantId: randomUUID(), projectId: null, userId: null }, '2026-05')).toBe(0)
  expect(tenantScope).toBe('tenant')
})
