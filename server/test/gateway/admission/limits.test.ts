// Tests that exactly the limit is admitted and every reservation is settled once, with many concurrent requests through
// the listeners of one replica, and of three on one Redis.
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, inject, test } from 'vitest'
import type { AdmittedCall } from '../../../src/call/admitted-call.ts'
import { replyJson } from '../../../src/http/reply.ts'
import { completion, openStage } from '../gateway-stage.ts'

const prove = inject('prove')
const atOnce = prove ? 10_000 : 1_500
const limits = prove ? [1, 60, 10_000] : [1, 60, 1_200]
const today = () => new Date().toISOString().slice(0, 10)

const worlds = [
  ['one copy, store in the process', null, 1],
  ['one copy on Redis', inject('redisUrl'), 1],
  ['three copies on Redis', inject('redisUrl'), 3],
] as const

/** These tests count within one day. */
beforeEach(async () => {
  const left = 86_400_000 - (Date.now() % 86_400_000)
  if (left < 60_000) await sleep(left + 100)
})

describe.each(worlds)('%s', (_name, redisUrl, copies) => {
  test.each(limits)(`of ${atOnce} requests at once exactly the limit is admitted: %i`, async limit => {
    const stage = await openStage({ redisUrl, copies })
    const project = await stage.makeProject({ rpm_limit: limit })
    const token = stage.tokenFor(project)
    const startedAt = Date.now()
    const answers = await Promise.all(
      Array.from({ length: atOnce }, (_, i) => stage.call(project, 'GET', '/v1/models', { token, copy: i % copies })),
    )
    // All requests must fall into one window.
    expect(Date.now() - startedAt).toBeLessThan(60_000)
    const admitted = answers.filter(({ status }) => status === 200)
    const refused = answers.filter(({ status }) => status === 429)
    expect(admitted).toHaveLength(Math.min(limit, atOnce))
    expect(admitted.length + refused.length).toBe(atOnce)
    for (const { headers } of refused) {
      expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1)
      expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60)
    }
    const remaining = admitted.map(({ headers }) => Number(headers['x-ratelimit-remaining-requests']))
    expect(new Set(remaining).size).toBe(admitted.length)
  })

  test('each end user has exactly the limit for users, unless the tier has one of its own', async () => {
    const stage = await openStage({ redisUrl, copies })
    const tiers = [
      { name: 'own', overrides: { rpm_limit: 9, tokens_per_day: 5_000 } },
      { name: 'higher', overrides: { user_rpm_limit: 7 } },
      { name: 'unbounded', overrides: { user_rpm_limit: null } },
    ]
    const project = await stage.makeProject({ rpm_limit: 60, user_rpm_limit: 5, user_tokens_per_day: 2_000 }, { tiers })
    const admittedOf = async (uid: string, tier?: string) => {
      const token = stage.tokenFor(project, { uid, ...(tier === undefined ? {} : { tier }) })
      const ask = (i: number) => stage.call(project, 'GET', '/v1/models', { token, copy: i % copies })
      const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => ask(i)))
      return answers.filter(({ status }) => status === 200).length
    }
    const users = [['a'], ['b'], ['c', 'own'], ['d', 'higher'], ['e', 'unknown'], ['f', 'unbounded']] as const
    expect(await Promise.all(users.map(([uid, tier]) => admittedOf(uid, tier)))).toEqual([5, 5, 9, 7, 5, 20])
    // A user's requests do not use up the limits of other users.
    const limitOf = async (uid: string, tier?: string) => {
      const token = stage.tokenFor(project, { uid, ...(tier === undefined ? {} : { tier }) })
      return (await stage.complete(project, { token })).headers['x-ratelimit-limit-tokens']
    }
    expect(await limitOf('g')).toBe('2000')
    expect(await limitOf('h', 'own')).toBe('5000')
  })

  test('of the users of a tier each has exactly the own limit', async () => {
    const stage = await openStage({ redisUrl, copies })
    const tiers = [{ name: 'low', overrides: { rpm_limit: 7 } }]
    const project = await stage.makeProject({ rpm_limit: 100 }, { tiers })
    const users = ['a', 'b', 'c']
    const admitted = await Promise.all(
      users.map(async uid => {
        const token = stage.tokenFor(project, { uid, tier: 'low' })
        const ask = (i: number) => stage.call(project, 'GET', '/v1/models', { token, copy: i % copies })
        const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => ask(i)))
        return answers.filter(({ status }) => status === 200).length
      }),
    )
    expect(admitted).toEqual([7, 7, 7])
  })

  test('every admitted request is settled once, and nothing stays reserved', async () => {
    const count = prove ? 1_000 : 300
    let spent = 0
    let admitted = 0
    let isOver = false
    /** Random costs. Some calls succeed, some fail before or after settling, some settle twice, some hang up. */
    const answer = async (call: AdmittedCall): Promise<void> => {
      admitted += 1
      const tokens = Math.floor(Math.random() * 40)
      const kind = isOver ? 1 : Math.random()
      await sleep(Math.random() * 20)
      call.checkpoint(() => 5)
      if (kind < 0.1) throw new Error('the upstream failed')
      call.settle(tokens)
      spent += tokens
      if (kind < 0.2) call.settle(1_000_000)
      if (kind < 0.3) throw new Error('the upstream failed late')
      if (kind < 0.5) call.response.destroy()
      else replyJson(call.response, 200, {})
    }
    const stage = await openStage({ redisUrl, copies, answer })
    const perDay = 40_000
    const project = await stage.makeProject({ rpm_limit: 10_000, tokens_per_day: perDay })
    const token = stage.tokenFor(project)
    const body = { ...completion, max_tokens: 40 }
    const outcomes = await Promise.allSettled(
      Array.from({ length: count }, (_, i) => stage.complete(project, { token, body, copy: i % copies })),
    )
    expect(outcomes).toHaveLength(count)
    const calls = stage.copies.flatMap(copy => copy.calls)
    expect(calls).toHaveLength(admitted)
    // Exactly the spent tokens are missing from the day: no reservation is left.
    const left = async (): Promise<number> => {
      const { headers } = await stage.complete(project, { token, body: { ...body, max_tokens: 1 } })
      return Number(headers['x-ratelimit-remaining-tokens']) + 6 + 1
    }
    await expect.poll(() => stage.kv.findSpend(project.projectId, today())).toBe(spent)
    const counters = stage.copies.map(copy => copy.gateway.counters.settlements)
    const settled = () => counters.reduce((sum, each) => sum + each.settled, 0)
    await expect.poll(settled).toBe(admitted)
    expect(counters.reduce((sum, { unknown }) => sum + unknown, 0)).toBe(0)
    const before = spent
    isOver = true
    const leftNow = await left()
    expect(leftNow).toBe(perDay - before)
  })
})
