// The part of the contract of the key-value store about the limits of requests and tokens.
import { expect, test } from 'vitest'
import type { Store } from '../../src/kv/store.ts'
import { type Clock, noon } from './contract-stage.ts'
import { demandOf, requestOf, seed } from './stores.ts'

export function describeRequestLimits(fresh: () => Store, clock: Clock): void {
  test('opens a window with the first admitted request and admits exactly the limit in it', async () => {
    const store = fresh()
    await seed(store, ['project'])
    const request = () => store.admit(requestOf({ projectRequests: 2 }))
    expect(await request()).toMatchObject({ admitted: true, requests: { limit: 2, remaining: 1, resetSeconds: 60 } })
    clock.advance(30_500)
    expect(await request()).toMatchObject({ admitted: true, requests: { limit: 2, remaining: 0, resetSeconds: 30 } })
    expect(await request()).toEqual({
      admitted: false,
      reason: 'project_requests',
      retryAfterSeconds: 30,
      requests: { limit: 2, remaining: 0, resetSeconds: 30 },
      tokens: { limit: 1000, remaining: 1000, resetSeconds: 43_170 },
      counts: { now: noon + 30_500, project: { count: 2, endsAt: noon + 60_000 }, user: { count: 0, endsAt: 0 } },
    })
    clock.advance(29_499)
    expect(await request()).toMatchObject({ admitted: false, retryAfterSeconds: 1 })
    clock.advance(1)
    expect(await request()).toMatchObject({ admitted: true, requests: { remaining: 1, resetSeconds: 60 } })
  })

  test('admits exactly the limit under concurrency', async () => {
    const store = fresh()
    await seed(store, ['project'])
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => store.admit(requestOf({ projectRequests: 37 }))),
    )
    expect(answers.filter(answer => answer.admitted)).toHaveLength(37)
  })

  test('a user over the own limit uses up nothing of the project', async () => {
    const store = fresh()
    await seed(store, ['project'])
    const ask = (userId: string) => store.admit(requestOf({ userId, projectRequests: 3, userRequests: 1 }))
    expect(await ask('greedy')).toMatchObject({ admitted: true, requests: { limit: 1, remaining: 0 } })
    for (let i = 0; i < 5; i += 1) {
      expect(await ask('greedy')).toMatchObject({ reason: 'user_requests', requests: { limit: 1, remaining: 0 } })
    }
    expect(await ask('second')).toMatchObject({ admitted: true })
    expect(await ask('third')).toMatchObject({ admitted: true })
    expect(await ask('fourth')).toMatchObject({ reason: 'project_requests' })
  })

  test('a refusal over tokens counts no request', async () => {
    const store = fresh()
    await seed(store, ['project'])
    const tooMuch = requestOf({ projectRequests: 1, tokens: demandOf({ prompt: 2000 }) })
    expect(await store.admit(tooMuch)).toMatchObject({
      reason: 'tokens_spent',
      requests: { remaining: 1, resetSeconds: 60 },
      tokens: { limit: 1000, remaining: 1000 },
    })
    expect(await store.admit(requestOf({ projectRequests: 1 }))).toMatchObject({ admitted: true })
  })

  test('adds requests from elsewhere to its windows, once a report, and keeps the earlier end', async () => {
    const store = fresh()
    await seed(store, ['project', 'sibling'])
    const window = { projectId: 'project', userId: null, count: 3, endsInMs: 20_000 }
    const counts = async (projectId: string) =>
      (await store.admit(requestOf({ projectId, projectRequests: 0, userRequests: 9 }))).counts
    await store.admit(requestOf({ projectRequests: 9, userRequests: 9 }))
    for (let sent = 0; sent < 3; sent++)
      await store.addRequests('one', [window, { ...window, userId: 'user', count: 2 }])
    expect(await counts('project')).toEqual({
      now: noon,
      project: { count: 4, endsAt: noon + 20_000 },
      user: { count: 3, endsAt: noon + 20_000 },
    })
    await store.addRequests('two', [{ ...window, endsInMs: 50_000 }])
    expect(await counts('project')).toMatchObject({ project: { count: 7, endsAt: noon + 20_000 } })
    await store.addRequests('three', [{ ...window, projectId: 'sibling' }])
    await store.addRequests('four', [])
    expect(await counts('sibling')).toMatchObject({ project: { count: 3, endsAt: noon + 20_000 } })
    clock.advance(20_000)
    expect(await store.admit(requestOf({ projectRequests: 1 }))).toMatchObject({ admitted: true })
  })

  test('counters of one project are none of another, nor users of the same name', async () => {
    const store = fresh()
    await seed(store, ['project', 'sibling'])
    const ask = (projectId: string) => store.admit(requestOf({ projectId, projectRequests: 1, userRequests: 1 }))
    expect(await ask('project')).toMatchObject({ admitted: true })
    expect(await ask('sibling')).toMatchObject({ admitted: true })
  })
}

