// Tests the request limits with three replicas during an outage of Redis: exactly the limit while it is unreachable, at
// most one additional share in a window that spans the outage, and no charge for rejected requests.
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, inject, test } from 'vitest'
import { startProxy } from '../../support/simulated/breakable-proxy.ts'
import { suspendProcess } from '../../support/suspend-process.ts'
import {
  ask,
  askAtOnce,
  askInTurn,
  copies,
  haveHeard,
  isBack,
  knowProject,
  type Limited,
  largestShare,
  limit,
  type OutageKind,
  open,
  openOn,
  openWindow,
  outages,
  type Scene,
  startOwnRedis,
  wake,
} from './outage-stage.ts'

const prove = inject('prove')
const limits = ['project', 'user'] as const

/** A full run tests every kind of outage with both limits. */
function kindsFor(limited: Limited): OutageKind[] {
  if (prove) return ['killed and back empty', 'flushed', 'paused']
  return limited === 'project' ? ['killed and back empty'] : ['flushed']
}

/** Short if Redis is paused, because each replica waits for it once; otherwise long enough for a busy machine. */
const timeoutFor = (outage: OutageKind) => ({ commandTimeoutMs: outage === 'paused' ? 2_000 : 15_000 })

describe.each(limits)('the limit of a %s', limited => {
  test.each(prove ? [1, 2, 40, 41] : [41])('%i is what three replicas admit without Redis, together', async most => {
    const scene = await open(limited, { most })
    await scene.redis.kill()
    expect(await askInTurn(scene, 3 * most + 6)).toBe(most)
    const told = await Promise.all(copies.map(async copy => (await ask(scene, copy)).headers))
    const sum = told.reduce((total, headers) => total + Number(headers['x-ratelimit-limit-requests']), 0)
    expect(sum).toBe(most)
  })

  test.each(kindsFor(limited))(
    'a window goes through an outage (Redis %s), whose requests come evenly',
    async outage => {
      const scene = await open(limited, timeoutFor(outage))
      const before = await askInTurn(scene, 20)
      expect(before).toBe(20)
      const comeBack = await outages[outage](scene)
      const meanwhile = await askInTurn(scene, 15)
      await comeBack()
      const after = await askInTurn(scene, 60)
      expect(before + meanwhile + after).toBeLessThanOrEqual(limit + largestShare)
      expect(before + meanwhile + after).toBeGreaterThanOrEqual(limit - largestShare)
    },
  )

  test.each(kindsFor(limited))(
    'a window goes through an outage (Redis %s), used up at one replica before',
    async outage => {
      const scene = await open(limited, timeoutFor(outage))
      expect(await askInTurn(scene, limit + 5, [0])).toBe(limit)
      await haveHeard(scene, 39)
      const comeBack = await outages[outage](scene)
      const meanwhile = await askInTurn(scene, 30, [1, 2])
      await comeBack()
      const after = await askInTurn(scene, 60)
      expect(meanwhile + after).toBeLessThanOrEqual(largestShare)
    },
  )

  test.each(kindsFor(limited))(
    'a window goes through an outage (Redis %s), of which one replica hears last',
    async outage => {
      const scene = await open(limited, timeoutFor(outage))
      const comeBack = await outages[outage](scene)
      const meanwhile = await askInTurn(scene, 60, [0, 1])
      await comeBack()
      const after = await askInTurn(scene, 60, [2])
      expect(meanwhile).toBeLessThan(limit)
      expect(meanwhile + after).toBeLessThanOrEqual(limit + largestShare)
    },
  )

  if (!prove && limited === 'user') return

  test('what a paused Redis reads too late charges nothing', async () => {
    await readTooLate(await open(limited, timeoutFor('paused')), limited, 2_000)
  })

  test('of a Redis that came back empty a refused request opens no window', async () => {
    const scene = await open(limited)
    const window = await openWindow(scene, limited)
    const comeBack = await outages['killed and back empty'](scene)
    expect(await askInTurn(scene, 45)).toBe(limit)
    await sleep(1_000)
    const backAt = Date.now()
    await comeBack()
    await expect.poll(async () => (await window()).count).toBe(limit)
    expect(await askInTurn(scene, 30)).toBe(0)
    expect(await window()).toMatchObject({ count: limit })
    // The window ends as it would have without the outage: rejected requests opened no window after it.
    expect((await window()).endsAt).toBeLessThan(backAt + 60_000)
  })

  test('what a replica admits that is cut off alone counts for the others once it is back', async () => {
    const redis = await startOwnRedis()
    const proxy = await startProxy(redis.port)
    const proxied = `redis://127.0.0.1:${proxy.port}`
    const redisUrls = [proxied, redis.url, redis.url]
    const scene = await openOn(redis, limited, limit, { redisUrls })
    const window = await openWindow(scene, limited)
    expect(await askInTurn(scene, 3)).toBe(3)
    proxy.cut()
    const alone = await askInTurn(scene, 20, [0])
    expect(alone).toBeGreaterThan(0)
    expect(alone).toBeLessThanOrEqual(largestShare)
    proxy.mend()
    await expect.poll(async () => (await window()).count).toBe(3 + alone)
    expect(await askInTurn(scene, 60, [1, 2])).toBe(limit - 3 - alone)
  })
})

/** Sends more requests than the limit while Redis is paused. The pause lasts `pauseMs` longer than the responses. */
async function readTooLate(scene: Scene, limited: Limited, pauseMs: number): Promise<void> {
  const window = await openWindow(scene, limited)
  await knowProject(scene)
  await suspendProcess(scene.redis.pid)
  expect(await askAtOnce(scene, 60)).toBe(limit)
  await sleep(pauseMs)
  const wokenAt = Date.now()
  wake(scene.redis)
  await isBack(scene)
  await expect.poll(async () => (await window()).count).toBe(limit)
  expect(await askInTurn(scene, 9)).toBe(0)
  // Requests admitted meanwhile count, rejected ones do not, and the window ends as it would have without the outage.
  const { count, endsAt } = await window()
  expect(count).toBe(limit)
  expect(endsAt).toBeLessThan(wokenAt + 60_000)
}

// The pause is longer than the silence after which a connection is replaced.
if (prove) {
  test('what a paused Redis reads too late charges nothing, also where its connections were made anew', async () => {
    const scene = await open('project', timeoutFor('paused'))
    await readTooLate(scene, 'project', 8_000)
    const haveResynced = () => scene.heard.map(changes => changes.some(({ kind }) => kind === 'resync'))
    // The connection for messages may reconnect later than the one for commands.
    await expect.poll(haveResynced).toEqual([true, true, true])
  })
}
