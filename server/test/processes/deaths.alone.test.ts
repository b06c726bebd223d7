// What a process that dies costs: its own requests, and nothing else.
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, inject, test } from 'vitest'
import { ask } from '../product/distributed-world.ts'
import { type FleetProject, tokensOfAnswer } from '../product/fleet.ts'
import { say } from '../support/simulated/provider-answers.ts'
import { roomFor } from '../support/slowness.ts'
import { suspendProcess } from '../support/suspend-process.ts'
import {
  type Client,
  clientPortsOf,
  completeAll,
  countOf,
  createClient,
  createClients,
  type ProcessesStage,
  type Reply,
  startProcesses,
  topologies,
} from './processes-stage.ts'

const kills = inject('prove') ? 20 : 3
const limit = 100_000_000

/** With this pause a client stays under the limit of a minute, however long the test takes. */
const pauseMs = 100

/** Sends requests one after the other until it is stopped. */
function keepAsking(clients: readonly Client[], one: (client: Client) => Promise<Reply>, pausedMs = 0) {
  const replies: Reply[] = []
  let goesOn = true
  const done = Promise.all(
    clients.map(async client => {
      while (goesOn) {
        replies.push(await one(client))
        if (pausedMs > 0) await sleep(pausedMs)
      }
    }),
  )
  return {
    replies,
    async stop() {
      goesOn = false
      await done
    },
  }
}

/** A process that has ended keeps its number until its new parent has read its exit code. */
const isGone = (pid: number): boolean => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.charAt(stat.lastIndexOf(')') + 2) === 'Z'
  } catch {
    return true
  }
}

async function waitForOthers(stage: ProcessesStage, count: number): Promise<void> {
  await expect.poll(() => stage.otherPids().length).toBe(count)
  // Of a process that is ready, the metrics show the role.
  const roles = async () => {
    const metrics = await (await fetch(`${stage.product.baseUrl}/metrics`)).text()
    return [...metrics.matchAll(/^sallyport_role\{role="gateway",process="\d"\} 1$/gm)].length
  }
  await expect.poll(roles).toBe(count + 1)
}

async function remainingTokens({ product }: ProcessesStage, { slug, token }: FleetProject): Promise<number> {
  const { headers } = await createClient(product).send('GET', `/p/${slug}/v1/models`, {
    authorization: `Bearer ${token}`,
  })
  return Number(headers['x-ratelimit-remaining-tokens'])
}

test('kill -9 of a process under load: its own requests end, no charge is wrong, nothing hangs', async () => {
  const stage = await startProcesses(3)
  const { product } = stage
  const project = await stage.makeProject({ tokens_per_day: limit })
  // The provider takes some time, so that requests are in flight when their process dies, and that the load stays below
  // the highest limit of requests a minute.
  stage.upstream.on('POST /v1/chat/completions', () => ({
    delayMs: 100,
    body: {
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: tokensOfAnswer },
    },
  }))
  const load = keepAsking(createClients(product, 12), client => client.complete(project, { max_tokens: 50_000 }))
  let broken = 0
  for (let kill = 0; kill < kills; kill += 1) {
    await waitForOthers(stage, 2)
    await sleep(300)
    const victim = stage.otherPids()[kill % 2] ?? 0
    const before = load.replies.length
    await suspendProcess(victim)
    // Suspended, it accepts nothing more. Clients that were about to connect have done so after a moment, so these are
    // all connections that it will ever have had.
    await sleep(100)
    const itsPorts = clientPortsOf(victim, product.port)
    process.kill(victim, 'SIGKILL')
    // Requests on connections that waited to be accepted are answered by the successor.
    await waitForOthers(stage, 2)
    const lost = load.replies.slice(before).filter(({ status }) => status !== 200)
    expect(lost.filter(({ clientPort }) => !itsPorts.has(clientPort))).toEqual([])
    broken += lost.length
  }
  await load.stop()
  const answered = load.replies.filter(({ status }) => status === 200).length
  expect(answered + broken).toBe(load.replies.length)
  expect(answered).toBeGreaterThan(50)
  // Neither a reservation is left, nor is anything charged twice: a lost request costs at most its answer.
  const remaining = () => remainingTokens(stage, project)
  await expect.poll(remaining).toBeGreaterThanOrEqual(limit - (answered + broken) * tokensOfAnswer)
  expect(await remaining()).toBeLessThanOrEqual(limit - answered * tokensOfAnswer)
})

