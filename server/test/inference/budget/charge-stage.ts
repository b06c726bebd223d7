// What charges calls to budgets, with a clock, a database and a store of the test: which may be unreachable, lose its
// answers, or be emptied.
import { randomUUID } from 'node:crypto'
import { onTestFinished } from 'vitest'
import type { Budget } from '../../../src/domain/budgets/budget.ts'
import { endpoints } from '../../../src/domain/conversation/operations.ts'
import type { Prices } from '../../../src/domain/money.ts'
import { type ChargedTurn, createBudgetCharges } from '../../../src/inference/budget/charge-budgets.ts'
import type { BudgetRequest } from '../../../src/kv/budgets.ts'
import { createProcessStore } from '../../../src/kv/process/store.ts'
import { type Store, StoreUnavailable } from '../../../src/kv/store.ts'
import { createOutbound } from '../../../src/outbound/outbound.ts'
import { parseOutboundAllow } from '../../../src/outbound/policy.ts'
import { addUsageRows } from '../../../src/storage/add-usage-rows.ts'
import type { Database } from '../../../src/storage/open-database.ts'
import { createRowWatch, type RowWatch } from '../../../src/storage/watched-rows.ts'
import { raiseBudgetSpend } from '../../../src/worker/raise-budget-spend.ts'
import { type createHandClock, createMemoryLog } from '../../kv/stores.ts'
import { openMigrated } from '../../storage/fixtures.ts'

export const noon = Date.UTC(2026, 4, 31, 12)
/** A prompt token costs nothing, a generated one a nano-dollar. */
export const million = 1_000_000
export const prices: Prices = {
  input: 0,
  cachedInput: 0,
  cacheWrite: 0,
  output: million,
  reasoning: million,
  steps: [],
}
export const target = { modelId: 'openai/gpt-4o', prices }
/** In nano-dollars. */
export const usd = (nano: number) => nano / 1e9
export const day = (nano: number): Budget[] => [{ usd: usd(nano), period: 'day' }]
export const month = (nano: number): Budget[] => [{ usd: usd(nano), period: 'month' }]
export const refusal = { code: 'insufficient_quota' }

type Sql = Database['sql']

interface TurnOptions {
  requestId?: string
  userId?: string
  tier?: Budget[]
  maxOutputTokens?: number | null
  /** All that the provider gets, what was recalled included. */
  messages?: { role: 'user'; content: string }[]
}

export type ChargeWorld = Awaited<ReturnType<typeof openChargeWorld>>

export async function openChargeWorld(clock: ReturnType<typeof createHandClock>) {
  const { log, lines } = createMemoryLog()
  const { sql } = await openMigrated()
  const ids = await addProject(sql)
  const { tenantId, projectId } = ids
  const faults = new FaultyStore(() => createProcessStore({ now: clock.now, log }))
  let writeUsage = () => Promise.resolve()
  const refusals: string[] = []
  const charges = createBudgetCharges({
    replicaId: 'replica',
    sql,
    rows: watchRows(sql, clock.now, log),
    kv: faults,
    writeUsage: () => writeUsage(),
    metrics: { budgetRefused: (level, reason) => void refusals.push(`${level} ${reason}`) },
    now: clock.now,
    log,
    retryEveryMs: 20,
  })
  onTestFinished(() => charges.stop())
  const outbound = createOutbound({ allow: parseOutboundAllow(undefined), log })
  onTestFinished(() => outbound.close())
  const turnOf = (budgets: Budget[], options: TurnOptions = {}) => chargedTurn(ids, budgets, options)
  return {
    sql,
    charges,
    refusals,
    /** The requests that reached the store. */
    reserved: faults.reserved,
    lines,
    tenantId,
    projectId,
    store: () => faults.store,
    setReachable: (value: boolean) => {
      faults.isReachable = value
    },
    /** The store reserves, and its answer does not arrive. */
    setLosing: (value: boolean) => {
      faults.losesAnswers = value
    },
    setWriteUsage: (write: () => Promise<void>) => {
      writeUsage = write
    },
    /** As after a restart of the store. */
    empty: () => faults.empty(),
    raise: () =>
      raiseBudgetSpend.run({ sql, kv: faults.store, outbound, now: clock.now, log }, new AbortController().signal),
    turnOf,
    reserve: async (budgets: Budget[], options?: TurnOptions, targets = [target]) =>
      await charges.reserve(turnOf(budgets, options), targets),
    addRow: (requestId: string, cost: number, day: string, budgetDay: string | null = null) =>
      addRow(sql, ids, { requestId, cost, day, budgetDay, at: clock.now() }),
    /** Of another project of the tenant. */
    addRowOfSecond: (cost: number, day: string) => addRowOfSecond(sql, tenantId, { cost, day, at: clock.now() }),
    async spentOf(period: string): Promise<number | undefined> {
      const found = await faults.store.findBudgetSpend(tenantId, period)
      return found.find(({ scope }) => scope.startsWith('project:'))?.spent
    },
  }
}

