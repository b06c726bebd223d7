// The request limits across an outage of Redis, with three replicas: exactly the limit while it is gone, at most one share
// more in a window that goes through the outage, and nothing charged for what was refused.
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from 'redis'
import { describe, expect, onTestFinished, test } from 'vitest'
import { nameKeys } from '../../src/kv/redis/keys.ts'
import type { Store, StoreChange } from '../../src/kv/store.ts'
import { startProxy } from '../product/breakable-proxy.ts'
import { startRedis } from '../support/redis.ts'
import { openStage, type Stage, type TestProject } from './gateway-stage.ts'

const copies = [0, 1, 2]
const limit = 40
const userId = 'alice'
const largestShare = Math.ceil(limit / copies.length)
const within = (timeout: number) => ({ timeout, interval: 20 })

/** The requests of one project with one user, whichever of the two the limit is for. */
interface Scene {
  stage: Stage
  redis: Server
  project: TestProject
  token: string
  heard: StoreChange[][]
}

const limits = ['project', 'user'] as const
type Limited = (typeof limits)[number]

type Server = Awaited<ReturnType<typeof startRedis>>

async function open(limited: Limited, most = limit, options: Parameters<typeof openStage>[0] = {}): Promise<Scene> {
  return await openOn(await ownRedis(), limited, most, options)
}

async function ownRedis(): Promise<Server> {
  const redis = await startRedis()
  onTestFinished(async () => {
    wake(redis)
    await redis.stop()
  })
  return redis
}

async function openOn(
  redis: Server,
  limited: Limited,
  most: number,
  options: Parameters<typeof openStage>[0],
): Promise<Scene> {
  const stage = await openStage({ redisUrl: redis.url, copies: 3, commandTimeoutMs: 1_000, ...options })
  const tiers = [{ name: 'limited', overrides: { rpm_limit: most } }]
  const project = await stage.makeProject({ rpm_limit: limited === 'project' ? most : 10_000 }, { tiers })
  const token = stage.tokenFor(project, { uid: userId, ...(limited === 'user' ? { tier: 'limited' } : {}) })
  const heard = stage.copies.map(({ kv }) => hearChanges(kv))
  await expect
    .poll(() => stage.copies.map(({ gateway }) => gateway.replicas.count()), within(30_000))
    .toEqual([3, 3, 3])
  return { stage, redis, project, token, heard }
}

function hearChanges(kv: Store): StoreChange[] {
  const changes: StoreChange[] = []
  kv.subscribe(change => changes.push(change))
  return changes
}