test('kill -9 of processes that answer as fast as they can: each answered request has its row of usage', async () => {
  const stage = await startProcesses(4)
  const project = await stage.makeProject({ rpm_limit: 10_000 })
  const load = keepAsking(createClients(stage.product, 24), client => client.complete(project))
  for (let kill = 0; kill < 2 * kills; kill += 1) {
    await waitForOthers(stage, 3)
    await sleep(300)
    process.kill(stage.otherPids()[kill % 3] ?? 0, 'SIGKILL')
  }
  await waitForOthers(stage, 3)
  await load.stop()
  const [answered, broken] = [countOf(load.replies, 200), countOf(load.replies, 0)]
  expect(answered).toBeGreaterThan(100)
  const { requests } = (
    await ask<{ totals: { requests: number } }>(
      stage.product,
      'GET',
      `/auth/v1/projects/${project.id}/usage`,
      stage.session,
    )
  ).totals
  expect(requests).toBeGreaterThanOrEqual(answered)
  // A request may have been answered by its provider, and its client not.
  expect(requests).toBeLessThanOrEqual(answered + broken)
})

test.each(topologies)(
  'tokens and money that killed processes reserved are free again within ten seconds: %s',
  async (_name, environment) => {
    const stage = await startProcesses(4, await environment())
    const project = await stage.makeProject({ tokens_per_day: 100_000 })
    // A generated token costs 600 nano-dollars: 24 of the reservations fit, and no more.
    await ask(stage.product, 'PUT', `/auth/v1/tenants/${project.tenantId}/budgets`, stage.session, {
      budgets: [{ usd: (24.5 * 2_000 * 600) / 1e9, period: 'month' }],
    })
    const fields = { max_tokens: 2_000 }
    let asked = 0
    // Those that are open when the processes die never get an answer.
    stage.upstream.on('POST /v1/chat/completions', () =>
      ++asked <= 24 ? { write: () => undefined } : say('openai', { text: ['Hello'] }, false),
    )
    const clients = createClients(stage.product, 24)
    // Every process knows the budget within a second.
    await sleep(1_500)
    const open = clients.map(client => client.complete(project, fields))
    await expect.poll(() => asked).toBe(24)
    const probe = createClient(stage.product)
    expect((await probe.complete(project, fields)).status).toBe(429)
    const held = (pid: number) => clientPortsOf(pid, stage.product.port).size
    const victims = stage.otherPids().toSorted((a, b) => held(b) - held(a))
    const killedAt = performance.now()
    for (const pid of victims.slice(0, 2)) process.kill(pid, 'SIGKILL')
    let broken = 0
    for (const reply of open) void reply.then(({ status }) => (broken += status === 0 ? 1 : 0))
    await expect.poll(() => broken).toBeGreaterThan(0)
    const isFree = async () => {
      const remaining = await remainingTokens(stage, project)
      // A broken request is charged for its prompt.
      return remaining >= 100_000 - (24 - broken) * 2_100 - broken * 100
    }
    await expect.poll(isFree).toBe(true)
    await expect.poll(async () => (await createClient(stage.product).complete(project, fields)).status).toBe(200)
    expect(performance.now() - killedAt).toBeLessThan(roomFor(10_000))
  },
)