/** Until the end of the test. */
export function watchRows(...needs: Parameters<typeof createRowWatch>): RowWatch {
  const rows = createRowWatch(...needs)
  onTestFinished(() => rows.stop())
  return rows
}

/** A store that a test makes unreachable, that loses its answers, or that a test empties. */
class FaultyStore {
  store: Store
  isReachable = true
  losesAnswers = false
  readonly reserved: BudgetRequest[] = []
  readonly #open: () => Store

  constructor(open: () => Store) {
    this.#open = open
    this.store = open()
  }

  empty(): void {
    this.store = this.#open()
  }

  async reserveBudgets(request: BudgetRequest): ReturnType<Store['reserveBudgets']> {
    const reservation = await this.#reach().reserveBudgets(request)
    this.reserved.push(request)
    if (this.losesAnswers) throw new StoreUnavailable('timeout')
    return reservation
  }

  async settleBudgets(...given: Parameters<Store['settleBudgets']>): ReturnType<Store['settleBudgets']> {
    return await this.#reach().settleBudgets(...given)
  }

  async checkpointBudgets(...given: Parameters<Store['checkpointBudgets']>): ReturnType<Store['checkpointBudgets']> {
    return await this.#reach().checkpointBudgets(...given)
  }

  #reach(): Store {
    if (!this.isReachable) throw new StoreUnavailable('timeout')
    return this.store
  }
}

interface Ids {
  tenantId: string
  projectId: string
}

async function addProject(sql: Sql): Promise<Ids> {
  const tenantId = randomUUID()
  const tenant = { id: tenantId, name: 'Tenant', plan: 'free' as const, provider_keys_revision: 0, created_at: 1 }
  await sql.insertInto('tenants').values(tenant).execute()
  return { tenantId, projectId: await insertProject(sql, tenantId, 'amber-falcon-4821') }
}

async function insertProject(sql: Sql, tenantId: string, slug: string): Promise<string> {
  const id = randomUUID()
  const dns = { dns_status: 'READY' as const, dns_last_error: null, dns_updated_at: null }
  const named = { id, tenant_id: tenantId, name: 'Project', slug }
  await sql
    .insertInto('projects')
    .values({ ...named, ...dns, status: 'active', created_at: 1 })
    .execute()
  return id
}

/** A call of alice whose longest answer costs 100 nano-dollars. */
function chargedTurn({ tenantId, projectId }: Ids, budgets: Budget[], options: TurnOptions): ChargedTurn {
  const { requestId = randomUUID(), userId = 'alice', tier = [], maxOutputTokens = null, messages = [] } = options
  const verified = { requestId, tenantId, projectId, userId }
  const call = {
    verified,
    promptEstimate: 10,
    estimated: { estimate: { prompt: 10, completion: 100 } },
    resolved: {
      tier: tier.length === 0 ? null : 'gold',
      settings: { max_output_tokens: maxOutputTokens },
      budgets: { project: budgets, tier },
    },
  }
  const prompt = { messages: [], tools: [], otherTools: [] }
  return { call, endpoint: endpoints.chat_completions, request: { prompt }, messages } as unknown as ChargedTurn
}

async function addRowOfSecond(
  sql: Sql,
  tenantId: string,
  row: { cost: number; day: string; at: number },
): Promise<void> {
  const projectId = await insertProject(sql, tenantId, 'brave-heron-1234')
  await addRow(sql, { tenantId, projectId }, { requestId: randomUUID(), budgetDay: null, ...row })
}

async function addRow(
  sql: Sql,
  { tenantId, projectId }: Ids,
  row: { requestId: string; cost: number; day: string; budgetDay: string | null; at: number },
): Promise<void> {
  const { requestId, cost, day, budgetDay, at } = row
  const ids = { request_id: requestId, tenant_id: tenantId, project_id: projectId, user_id: 'alice' }
  const model = { model: 'openai/gpt-4o', provider: 'openai', endpoint: 'chat_completions' as const }
  const tokens = {
    prompt_tokens: 0,
    completion_tokens: cost,
    total_tokens: cost,
    cached_tokens: 0,
    reasoning_tokens: 0,
  }
  const rest = { cost_nanousd: cost, is_estimated: 0 as const, created_at: at, budget_day: budgetDay }
  await addUsageRows({ sql, now: Date.now }, [{ ...ids, ...model, ...tokens, ...rest, tier: null, day }])
}