function wake({ pid }: { pid: number }): void {
  try {
    process.kill(pid, 'SIGCONT')
  } catch (error) {
    // A killed one does not stand still.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

const ask = ({ stage, project, token }: Scene, copy: number) =>
  stage.call(project, 'GET', '/v1/models', { token, copy })

/** One after the other, in turn at these replicas; how many were admitted. */
async function askInTurn(scene: Scene, times: number, at: readonly number[] = copies): Promise<number> {
  let admitted = 0
  for (let i = 0; i < times; i++) {
    const { status } = await ask(scene, at[i % at.length] ?? 0)
    expect([200, 429]).toContain(status)
    if (status === 200) admitted += 1
  }
  return admitted
}

/** All replicas have heard that so many requests are in the window. */
const haveHeard = ({ heard }: Scene, count: number) =>
  expect
    .poll(() => heard.map(changes => changes.some(change => change.kind === 'requests' && change.count === count)), {
      ...within(10_000),
    })
    .toEqual([true, true, true])

async function isBack({ stage }: Scene): Promise<void> {
  const pings = () => Promise.allSettled(stage.copies.map(({ kv }) => kv.ping()))
  const states = async () => (await pings()).map(({ status }) => status)
  await expect.poll(states, within(30_000)).toEqual(copies.map(() => 'fulfilled'))
}

const away = {
  async 'killed and back empty'({ redis }: Scene) {
    await redis.kill()
    return async (scene: Scene) => {
      await redis.restart()
      await expect.poll(() => scene.stage.kv.isSeeded().catch(() => null), within(30_000)).toBe(false)
      await isBack(scene)
      await scene.stage.push(scene.project)
      await scene.stage.sync()
    }
  },
  async flushed({ stage, redis, project }: Scene) {
    const client = await clientOf(redis.url)
    const heard = stage.copies.map(({ kv }) => hearChanges(kv))
    await client.flushAll()
    return async () => {
      await stage.push(project)
      await stage.sync()
      // Each replica hears that it was filled anew.
      const haveHeard = () => heard.map(changes => changes.some(({ kind }) => kind === 'copies'))
      await expect.poll(haveHeard, within(10_000)).toEqual([true, true, true])
      await Promise.all(stage.copies.map(({ kv }) => kv.ping()))
    }
  },
  async paused({ redis }: Scene) {
    process.kill(redis.pid, 'SIGSTOP')
    return async (scene: Scene) => {
      wake(redis)
      await isBack(scene)
    }
  },
}
const outages = Object.keys(away) as Array<keyof typeof away>

async function clientOf(url: string) {
  const client = createClient({ url })
  client.on('error', () => undefined)
  await client.connect()
  onTestFinished(() => client.destroy())
  return client
}

/** The window in Redis: how many it counts and when it ends. */
async function openWindow(scene: Scene, limited: Limited): Promise<() => Promise<{ count: number; endsAt: number }>> {
  const client = await clientOf(scene.redis.url)
  const keys = nameKeys(scene.stage.keyPrefix)
  const { projectId } = scene.project
  const key = limited === 'project' ? keys.projectRequests(projectId) : keys.userRequests(projectId, userId)
  return async () => {
    const [count = 0, endsAt = 0] = ((await client.get(key)) ?? '0 0').split(' ').map(Number)
    return { count, endsAt }
  }
}

describe.each(limits)('the limit of a %s', limited => {
  test.each([1, 2, 40, 41])(
    '%i is what three replicas admit without Redis, together',
    async most => {
      const scene = await open(limited, most)
      await scene.redis.kill()
      expect(await askInTurn(scene, 3 * most + 6)).toBe(most)
      const told = await Promise.all(copies.map(async copy => (await ask(scene, copy)).headers))
      const sum = told.reduce((total, headers) => total + Number(headers['x-ratelimit-limit-requests']), 0)
      expect(sum).toBe(most)
    },
    60_000,
  )

  test.each(outages)(
    'a window goes through an outage (Redis %s), whose requests come evenly',
    async outage => {
      const scene = await open(limited)
      const before = await askInTurn(scene, 20)
      expect(before).toBe(20)
      const comeBack = await away[outage](scene)
      const meanwhile = await askInTurn(scene, 15)
      await comeBack(scene)
      const after = await askInTurn(scene, 60)
      expect(before + meanwhile + after).toBeLessThanOrEqual(limit + largestShare)
      expect(before + meanwhile + after).toBeGreaterThanOrEqual(limit - largestShare)
    },
    60_000,
  )

  test.each(outages)(
    'a window goes through an outage (Redis %s), used up at one replica before',
    async outage => {
      const scene = await open(limited)
      expect(await askInTurn(scene, limit + 5, [0])).toBe(limit)
      await haveHeard(scene, 39)
      const comeBack = await away[outage](scene)
      const meanwhile = await askInTurn(scene, 30, [1, 2])
      await comeBack(scene)
      const after = await askInTurn(scene, 60)
      expect(meanwhile + after).toBeLessThanOrEqual(largestShare)
    },
    60_000,
  )

  test.each(outages)(
    'a window goes through an outage (Redis %s), of which one replica hears last',
    async outage => {
      const scene = await open(limited)
      const comeBack = await away[outage](scene)
      const meanwhile = await askInTurn(scene, 60, [0, 1])
      await comeBack(scene)
      const after = await askInTurn(scene, 60, [2])
      expect(meanwhile).toBeLessThan(limit)
      expect(meanwhile + after).toBeLessThanOrEqual(limit + largestShare)
    },
    60_000,
  )

  test('what a paused Redis reads too late charges nothing', async () => {
    await readTooLate(await open(limited), limited, 2_000)
  }, 60_000)

  test('of a Redis that came back empty a refused request opens no window', async () => {
    const scene = await open(limited)
    const window = await openWindow(scene, limited)
    const comeBack = await away['killed and back empty'](scene)
    expect(await askInTurn(scene, 45)).toBe(limit)
    const refusedAt = Date.now()
    await sleep(1_000)
    await comeBack(scene)
    await expect.poll(async () => (await window()).count, within(10_000)).toBe(limit)
    expect(await askInTurn(scene, 30)).toBe(0)
    expect(await window()).toMatchObject({ count: limit })
    expect((await window()).endsAt).toBeLessThanOrEqual(refusedAt + 60_000)
  }, 60_000)

  test('what a replica admits that is cut off alone counts for the others once it is back', async () => {
    const redis = await ownRedis()
    const proxy = await startProxy(redis.port)
    const proxied = `redis://127.0.0.1:${proxy.port}`
    const redisUrls = [proxied, redis.url, redis.url]
    const scene = await openOn(redis, limited, limit, { redisUrls, commandTimeoutMs: 15_000 })
    const window = await openWindow(scene, limited)
    expect(await askInTurn(scene, 3)).toBe(3)
    proxy.cut()
    const alone = await askInTurn(scene, 20, [0])
    expect(alone).toBeGreaterThan(0)
    expect(alone).toBeLessThanOrEqual(largestShare)
    proxy.mend()
    await expect.poll(async () => (await window()).count, within(20_000)).toBe(3 + alone)
    expect(await askInTurn(scene, 60, [1, 2])).toBe(limit - 3 - alone)
  }, 60_000)
})

/** So that an admission is the first thing that the store is asked for. */
async function knowProject({ stage, project }: Scene): Promise<void> {
  for (const copy of copies) expect((await stage.call(project, 'GET', '/v1/none', { copy })).status).toBe(404)
}

/** More than is admitted are asked at once of a Redis that stands still; it goes on so long after the last answer. */
async function readTooLate(scene: Scene, limited: Limited, pauseMs: number): Promise<void> {
  const window = await openWindow(scene, limited)
  await knowProject(scene)
  process.kill(scene.redis.pid, 'SIGSTOP')
  const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => ask(scene, i % 3)))
  const answeredAt = Date.now()
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(limit)
  // By so much later would a window end that a late request opened.
  await sleep(pauseMs)
  wake(scene.redis)
  await isBack(scene)
  await expect.poll(async () => (await window()).count, within(10_000)).toBe(limit)
  expect(await askInTurn(scene, 9)).toBe(0)
  // What was admitted meanwhile counts, what was refused does not, and the window ends as it would have without Redis.
  const { count, endsAt } = await window()
  expect(count).toBe(limit)
  expect(endsAt).toBeLessThanOrEqual(answeredAt + 60_000)
}