export function describeTokens(fresh: () => Store, clock: Clock): void {
  test('reserves the prompt and what of the answer fits, and settles on what it was', async () => {
    const store = fresh()
    await seed(store, ['project'])
    const first = requestOf({ tokens: demandOf({ prompt: 300, completion: 500 }) })
    expect(await store.admit(first)).toMatchObject({
      reserved: 800,
      tokens: { limit: 1000, remaining: 200, resetSeconds: 43_200 },
    })
    const second = requestOf({ tokens: demandOf({ prompt: 150, completion: 500 }) })
    expect(await store.admit(second)).toMatchObject({ reserved: 200, tokens: { remaining: 0 } })
    expect(await store.settle('project', first.requestId, 400)).toBe('settled')
    expect(await store.settle('project', second.requestId, 0)).toBe('settled')
    expect(await store.findSpend('project', '2026-05-01')).toBe(400)
    expect(await store.admit(requestOf({ tokens: demandOf() }))).toMatchObject({ tokens: { remaining: 570 } })
  })

  test('says whether a day is spent or only held', async () => {
    const store = fresh()
    await seed(store, ['project'])
    const holder = requestOf({ tokens: demandOf({ prompt: 100, completion: 900 }) })
    await store.admit(holder)
    const held = await store.admit(requestOf({ tokens: demandOf({ prompt: 1 }) }))
    expect(held).toMatchObject({ reason: 'tokens_reserved', tokens: { remaining: 0 } })
    if (!held.admitted) expect([1, 2, 3, 4, 5]).toContain(held.retryAfterSeconds)
    expect(await store.admit(requestOf({ tokens: demandOf({ prompt: 0 }) }))).toMatchObject({
      reason: 'tokens_reserved',
    })
    await store.settle('project', holder.requestId, 950)
    expect(await store.admit(requestOf({ tokens: demandOf({ prompt: 51 }) }))).toMatchObject({
      reason: 'tokens_spent',
      retryAfterSeconds: 43_200,
      tokens: { remaining: 50 },
    })
    expect(await store.admit(requestOf({ tokens: demandOf({ prompt: 50 }) }))).toMatchObject({ reserved: 50 })
  })

  test('charges an overrun, and a used-up day lets GET routes pass', async () => {
    const store = fresh()
    await seed(store, ['project'])
    const request = requestOf({ tokens: demandOf() })
    await store.admit(request)
    await store.settle('project', request.requestId, 5000)
    expect(await store.findSpend('project', '2026-05-01')).toBe(5000)
    expect(await store.admit(requestOf({ tokens: demandOf() }))).toMatchObject({
      reason: 'tokens_spent',
      tokens: { remaining: 0 },
    })
    expect(await store.admit(requestOf())).toMatchObject({ admitted: true, tokens: { remaining: 0 }, reserved: 0 })
  })

  test('shows the day to who costs no tokens, and changes nothing of it', async () => {
    const store = fresh()
    await seed(store, ['project'])
    const look = (userTokens: number | null = null) => store.admit(requestOf({ projectRequests: 4, userTokens }))
    expect(await look()).toMatchObject({ tokens: { limit: 1000, remaining: 1000, resetSeconds: 43_200 }, reserved: 0 })
    const request = requestOf({ tokens: demandOf({ prompt: 300, completion: 400 }) })
    await store.admit(request)
    expect(await look()).toMatchObject({ tokens: { limit: 1000, remaining: 300 } })
    expect(await look(710)).toMatchObject({ tokens: { limit: 710, remaining: 10 } })
    expect(await look()).toMatchObject({ reason: 'project_requests', tokens: { limit: 1000, remaining: 300 } })
    await store.settle('project', request.requestId, 250)
    expect(await store.findSpend('project', '2026-05-01')).toBe(250)
    clock.advance(15 * 60_000)
    expect(await store.sweepReservations(['project'])).toBe(0)
    expect(await look(0)).toMatchObject({ admitted: true, tokens: { limit: 0, remaining: 0 } })
    expect(await look()).toMatchObject({ admitted: true, tokens: { limit: 1000, remaining: 750 } })
  })

  test('bounds a user by the own day, the project by its own', async () => {
    const store = fresh()
    await seed(store, ['project'])
    const ask = (userId: string, prompt: number) =>
      store.admit(requestOf({ userId, userTokens: 100, tokens: demandOf({ prompt, completion: 0 }) }))
    expect(await ask('one', 80)).toMatchObject({ reserved: 80, tokens: { limit: 100, remaining: 20 } })
    expect(await ask('one', 30)).toMatchObject({ reason: 'tokens_reserved', tokens: { limit: 100, remaining: 20 } })
    expect(await ask('one', 101)).toMatchObject({ reason: 'tokens_spent' })
    expect(await ask('two', 100)).toMatchObject({ reserved: 100 })
  })

  test('a day ends at 00:00 UTC, and what is settled later belongs to the day it was reserved in', async () => {
    const store = fresh()
    await seed(store, ['project'])
    clock.set(Date.UTC(2026, 4, 1, 23, 59, 59, 500))
    const late = requestOf({ tokens: demandOf({ prompt: 1000, completion: 0 }) })
    expect(await store.admit(late)).toMatchObject({ reserved: 1000, tokens: { resetSeconds: 1 } })
    clock.advance(500)
    const early = requestOf({ tokens: demandOf({ prompt: 600, completion: 0 }) })
    expect(await store.admit(early)).toMatchObject({ reserved: 600, tokens: { remaining: 400, resetSeconds: 86_400 } })
    await store.settle('project', late.requestId, 1000)
    expect(await store.findSpend('project', '2026-05-01')).toBe(1000)
    expect(await store.findSpend('project', '2026-05-02')).toBe(0)
    expect(await store.admit(requestOf({ tokens: demandOf() }))).toMatchObject({ tokens: { remaining: 370 } })
  })

  test('raises the spent tokens to what the database knows and never lowers them', async () => {
    const store = fresh()
    await seed(store, ['project'])
    const restore = (tokens: number, users: Record<string, number>) =>
      store.restoreSpend([{ projectId: 'project', day: '2026-05-01', tokens, users }])
    await restore(700, { user: 90, other: 610 })
    await restore(200, { user: 20 })
    expect(await store.findSpend('project', '2026-05-01')).toBe(700)
    const tokens = demandOf({ prompt: 5, completion: 99 })
    expect(await store.admit(requestOf({ userTokens: 100, tokens }))).toMatchObject({ reserved: 10 })
    await expect(restore(-1, {})).rejects.toThrow(RangeError)
    await expect(store.findSpend('project', 'yesterday')).rejects.toThrow(RangeError)
  })
}