test('while a process that keeps dying waits for its next start, the first one gets all connections', async () => {
  const stage = await startProcesses(2)
  const project = await stage.makeProject()
  for (let kill = 0; kill < 4; kill += 1) {
    await expect.poll(() => stage.otherPids().length).toBe(1)
    if (kill > 0) await waitForOthers(stage, 1)
    const victim = stage.otherPids()[0] ?? 0
    await suspendProcess(victim)
    // Of many connections some wait in its queues, and must outlive it.
    const waiting = completeAll(createClients(stage.product, 32), project, 32)
    await sleep(200)
    process.kill(victim, 'SIGKILL')
    expect(countOf(await waiting, 200)).toBe(32)
    await expect.poll(() => stage.product.stderr().match(/a process ended unexpectedly/g)?.length).toBe(kill + 1)
  }
  // The fourth start comes four seconds after the fourth death.
  expect(stage.otherPids()).toEqual([])
  const replies = await completeAll(createClients(stage.product, 16), project, 32)
  expect(countOf(replies, 200)).toBe(32)
  expect(stage.otherPids()).toEqual([])
  await waitForOthers(stage, 1)
  // It listens again: of many connections it gets some.
  const clients = createClients(stage.product, 32)
  expect(countOf(await completeAll(clients, project, 32), 200)).toBe(32)
  expect(clientPortsOf(stage.otherPids()[0] ?? 0, stage.product.port).size).toBeGreaterThan(0)
})

test('the first process dies: all others end soon', async () => {
  const stage = await startProcesses(3)
  const others = stage.otherPids()
  expect(others).toHaveLength(2)
  const project = await stage.makeProject()
  const load = keepAsking(createClients(stage.product, 8), client => client.complete(project, { stream: true }))
  await sleep(500)
  const killedAt = performance.now()
  await stage.product.kill()
  await expect.poll(() => others.every(isGone)).toBe(true)
  expect(performance.now() - killedAt).toBeLessThan(roomFor(2_000))
  await load.stop()
})

test('SIGTERM lets all processes drain', async () => {
  const stage = await startProcesses(3)
  const others = stage.otherPids()
  const project = await stage.makeProject()
  const streams = createClients(stage.product, 12).map(client => client.complete(project, { stream: true }))
  await expect.poll(() => stage.upstream.requests.filter(({ method }) => method === 'POST').length).toBe(12)
  expect(await stage.product.stop()).toBe(0)
  expect(others.every(isGone)).toBe(true)
  const cut = (await Promise.all(streams)).filter(({ text }) => !text.endsWith('data: [DONE]\n\n'))
  expect(cut).toEqual([])
})

test('SIGHUP replaces the others without a lost request or a cut stream', async () => {
  const stage = await startProcesses(3)
  const { product } = stage
  const project = await stage.makeProject()
  const before = stage.otherPids()
  // Some keep their connection, others open one for each request.
  const short = keepAsking(createClients(product, 6), client => client.complete(project), pauseMs)
  const askAnew = async () => {
    const client = createClient(product)
    const reply = await client.complete(project)
    client.close()
    return reply
  }
  const anew = keepAsking(createClients(product, 2), askAnew, pauseMs)
  const streams = keepAsking(createClients(product, 8), client => client.complete(project, { stream: true }))
  await sleep(500)
  process.kill(product.pid, 'SIGHUP')
  await expect.poll(() => before.every(isGone)).toBe(true)
  await expect.poll(() => product.stderr().match(/replaced a process/g)?.length).toBe(2)
  await sleep(300)
  await Promise.all([short.stop(), anew.stop(), streams.stop()])
  expect(stage.otherPids()).toHaveLength(2)
  const plain = [...short.replies, ...anew.replies]
  expect(plain.length).toBeGreaterThan(50)
  expect(plain.filter(({ status }) => status !== 200)).toEqual([])
  expect(streams.replies.length).toBeGreaterThan(0)
  expect(streams.replies.filter(({ text }) => !text.endsWith('data: [DONE]\n\n'))).toEqual([])
})
