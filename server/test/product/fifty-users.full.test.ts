// Tests that one end user who sends as fast as possible uses up nobody else's requests: fifty users in one project with
// `user_rpm_limit`, in embedded mode, and on PostgreSQL and Redis through two replicas.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { say } from '../support/simulated/provider-answers.ts'
import { startUpstream } from '../support/simulated/scripted-upstream.ts'
import { type Product, startProduct } from '../support/start-product.ts'
import { ask, createWorld, distributedSecrets, makeProject, signIn } from './distributed-world.ts'

const limits = { rpm_limit: 600, user_rpm_limit: 20 }
const [otherUsers, requestsOfEach] = [49, 8]
const [greedyLoops, maxGreedyRequests] = [8, 20_000]

interface Sender {
  token: string
  /** Requests go to them in turn. */
  addresses: string[]
}

interface Tally {
  statuses: Record<number, number>
  /** Of the responses with status 429. */
  retryAfters: (string | null)[]
}

async function startProvider() {
  const upstream = await startUpstream()
  onTestFinished(() => upstream.close())
  upstream.on('POST /v1/chat/completions', say('openai', { text: ['Hello'] }, false))
  return upstream
}

const startEmbedded = async (env: Record<string, string>) => {
  const product = await startProduct({ env: { ...distributedSecrets(), ...env } })
  onTestFinished(() => product.kill())
  return [product]
}

const startReplicas = async (env: Record<string, string>) => {
  const world = await createWorld()
  // Each replica has a port of its own, and both accept the same tokens.
  const shared = { ...env, JWT_ISSUER: 'http://gateway.example.com' }
  return Promise.all([world.start(shared), world.start(shared)])
}

/** A project with the limits deployed, and the tokens of its users. */
async function prepare(products: Product[]) {
  const [first] = products as [Product]
  const session = await signIn(first)
  const { id, slug } = await makeProject(first, session)
  await ask(first, 'PUT', `/auth/v1/projects/${id}/settings`, session, limits)
  await ask(first, 'POST', `/auth/v1/projects/${id}/settings/deploy`, session)
  const { api_key } = await ask<{ api_key: string }>(first, 'POST', `/auth/v1/projects/${id}/api-keys`, session, {})
  const mint = async (user_id: string): Promise<Sender> => {
    const keyed = { authorization: `Bearer ${api_key}` }
    const minted = await ask<{ access_token: string }>(first, 'POST', '/auth/v1/auth/mint', keyed, { user_id })
    return { token: minted.access_token, addresses: products.map(({ baseUrl }) => `${baseUrl}/p/${slug}/v1`) }
  }
  return {
    greedy: await mint('greedy'),
    others: await Promise.all(Array.from({ length: otherUsers }, (_, index) => mint(`user-${index}`))),
  }
}

const emptyTally = (): Tally => ({ statuses: {}, retryAfters: [] })

async function send({ token, addresses }: Sender, turn: number, tally: Tally): Promise<void> {
  const response = await fetch(`${addresses[turn % addresses.length]}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }] }),
  })
  await response.arrayBuffer()
  tally.statuses[response.status] = (tally.statuses[response.status] ?? 0) + 1
  if (response.status === 429) tally.retryAfters.push(response.headers.get('retry-after'))
}

/** As fast as it can, until it is told to end and has sent more than the whole project may. */
function sendGreedily(sender: Sender) {
  const tally = emptyTally()
  let isEnding = false
  let sent = 0
  const loop = async () => {
    while (sent < maxGreedyRequests && !(isEnding && sent > limits.rpm_limit)) await send(sender, sent++, tally)
  }
  const loops = Promise.all(Array.from({ length: greedyLoops }, loop))
  return {
    tally,
    async end() {
      isEnding = true
      await loops
    },
  }
}

async function sendAtOwnPace(sender: Sender, index: number, tally: Tally): Promise<void> {
  for (let turn = 0; turn < requestsOfEach; turn++) {
    await sleep(150 + (index % 7) * 50)
    await send(sender, index + turn, tally)
  }
}

test.each([
  ['in embedded mode', startEmbedded],
  ['through two replicas on PostgreSQL and Redis', startReplicas],
] as const)(
  'one of fifty users sends as fast as possible, and the others lose no request: %s',
  async (_name, start) => {
    const upstream = await startProvider()
    const products = await start({
      OPENAI_BASE_URL: `${upstream.url}/v1`,
      PLATFORM_OPENAI_API_KEY: 'sk-platform-0123456789abcdefgh',
      PLATFORM_DEFAULT_MODEL: 'openai/gpt-4o-mini',
      LOG_LEVEL: 'warn',
    })
    const { greedy, others } = await prepare(products)
    const startedAt = performance.now()
    const flood = sendGreedily(greedy)
    await expect.poll(() => flood.tally.statuses[429] ?? 0, { interval: 5 }).toBeGreaterThan(0)
    const tally = emptyTally()
    await Promise.all(others.map((sender, index) => sendAtOwnPace(sender, index, tally)))
    await flood.end()
    const minutes = Math.ceil((performance.now() - startedAt) / 60_000)

    expect(tally.statuses).toEqual({ 200: otherUsers * requestsOfEach })
    const { 200: answered = 0, 429: refused = 0, ...rest } = flood.tally.statuses
    expect(rest).toEqual({})
    expect(answered).toBeGreaterThanOrEqual(limits.user_rpm_limit)
    // Calm machines need a few seconds; on others, a second window may begin.
    expect(answered).toBeLessThanOrEqual(limits.user_rpm_limit * minutes)
    expect(answered + refused).toBeGreaterThan(limits.rpm_limit)
    for (const seconds of flood.tally.retryAfters) expect(seconds).toMatch(/^([1-9]|[1-5]\d|60)$/)
    expect(upstream.requests).toHaveLength(otherUsers * requestsOfEach + answered)
  },
)
