// Tests what replicas admit if Redis and its connections come back in an unfavourable order, or if Redis fails twice in
// a window.
import { expect, test } from 'vitest'
import { startProxy } from '../../support/simulated/breakable-proxy.ts'
import { suspendProcess } from '../../support/suspend-process.ts'
import { openStage } from '../gateway-stage.ts'
import {
  askAtOnce,
  askInTurn,
  copies,
  haveHeard,
  hearChanges,
  isBack,
  knowProject,
  largestShare,
  limit,
  open,
  openOn,
  openWindow,
  restartEmpty,
  startOwnRedis,
  wake,
} from './outage-stage.ts'

/** Each replica waits once for this long if Redis is paused. */
const commandTimeoutMs = 2_000

test('a replica that is back before the others keeps to its share', async () => {
  const redis = await startOwnRedis()
  const [others, last] = [await startProxy(redis.port), await startProxy(redis.port)]
  const redisUrls = [others, others, last].map(({ port }) => `redis://127.0.0.1:${port}`)
  const scene = await openOn(redis, 'project', limit, { redisUrls })
  others.cut()
  last.cut()
  expect(await askInTurn(scene, limit, [0, 1])).toBeGreaterThan(limit / 2)
  last.mend()
  await expect.poll(() => scene.heard[2]?.some(({ kind }) => kind === 'resync')).toBe(true)
  const isThere = () =>
    scene.stage.copies[2]?.kv.ping().then(
      () => true,
      () => false,
    )
  await expect.poll(isThere).toBe(true)
  expect(await askInTurn(scene, limit, [2])).toBeLessThanOrEqual(largestShare)
})

test('a replica whose commands are back before its messages keeps to its share', async () => {
  const redis = await startOwnRedis()
  const proxy = await startProxy(redis.port)
  const redisUrls = [redis.url, redis.url, `redis://127.0.0.1:${proxy.port}`]
  const scene = await openOn(redis, 'project', limit, { redisUrls })
  expect(await askInTurn(scene, limit, [0])).toBe(limit)
  await haveHeard(scene, 39)
  proxy.cut()
  await redis.kill()
  await restartEmpty(scene)
  proxy.mendCommands()
  await isBack(scene)
  expect(await askInTurn(scene, limit, [2])).toBeLessThanOrEqual(largestShare)
  expect(scene.heard[2]).not.toContainEqual({ kind: 'resync' })
})

test('of a pause that one replica does not notice the others report at once', async () => {
  const scene = await open('project', { commandTimeoutMs })
  await knowProject(scene)
  await suspendProcess(scene.redis.pid)
  const meanwhile = await askAtOnce(scene, 60, [0, 1])
  wake(scene.redis)
  await isBack(scene)
  expect(meanwhile + (await askAtOnce(scene, 60, [2]))).toBeLessThanOrEqual(limit + largestShare)
})

test('what the store refuses uses nothing up of a share', async () => {
  const redis = await startOwnRedis()
  const stage = await openStage({ redisUrl: redis.url })
  const project = await stage.makeProject({ rpm_limit: 3, tokens_per_day: 1_000 })
  const heard = hearChanges(stage.copies[0]!.kv)
  // After this the replica is limited to its share, which is the whole limit.
  await redis.restart()
  await expect.poll(() => heard.some(({ kind }) => kind === 'resync')).toBe(true)
  await expect.poll(() => stage.kv.isSeeded().catch(() => null)).toBe(false)
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
  const scene = await open('project', { commandTimeoutMs, now: () => Date.now() + aheadMs })
  await suspendProcess(scene.redis.pid)
  expect(await askAtOnce(scene, 3)).toBe(3)
  wake(scene.redis)
  await isBack(scene)
  const window = await openWindow(scene, 'project')
  await expect.poll(async () => (await window()).count).toBe(3)
  // The replicas are no longer limited to their shares; windows of the first outage would still be open.
  aheadMs = 15_000
  expect(await askInTurn(scene, limit)).toBe(limit - 3)
  await scene.redis.kill()
  expect(await askInTurn(scene, 9)).toBe(0)
})

test('a second outage in a window does not forget what replicas admitted in the first', async () => {
  let aheadMs = 0
  const scene = await open('project', { commandTimeoutMs, now: () => Date.now() + aheadMs })
  const other = { ...scene, project: await scene.stage.makeProject() }
  const othersToken = scene.stage.tokenFor(other.project)
  expect(await askInTurn(scene, 3)).toBe(3)
  await suspendProcess(scene.redis.pid)
  const inFirst = await askAtOnce(scene, limit + 9)
  wake(scene.redis)
  await isBack(scene)
  const window = await openWindow(scene, 'project')
  await expect.poll(async () => (await window()).count).toBe(3 + inFirst)
  aheadMs = 15_000
  // Each replica gets a response of the store, but for another project.
  expect(await askInTurn({ ...other, token: othersToken }, 3)).toBe(3)
  await scene.redis.kill()
  expect(await askInTurn(scene, 9)).toBe(0)
})

test('a second outage goes by what others used up since the first, also where nobody asked this replica since', async () => {
  let aheadMs = 0
  const scene = await open('project', { commandTimeoutMs, now: () => Date.now() + aheadMs })
  await suspendProcess(scene.redis.pid)
  expect(await askAtOnce(scene, 3)).toBe(3)
  wake(scene.redis)
  await isBack(scene)
  const window = await openWindow(scene, 'project')
  await expect.poll(async () => (await window()).count).toBe(3)
  aheadMs = 15_000
  expect(await askInTurn(scene, limit, [0])).toBe(limit - 3)
  await haveHeard(scene, 39)
  await scene.redis.kill()
  expect(await askInTurn(scene, limit)).toBeLessThanOrEqual(1)
})

test('the shares of the day add up to the tokens of the day', async () => {
  const scene = await open('project')
  const project = await scene.stage.makeProject({ tokens_per_day: 10_001 })
  await scene.redis.kill()
  const body = { model: 'openai/gpt-4o-mini', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 1 }
  const answers = await Promise.all(copies.map(copy => scene.stage.complete(project, { body, copy })))
  const shares = answers.map(({ headers }) => Number(headers['x-ratelimit-limit-tokens']))
  expect(shares.toSorted()).toEqual([3_333, 3_334, 3_334])
})
