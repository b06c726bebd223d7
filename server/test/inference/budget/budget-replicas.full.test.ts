// Tests one budget of a tenant on three replicas, with PostgreSQL and Redis: 1,000 requests of 50 users, of which it
// admits about a third. Compares what the provider billed with the usage rows and with the store's counter.
import { createClient } from 'redis'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { inEveryProcess } from '../../support/every-process.ts'
import { type Product, startProduct } from '../../support/start-product.ts'
import { openStage, type Stage, type TestProject } from '../inference-stage.ts'
import { alertsOf, answerBody, putBudgets } from './budget-stage.ts'

const users = 50
const requestsOfUser = 20
/** A prompt token costs 150 nano-dollars, a generated one 600. */
const costOf = ({ prompt, completion }: { prompt: number; completion: number }) => prompt * 150 + completion * 600
const maxCompletion = 1_000
/** No estimate of a prompt is smaller. */
const prompt = 4
const maxCost = costOf({ prompt, completion: maxCompletion })
const budget = Math.round((users * requestsOfUser * maxCost) / 6)

let stage: Stage
const others: Product[] = []
beforeAll(async () => {
  const env = { JWT_ISSUER: 'http://gate.example.com', SYNC_INTERVAL: '1' }
  stage = await openStage('postgres', env, { own: true })
  others.push(await startProduct({ env: stage.harness.env }))
  others.push(await startProduct({ env: stage.harness.env }))
})
afterAll(async () => {
  await Promise.all(others.map(product => product.stop()))
  await stage.stop()
})

interface Run {
  project: TestProject
  /** In nano-dollars. */
  billed(): number
  statuses(): number[]
  ended: Promise<unknown>
  /** Resolves after so many answers of the provider. */
  whenAnswered(count: number): Promise<void>
}

async function start(onAnswer: (answered: number) => void = () => undefined): Promise<Run> {
  const project = await stage.makeProject()
  const [statuses, waiting]: [number[], { count: number; resolve: () => void }[]] = [[], []]
  let [billed, answered] = [0, 0]
  // Until every process knows the budget, answers cost next to nothing.
  let isInForce = false
  stage.script(() => {
    const completion = isInForce ? 1 + ((answered * 7_919) % maxCompletion) : 1
    billed += costOf({ prompt, completion })
    if (isInForce) answered += 1
    onAnswer(answered)
    for (const { count, resolve } of waiting) if (answered >= count) resolve()
    return { body: answerBody({ prompt, completion }), delayMs: 20 }
  })
  // A small one first, whose refusals show that each replica knows the tenant's budgets.
  await putBudgets(stage, `tenants/${project.tenantId}`, [{ usd: 0.000001, period: 'month' }])
  const statusAt = async (port: number) => (await project.complete({ max_tokens: 1_000 }, { port })).status
  const ports = [stage.harness.product.port, ...others.map(({ port }) => port)]
  for (const port of ports) {
    await expect.poll(() => inEveryProcess(429, () => statusAt(port))).toBe(429)
  }
  await putBudgets(stage, `tenants/${project.tenantId}`, [{ usd: budget / 1e9, period: 'month' }])
  const tokens = await Promise.all(Array.from({ length: users }, (_, at) => project.mint({ user_id: `user-${at}` })))
  for (const port of ports) {
    await expect.poll(() => inEveryProcess(200, () => statusAt(port))).toBe(200)
  }
  // All of it is written and counted, so that only calls from here on can be lost with a replica.
  await expect.poll(() => rowsOf(project)).toBe(billed)
  const redis = await openRedis()
  await expect.poll(async () => Number(await redis.hGet(periodKey(project.tenantId), 's:tenant'))).toBe(billed)
  isInForce = true
  const ended = Promise.all(
    tokens.map(async (token, user) => {
      for (let request = 0; request < requestsOfUser; request += 1) {
        const port = ports[(user + request) % ports.length] ?? 0
        const answer = await project.complete({ max_tokens: maxCompletion }, { token, port }).catch(() => null)
        statuses.push(answer?.status ?? 0)
      }
    }),
  )
  return {
    project,
    billed: () => billed,
    statuses: () => statuses,
    ended,
    whenAnswered: count => new Promise(resolve => void waiting.push({ count, resolve })),
  }
}

async function openRedis() {
  const client = createClient({ url: stage.harness.redis?.url ?? '' })
  await client.connect()
  onTestFinished(() => client.destroy())
  return client
}

async function rowsOf({ id }: TestProject): Promise<number> {
  const text = 'select sum(cost_nanousd) as nanousd from usage_records where project_id = ?'
  const [row] = await stage.harness.query<{ nanousd: string | null }>(text, [id])
  return Number(row?.nanousd ?? 0)
}

const periodKey = (tenantId: string) => `sallyport:budgets:{${tenantId}}:${new Date().toISOString().slice(0, 7)}`

test('is never exceeded, and counts to the nano-dollar what the provider billed', async () => {
  const run = await start()
  await run.ended
  const { tenantId } = run.project
  expect(run.billed()).toBeLessThanOrEqual(budget)
  // What is left is too little for one more.
  expect(run.billed()).toBeGreaterThan(budget - 2 * maxCost)
  const counts = Map.groupBy(run.statuses(), status => status)
  expect([...counts.keys()].sort()).toEqual([200, 429])
  expect(counts.get(200)?.length).toBeGreaterThan(250)
  await expect.poll(() => rowsOf(run.project)).toBe(run.billed())
  const redis = await openRedis()
  await expect
    .poll(() => redis.hGetAll(periodKey(tenantId)))
    .toEqual({ 's:tenant': String(run.billed()), 'r:tenant': '0' })
  await expect
    .poll(async () =>
      (await alertsOf(stage, tenantId)).flatMap(({ data }) => (data.usd === budget / 1e9 ? [data.threshold] : [])),
    )
    .toEqual([50, 80, 100])
})

test('is never exceeded when a replica is killed, whose running calls stay reserved', async () => {
  const run = await start()
  await run.whenAnswered(100)
  const [, killed] = others
  await killed?.kill()
  others.pop()
  await run.ended
  const redis = await openRedis()
  const { tenantId } = run.project
  expect(run.billed()).toBeLessThanOrEqual(budget)
  const counters = () => redis.hGetAll(periodKey(tenantId))
  await expect
    .poll(async () => Number((await counters())['s:tenant']) - (await rowsOf(run.project)))
    .toBeGreaterThanOrEqual(0)
  const { 's:tenant': spent, 'r:tenant': reserved } = await counters()
  const lost = run.billed() - Number(spent)
  expect(lost).toBeGreaterThanOrEqual(0)
  expect(Number(reserved)).toBeGreaterThanOrEqual(lost)
  others.push(await startProduct({ env: stage.harness.env }))
})

test('is exceeded at most by the running answers when Redis is emptied', async () => {
  const redis = await openRedis()
  const run = await start()
  await run.whenAnswered(150)
  await redis.flushAll()
  await run.ended
  expect(run.billed()).toBeLessThanOrEqual(budget + users * maxCost)
  await expect.poll(() => rowsOf(run.project)).toBe(run.billed())
  const counter = async () => Number((await redis.hGet(periodKey(run.project.tenantId), 's:tenant')) ?? 0)
  await expect.poll(counter, { timeout: 300_000 }).toBe(run.billed())
}, 600_000)