test('what a paused Redis reads too late charges nothing, also where its connections were made anew', async () => {
  const scene = await open('project')
  await readTooLate(scene, 'project', 8_000)
  expect(scene.heard.map(changes => changes.some(({ kind }) => kind === 'resync'))).toEqual([true, true, true])
}, 60_000)

test('a replica that is back before the others keeps to its share', async () => {
  const redis = await ownRedis()
  const [others, last] = [await startProxy(redis.port), await startProxy(redis.port)]
  const redisUrls = [others, others, last].map(({ port }) => `redis://127.0.0.1:${port}`)
  const scene = await openOn(redis, 'project', limit, { redisUrls, commandTimeoutMs: 15_000 })
  others.cut()
  last.cut()
  expect(await askInTurn(scene, limit, [0, 1])).toBeGreaterThan(limit / 2)
  last.mend()
  await expect.poll(() => scene.heard[2]?.some(({ kind }) => kind === 'resync'), within(20_000)).toBe(true)
  const isThere = () =>
    scene.stage.copies[2]?.kv.ping().then(
      () => true,
      () => false,
    )
  await expect.poll(isThere, within(20_000)).toBe(true)
  expect(await askInTurn(scene, limit, [2])).toBeLessThanOrEqual(largestShare)
}, 60_000)

test('a replica whose commands are back before its messages keeps to its share', async () => {
  const redis = await ownRedis()
  const proxy = await startProxy(redis.port)
  const redisUrls = [redis.url, redis.url, `redis://127.0.0.1:${proxy.port}`]
  const scene = await openOn(redis, 'project', limit, { redisUrls, commandTimeoutMs: 15_000 })
  expect(await askInTurn(scene, limit, [0])).toBe(limit)
  await haveHeard(scene, 39)
  proxy.cut()
  await redis.kill()
  await redis.restart()
  await expect.poll(() => scene.stage.kv.isSeeded().catch(() => null), within(30_000)).toBe(false)
  await scene.stage.push(scene.project)
  await scene.stage.sync()
  proxy.mendCommands()
  await isBack(scene)
  expect(await askInTurn(scene, limit, [2])).toBeLessThanOrEqual(largestShare)
  expect(scene.heard[2]).not.toContainEqual({ kind: 'resync' })
}, 60_000)

