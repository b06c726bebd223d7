// The setup of the outage tests: three replicas and their own Redis, which a test kills, empties or pauses; and
// functions that wait until it is back.
import { createClient } from 'redis'
import { expect, onTestFinished } from 'vitest'
import { nameKeys } from '../../../src/kv/redis/keys.ts'
import type { Store, StoreChange } from '../../../src/kv/store.ts'
import { startRedis } from '../../support/redis.ts'
import { suspendProcess } from '../../support/suspend-process.ts'
import { openStage, type Stage, type TestProject } from '../gateway-stage.ts'

export const copies = [0, 1, 2]
export const limit = 40
export const largestShare = Math.ceil(limit / copies.length)
const userId = 'alice'

/** One project with one user. The tested limit is the project's or the user's. */
export interface Scene {
  stage: Stage
  redis: Server
  project: TestProject
  token: string
  heard: StoreChange[][]
}

export type Limited = 'project' | 'user'

type Server = Awaited<ReturnType<typeof startRedis>>

/** Starts three replicas with one Redis. */
export async function open(
  limited: Limited,
  { most = limit, ...options }: { most?: number } & Parameters<typeof openStage>[0] = {},
): Promise<Scene> {
  return await openOn(await startOwnRedis(), limited, most, options)
}

export async function startOwnRedis(): Promise<Server> {
  const redis = await startRedis()
  onTestFinished(async () => {
    wake(redis)
    await redis.stop()
  })
  return redis
}

export async function openOn(
  redis: Server,
  limited: Limited,
  most: number,
  options: Parameters<typeof openStage>[0],
): Promise<Scene> {
  const stage = await openStage({ redisUrl: redis.url, copies: 3, ...options })
  const tiers = [{ name: 'limited', overrides: { rpm_limit: most } }]
  const project = await stage.makeProject({ rpm_limit: limited === 'project' ? most : 10_000 }, { tiers })
  const token = stage.tokenFor(project, { uid: userId, ...(limited === 'user' ? { tier: 'limited' } : {}) })
  const heard = stage.copies.map(({ kv }) => hearChanges(kv))
  await expect.poll(() => stage.copies.map(({ gateway }) => gateway.replicas.count())).toEqual([3, 3, 3])
  return { stage, redis, project, token, heard }
}

export function hearChanges(kv: Store): StoreChange[] {
  const changes: StoreChange[] = []
  kv.subscribe(change => changes.push(change))
  return changes
}

export function wake({ pid }: { pid: number }): void {
  try {
    process.kill(pid, 'SIGCONT')
  } catch (error) {
    // The process may have been killed.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

export const ask = ({ stage, project, token }: Scene, copy: number) =>
  stage.call(project, 'GET', '/v1/models', { token, copy })

/** Sends requests one after another to these replicas in turn, and returns how many were admitted. */
export async function askInTurn(scene: Scene, times: number, at: readonly number[] = copies): Promise<number> {
  let admitted = 0
  for (let i = 0; i < times; i++) {
    const { status } = await ask(scene, at[i % at.length] ?? 0)
    expect([200, 429]).toContain(status)
    if (status === 200) admitted += 1
  }
  return admitted
}

/** Sends concurrent requests, spread over these replicas, and returns how many were admitted. */
export async function askAtOnce(scene: Scene, times: number, at: readonly number[] = copies): Promise<number> {
  const answers = await Promise.all(Array.from({ length: times }, (_, i) => ask(scene, at[i % at.length] ?? 0)))
  return answers.filter(({ status }) => status === 200).length
}

/** Waits until all replicas have been notified of this count of requests in the window. */
export const haveHeard = ({ heard }: Scene, count: number) =>
  expect
    .poll(() => heard.map(changes => changes.some(change => change.kind === 'requests' && change.count === count)))
    .toEqual([true, true, true])

/** Waits until Redis replies to commands of all replicas; messages may come back later. */
export async function isBack({ stage }: Scene): Promise<void> {
  const pings = () => Promise.allSettled(stage.copies.map(({ kv }) => kv.ping()))
  const states = async () => (await pings()).map(({ status }) => status)
  await expect.poll(states).toEqual(copies.map(() => 'fulfilled'))
}

export async function restartEmpty({ stage, redis, project }: Scene): Promise<void> {
  await redis.restart()
  await expect.poll(() => stage.kv.isSeeded().catch(() => null)).toBe(false)
  await stage.push(project)
  await stage.sync()
}

const noticedEmptying = 'store was emptied, limiting requests to shares for a minute'

/** The kinds of outages: how Redis becomes unavailable, and how it comes back. */
export const outages = {
  async 'killed and back empty'(scene: Scene) {
    await scene.redis.kill()
    return async () => {
      await restartEmpty(scene)
      await isBack(scene)
    }
  },
  async flushed({ stage, redis, project }: Scene) {
    const client = await clientOf(redis.url)
    await client.flushAll()
    return async () => {
      await stage.push(project)
      await stage.sync()
      // No connection was lost, so an idle replica only gets a message that the store was filled.
      const haveNoticed = () => stage.copies.map(({ lines }) => lines.some(({ event }) => event === noticedEmptying))
      await expect.poll(haveNoticed).toEqual([true, true, true])
    }
  },
  async paused(scene: Scene) {
    await suspendProcess(scene.redis.pid)
    return async () => {
      wake(scene.redis)
      await isBack(scene)
    }
  },
}
export type OutageKind = keyof typeof outages

async function clientOf(url: string) {
  const client = createClient({ url })
  client.on('error', () => undefined)
  await client.connect()
  onTestFinished(() => client.destroy())
  return client
}

/** Reads the window in Redis: its count and its end. */
export async function openWindow(
  scene: Scene,
  limited: Limited,
): Promise<() => Promise<{ count: number; endsAt: number }>> {
  const client = await clientOf(scene.redis.url)
  const keys = nameKeys(scene.stage.keyPrefix)
  const { projectId } = scene.project
  const key = limited === 'project' ? keys.projectRequests(projectId) : keys.userRequests(projectId, userId)
  return async () => {
    const [count = 0, endsAt = 0] = ((await client.get(key)) ?? '0 0').split(' ').map(Number)
    return { count, endsAt }
  }
}

/** Lets each replica cache the project, so that an admission is the first call to the store. */
export async function knowProject({ stage, project }: Scene): Promise<void> {
  for (const copy of copies) expect((await stage.call(project, 'GET', '/v1/none', { copy })).status).toBe(404)
}