test('of a pause that one replica does not notice the others report at once', async () => {
  const scene = await open('project', limit, { commandTimeoutMs: 300 })
  await knowProject(scene)
  process.kill(scene.redis.pid, 'SIGSTOP')
  const askMany = async (at: readonly number[]) => {
    const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => ask(scene, at[i % at.length] ?? 0)))
    return answers.filter(({ status }) => status === 200).length
  }
  const meanwhile = await askMany([0, 1])
  wake(scene.redis)
  await isBack(scene)
  expect(meanwhile + (await askMany([2]))).toBeLessThanOrEqual(limit + largestShare)
}, 60_000)

test('what the store refuses uses nothing up of a share', async () => {
  const redis = await ownRedis()
  const stage = await openStage({ redisUrl: redis.url })
  const project = await stage.makeProject({ rpm_limit: 3, tokens_per_day: 1_000 })
  const heard = hearChanges(stage.copies[0]!.kv)
  // After this it keeps to its share, which is the whole limit.
  await redis.restart()
  await expect.poll(() => heard.some(({ kind }) => kind === 'resync'), within(20_000)).toBe(true)
  await expect.poll(() => stage.kv.isSeeded().catch(() => null), within(20_000)).toBe(false)
  await stage.push(project)
  await stage.sync()
  const tooLarge = { model: 'openai/gpt-4o-mini', messages: [{ role: 'user', content: 'x'.repeat(10_000) }] }
  for (let i = 0; i < 5; i++) expect(await stage.complete(project, { body: tooLarge })).toMatchObject({ status: 429 })
  const token = stage.tokenFor(project)
  const statuses: number[] = []
  for (let i = 0; i < 4; i++) statuses.push((await stage.call(project, 'GET', '/v1/models', { token })).status)
  expect(statuses).toEqual([200, 200, 200, 429])
})

test('a second outage goes by what the store has counted since the first', async () => {
  let aheadMs = 0
  const scene = await open('project', limit, { now: () => Date.now() + aheadMs })
  process.kill(scene.redis.pid, 'SIGSTOP')
  expect(await askInTurn(scene, 3)).toBe(3)
  wake(scene.redis)
  await isBack(scene)
  const window = await openWindow(scene, 'project')
  await expect.poll(async () => (await window()).count, within(10_000)).toBe(3)
  // The replicas keep to their shares no more; the windows of the first outage would still be open.
  aheadMs = 15_000
  expect(await askInTurn(scene, limit)).toBe(limit - 3)
  await scene.redis.kill()
  expect(await askInTurn(scene, 9)).toBe(0)
}, 60_000)

test('a second outage in a window does not forget what replicas admitted in the first', async () => {
  let aheadMs = 0
  const scene = await open('project', limit, { now: () => Date.now() + aheadMs })
  const other = { ...scene, project: await scene.stage.makeProject() }
  const othersToken = scene.stage.tokenFor(other.project)
  process.kill(scene.redis.pid, 'SIGSTOP')
  expect(await askInTurn(scene, limit + 9)).toBe(limit)
  wake(scene.redis)
  await isBack(scene)
  const window = await openWindow(scene, 'project')
  await expect.poll(async () => (await window()).count, within(10_000)).toBe(limit)
  aheadMs = 15_000
  // The store answers each replica, but for another project.
  expect(await askInTurn({ ...other, token: othersToken }, 3)).toBe(3)
  await scene.redis.kill()
  expect(await askInTurn(scene, 9)).toBe(0)
}, 60_000)

test('a second outage goes by what others used up since the first, also where nobody asked this replica since', async () => {
  let aheadMs = 0
  const scene = await open('project', limit, { now: () => Date.now() + aheadMs })
  process.kill(scene.redis.pid, 'SIGSTOP')
  expect(await askInTurn(scene, 3)).toBe(3)
  wake(scene.redis)
  await isBack(scene)
  const window = await openWindow(scene, 'project')
  await expect.poll(async () => (await window()).count, within(10_000)).toBe(3)
  aheadMs = 15_000
  expect(await askInTurn(scene, limit, [0])).toBe(limit - 3)
  await haveHeard(scene, 39)
  await scene.redis.kill()
  expect(await askInTurn(scene, limit)).toBeLessThanOrEqual(1)
}, 60_000)

test('the shares of the day add up to the tokens of the day', async () => {
  const scene = await open('project')
  const project = await scene.stage.makeProject({ tokens_per_day: 10_001 })
  await scene.redis.kill()
  const body = { model: 'openai/gpt-4o-mini', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 1 }
  const answers = await Promise.all(copies.map(copy => scene.stage.complete(project, { body, copy })))
  const shares = answers.map(({ headers }) => Number(headers['x-ratelimit-limit-tokens']))
  expect(shares.toSorted()).toEqual([3_333, 3_334, 3_334])
})
