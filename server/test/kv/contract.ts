// The executable part of server/src/kv/store.ts: the contract of all stores, run for each implementation.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Store, StoreChange } from '../../src/kv/store.ts'
import { describeBudgets } from './budget-contract.ts'
import { createHandClock, demandOf, type OpenStore, requestOf, seed } from './stores.ts'

const noon = Date.UTC(2026, 4, 1, 12)
const dayMs = 86_400_000

export function describeStore(name: string, open: OpenStore): void {
  describe(`the store ${name}`, () => {
    const clock = createHandClock(noon)
    let store: Store
    beforeEach(async () => {
      clock.set(noon)
      store = await open({ clock })
      return () => store.close()
    })
    const fresh = (): Store => store

    describeProjection(fresh)
    describeBars(fresh)
    describeRequestLimits(fresh, clock)
    describeTokens(fresh, clock)
    describeReservations(fresh, clock)
    describeBudgets(fresh, clock)
    describeWindows(fresh, clock)
    describeConversations(fresh, clock)
    describeDiagnostics(fresh, clock)
    describeActivity(fresh, clock)
    describeEvents(fresh, clock)
    describeCopies(fresh, clock)
  })

  describe(`the event stream at its end, ${name}`, () => {
    const clock = createHandClock(noon)
    let store: Store
    beforeAll(async () => {
      store = await open({ clock, streamLength: 100 })
    })
    afterAll(() => store.close())

    test('counts every event: emitted = acknowledged + unacknowledged + dropped', async () => {
      const emitted = 700
      for (let i = 0; i < 300; i += 1) await store.emitEvent('tenant', { n: String(i) }, 10_000)
      const first = await store.claimEvents('one', 50, 60_000)
      await store.acknowledgeEvents(first.slice(0, 30).map(event => event.id))
      for (let i = 300; i < emitted; i += 1) await store.emitEvent('tenant', { n: String(i) }, 10_000)
      let acknowledged = 30
      for (;;) {
        const taken = await store.claimEvents('two', 64, 0)
        if (taken.length === 0) break
        acknowledged += taken.length
        await store.acknowledgeEvents(taken.map(event => event.id))
      }
      const drops = await store.countDrops()
      expect(Object.keys(drops)).toEqual([''])
      expect(drops['']).toBeGreaterThan(300)
      expect(acknowledged + (drops[''] ?? 0)).toBe(emitted)
    })
  })
}

function describeProjection(fresh: () => Store): void {
  test('answers a ping', async () => {
    await fresh().ping()
  })

  test('finds slugs, and nothing under others', async () => {
    const store = fresh()
    await store.putSlugs([
      { slug: 'amber-falcon-1', projectId: 'p1', tenantId: 't1' },
      { slug: 'amber-falcon-2', projectId: 'p2', tenantId: 't2' },
    ])
    await store.putSlugs([])
    expect(await store.findSlug('amber-falcon-2')).toEqual({ projectId: 'p2', tenantId: 't2' })
    expect(await store.findSlug('amber-falcon-3')).toBeNull()
  })

  test('forgets a deleted project and a deleted tenant, tells of it, and leaves the others', async () => {
    const store = fresh()
    await seed(store, ['p1', 'p2'])
    await store.putSlugs(['p1', 'p2'].map(projectId => ({ slug: `slug-${projectId}`, projectId, tenantId: 't1' })))
    for (const id of ['p1', 'p2']) {
      await store.putKeySet(id, { revision: 1, body: 'keys' })
      await store.putRestrictions(id, { revision: 1, body: '{}' })
    }
    for (const id of ['t1', 't2']) await store.putProviderKeys(id, { revision: 1, body: '{}' })
    const day = new Date(noon).toISOString().slice(0, 10)
    await store.restoreSpend(['p1', 'p2'].map(projectId => ({ projectId, day, tokens: 7, users: { u: 7 } })))
    const changes: StoreChange[] = []
    const unsubscribe = store.subscribe(change => changes.push(change))
    for (let time = 0; time < 2; time += 1) {
      await store.forgetProject({ projectId: 'p1', slug: 'slug-p1' })
      await store.forgetTenant('t1')
    }
    await expect
      .poll(() => changes)
      .toEqual(
        expect.arrayContaining([
          { kind: 'config', projectId: 'p1', revision: Number.MAX_SAFE_INTEGER },
          { kind: 'provider-keys', tenantId: 't1', revision: Number.MAX_SAFE_INTEGER },
        ]),
      )
    unsubscribe()
    expect([await store.findSlug('slug-p1'), await store.findSlug('slug-p2')]).toEqual([null, expect.anything()])
    expect([await store.findConfig('p1'), await store.findConfig('p2')]).toEqual([null, expect.anything()])
    expect([await store.findKeySet('p1'), await store.findKeySet('p2')]).toEqual([null, expect.anything()])
    expect([await store.findRestrictions('p1'), await store.findRestrictions('p2')]).toEqual([null, expect.anything()])
    expect([await store.findProviderKeys('t1'), await store.findProviderKeys('t2')]).toEqual([null, expect.anything()])
    expect([await store.findSpend('p1', day), await store.findSpend('p2', day)]).toEqual([0, 7])
    // After a deletion, a document may start at any revision.
    expect(await store.putConfig('p1', { revision: 1, status: 'active', body: '{}' })).toBe('stored')
  })

  test('keeps the newer config, rewrites the equal one in silence, tells of each change', async () => {
    const store = fresh()
    const changes: StoreChange[] = []
    const unsubscribe = store.subscribe(change => changes.push(change))
    const put = (revision: number, body: string) => store.putConfig('p', { revision, status: 'active', body })
    expect(await store.findConfig('p')).toBeNull()
    expect(await put(2, 'two')).toBe('stored')
    expect(await put(1, 'one')).toBe('older')
    expect(await put(2, 'healed')).toBe('unchanged')
    expect(await store.findConfig('p')).toEqual({ revision: 2, status: 'active', body: 'healed' })
    expect(await store.putConfig('p', { revision: 10, status: 'suspended', body: 'ü€😀\n"' })).toBe('stored')
    expect(await store.findConfig('p')).toEqual({ revision: 10, status: 'suspended', body: 'ü€😀\n"' })
    await expect.poll(() => changes.length).toBe(2)
    unsubscribe()
    await put(11, 'unheard')
    await sleep(50)
    expect(changes).toEqual([
      { kind: 'config', projectId: 'p', revision: 2 },
      { kind: 'config', projectId: 'p', revision: 10 },
    ])
  })

  test('calls listeners after the write, not inside it, and survives one that throws', async () => {
    const store = fresh()
    let called = false
    store.subscribe(() => {
      throw new Error('a listener fails')
    })
    store.subscribe(() => {
      called = true
    })
    const writing = store.putKeySet('p', { revision: 1, body: 'keys' })
    expect(called).toBe(false)
    await writing
    await expect.poll(() => called).toBe(true)
  })

  test('puts many configs, with outcomes in their order', async () => {
    const store = fresh()
    await store.putConfig('p7', { revision: 5, status: 'active', body: '' })
    const entries = Array.from({ length: 450 }, (_, i) => {
      return { projectId: `p${i}`, revision: 3, status: 'active' as const, body: String(i) }
    })
    const outcomes = await store.putConfigs(entries)
    expect(outcomes).toEqual(entries.map(({ projectId }) => (projectId === 'p7' ? 'older' : 'stored')))
    expect((await store.findConfig('p449'))?.body).toBe('449')
  })

  test('keeps provider keys and key sets by revision, an emptied set too', async () => {
    const store = fresh()
    expect(await store.findProviderKeys('t')).toBeNull()
    expect(await store.putProviderKeys('t', { revision: 2, body: 'sealed' })).toBe('stored')
    expect(await store.putProviderKeys('t', { revision: 1, body: 'old' })).toBe('older')
    expect(await store.findProviderKeys('t')).toEqual({ revision: 2, body: 'sealed' })
    expect(await store.putKeySet('p', { revision: 4, body: '' })).toBe('stored')
    expect(await store.putKeySet('p', { revision: 3, body: 'old' })).toBe('older')
    expect(await store.findKeySet('p')).toEqual({ revision: 4, body: '' })
  })

  test('keeps restrictions by revision, and tells of each change', async () => {
    const store = fresh()
    const changes: StoreChange[] = []
    store.subscribe(change => changes.push(change))
    expect(await store.findRestrictions('p')).toBeNull()
    expect(await store.putRestrictions('p', { revision: 2, body: 'two' })).toBe('stored')
    expect(await store.putRestrictions('p', { revision: 1, body: 'one' })).toBe('older')
    expect(await store.putRestrictions('p', { revision: 2, body: 'healed' })).toBe('unchanged')
    expect(await store.findRestrictions('p')).toEqual({ revision: 2, body: 'healed' })
    expect(await store.findRestrictions('q')).toBeNull()
    await expect.poll(() => changes).toEqual([{ kind: 'restrictions', projectId: 'p', revision: 2 }])
  })

  test('keeps the whole list of kill switches by revision', async () => {
    const store = fresh()
    expect(await store.findKillSwitches()).toBeNull()
    const on = { global: true, tenants: ['t1', 't2'], projects: ['p1'] }
    expect(await store.putKillSwitches(on, 5)).toBe('stored')
    expect(await store.putKillSwitches({ global: false, tenants: [], projects: [] }, 4)).toBe('older')
    expect(await store.findKillSwitches()).toEqual({ ...on, revision: 5 })
    expect(await store.putKillSwitches({ global: false, tenants: ['t2'], projects: [] }, 6)).toBe('stored')
    expect(await store.findKillSwitches()).toEqual({ global: false, tenants: ['t2'], projects: [], revision: 6 })
  })

  test('is seeded once marked', async () => {
    const store = fresh()
    expect(await store.isSeeded()).toBe(false)
    await store.markSeeded(await store.startFilling())
    expect(await store.isSeeded()).toBe(true)
  })
}

function describeBars(fresh: () => Store): void {
  const reasonOf = async (overrides: Parameters<typeof requestOf>[0] = {}): Promise<string> => {
    const answer = await fresh().admit(requestOf(overrides))
    return answer.admitted ? 'admitted' : answer.reason
  }

  test('admits nothing while anything is missing', async () => {
    const store = fresh()
    expect(await store.admit(requestOf())).toEqual({
      admitted: false,
      reason: 'unseeded',
      retryAfterSeconds: 0,
      requests: null,
      tokens: null,
      counts: null,
    })
    await store.markSeeded(await store.startFilling())
    expect(await reasonOf()).toBe('unseeded')
    await store.putConfig('project', { revision: 1, status: 'active', body: '' })
    expect(await reasonOf()).toBe('unseeded')
    await store.putKillSwitches({ global: false, tenants: [], projects: [] }, 1)
    expect(await reasonOf()).toBe('admitted')
    expect(await reasonOf({ projectId: 'another' })).toBe('unseeded')
  })

  test('admits nothing before all of it is said to be there', async () => {
    const store = fresh()
    await store.putConfig('project', { revision: 1, status: 'active', body: '' })
    await store.putKillSwitches({ global: false, tenants: [], projects: [] }, 1)
    expect(await reasonOf()).toBe('unseeded')
    await store.markSeeded(await store.startFilling())
    expect(await reasonOf()).toBe('admitted')
  })

  test('refuses in the order stale config, stale restrictions, killed, suspended, requests', async () => {
    const store = fresh()
    await seed(store, ['project'])
    await store.putConfig('project', { revision: 2, status: 'suspended', body: '' })
    await store.putKillSwitches({ global: false, tenants: ['tenant'], projects: [] }, 2)
    const none = { projectRequests: 0 }
    expect(await reasonOf({ ...none, configRevision: 1 })).toBe('stale_config')
    await store.putRestrictions('project', { revision: 5, body: '' })
    expect(await reasonOf({ ...none, configRevision: 2, restrictionsRevision: 4 })).toBe('stale_restrictions')
    const current = { ...none, restrictionsRevision: 5 }
    expect(await reasonOf({ ...current, configRevision: 2 })).toBe('killed')
    expect(await reasonOf({ ...current, configRevision: 3, tenantId: 'other' })).toBe('suspended')
    await store.putConfig('project', { revision: 3, status: 'active', body: '' })
    expect(await reasonOf({ ...current, configRevision: 3, tenantId: 'other' })).toBe('project_requests')
  })

  test('a kill switch holds for its scope alone, at once', async () => {
    const store = fresh()
    await seed(store, ['project', 'sibling'])
    await store.putKillSwitches({ global: false, tenants: [], projects: ['project'] }, 2)
    expect(await reasonOf()).toBe('killed')
    expect(await reasonOf({ projectId: 'sibling' })).toBe('admitted')
    await store.putKillSwitches({ global: true, tenants: [], projects: [] }, 3)
    expect(await reasonOf({ projectId: 'sibling' })).toBe('killed')
    await store.putKillSwitches({ global: false, tenants: [], projects: [] }, 4)
    expect(await reasonOf()).toBe('admitted')
  })
}

type Clock = ReturnType<typeof createHandClock>

function describeRequestLimits(fresh: () => Store, clock: Clock): void {
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

function describeTokens(fresh: () => Store, clock: Clock): void {
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

function describeReservations(fresh: () => Store, clock: Clock): void {
  test('settles once, also when asked many times at once', async () => {
    const store = fresh()
    await seed(store, ['project'])
    const request = requestOf({ tokens: demandOf() })
    await store.admit(request)
    const settlements = await Promise.all(
      Array.from({ length: 20 }, () => store.settle('project', request.requestId, 25)),
    )
    expect(settlements.filter(settlement => settlement === 'settled')).toHaveLength(1)
    expect(await store.settle('project', 'never made', 25)).toBe('unknown')
    expect(await store.findSpend('project', '2026-05-01')).toBe(25)
  })

  test('the same request id admits again with its reservation and counts nothing more', async () => {
    const store = fresh()
    await seed(store, ['project'])
    const request = requestOf({ projectRequests: 2, tokens: demandOf({ prompt: 300, completion: 300 }) })
    const first = await store.admit(request)
    expect(await store.admit(request)).toEqual(first)
    expect(await store.admit({ ...request, requestId: 'other' })).toMatchObject({ admitted: true, reserved: 400 })
    expect(await store.admit({ ...request, projectRequests: 0 })).toMatchObject({ admitted: true, reserved: 600 })
    await store.putKillSwitches({ global: true, tenants: [], projects: [] }, 9)
    expect(await store.admit(request)).toMatchObject({ reason: 'killed' })
  })

  test('an admission that is withdrawn leaves nothing in the day, nor in the windows it was counted in', async () => {
    const store = fresh()
    await seed(store, ['project'])
    const limits = { projectRequests: 2, userRequests: 2, projectTokens: 100, tokens: demandOf({ prompt: 40 }) }
    const [first, second] = [requestOf(limits), requestOf(limits)]
    const counts = async () => (await store.admit(requestOf({ ...limits, projectRequests: 0 }))).counts
    await store.admit(first)
    clock.advance(30_000)
    await store.admit(second)
    expect(await store.withdraw('project', second.requestId)).toBe('settled')
    expect(await store.withdraw('project', second.requestId)).toBe('unknown')
    expect(await store.withdraw('project', 'never made')).toBe('unknown')
    expect(await counts()).toMatchObject({ project: { count: 1 }, user: { count: 1 } })
    expect(await store.findSpend('project', '2026-05-01')).toBe(0)
    expect(await store.admit(requestOf(limits))).toMatchObject({ admitted: true, requests: { remaining: 0 } })
    // The first request's window is over, so withdrawing it changes nothing in the next window.
    clock.advance(30_000)
    expect(await store.admit(requestOf({ ...limits, tokens: null }))).toMatchObject({ requests: { remaining: 1 } })
    expect(await store.withdraw('project', first.requestId)).toBe('settled')
    expect(await counts()).toMatchObject({ project: { count: 1 }, user: { count: 1 } })
  })

  test('a dead copy’s reservation is charged at its last checkpoint after the lease', async () => {
    const store = fresh()
    await seed(store, ['project', 'sibling'])
    const dead = requestOf({ tokens: demandOf({ prompt: 10, completion: 90 }) })
    const alive = requestOf({ tokens: demandOf({ prompt: 20, completion: 80 }) })
    const silent = requestOf({ projectId: 'sibling', tokens: demandOf({ prompt: 7, completion: 80 }) })
    for (const request of [dead, alive, silent]) await store.admit(request)
    clock.advance(60_000)
    await store.checkpoint('project', dead.requestId, 33)
    clock.advance(14 * 60_000 - 1)
    await store.checkpoint('project', alive.requestId, 44)
    expect(await store.sweepReservations(['project', 'sibling'])).toBe(0)
    clock.advance(1)
    expect(await store.sweepReservations(['project', 'sibling', 'unknown'])).toBe(1)
    expect(await store.findSpend('sibling', '2026-05-01')).toBe(7)
    clock.advance(60_000)
    expect(await store.sweepReservations(['project'])).toBe(1)
    expect(await store.findSpend('project', '2026-05-01')).toBe(33)
    expect(await store.settle('project', dead.requestId, 99)).toBe('unknown')
    expect(await store.settle('project', alive.requestId, 44)).toBe('settled')
    await store.checkpoint('project', dead.requestId, 50)
    expect(await store.sweepReservations([])).toBe(0)
    expect(await store.admit(requestOf({ tokens: demandOf() }))).toMatchObject({
      tokens: { remaining: 1000 - 77 - 30 },
    })
  })

  test('refuses counts that are not whole and not negative', async () => {
    const store = fresh()
    await seed(store, ['project'])
    for (const wrong of [-1, 1.5, Number.NaN, 2 ** 60]) {
      await expect(store.settle('project', 'id', wrong)).rejects.toThrow(RangeError)
      await expect(store.admit(requestOf({ tokens: demandOf({ prompt: wrong }) }))).rejects.toThrow(RangeError)
    }
  })

  test('counts tokens far beyond thousands of millions exactly', async () => {
    const store = fresh()
    await seed(store, ['project'])
    const large = 4_503_599_627_370_497
    const request = requestOf({ projectTokens: large + 5, tokens: demandOf({ prompt: large, completion: 0 }) })
    expect(await store.admit(request)).toMatchObject({ reserved: large, tokens: { remaining: 5 } })
    await store.settle('project', request.requestId, large)
    expect(await store.findSpend('project', '2026-05-01')).toBe(large)
  })
}

function describeWindows(fresh: () => Store, clock: Clock): void {
  const hour = { name: 'hour', limit: 3, windowSeconds: 3600 }
  const minute = { name: 'minute', limit: 1, windowSeconds: 60 }

  test('takes from all windows or from none', async () => {
    const store = fresh()
    expect(await store.take([hour, minute])).toMatchObject({ admitted: true })
    for (let i = 0; i < 5; i += 1) {
      expect(await store.take([hour, minute])).toEqual({ admitted: false, name: 'minute', retryAfterSeconds: 60 })
    }
    expect(await store.take([hour])).toMatchObject({ admitted: true })
    clock.advance(10_000)
    expect(await store.take([hour])).toMatchObject({ admitted: true })
    expect(await store.take([minute, hour])).toEqual({ admitted: false, name: 'hour', retryAfterSeconds: 3590 })
    clock.advance(3_590_000)
    expect(await store.take([hour, minute])).toMatchObject({ admitted: true })
    expect(await store.take([])).toEqual({ admitted: true, receipt: [] })
    const closed = { name: 'closed', limit: 0, windowSeconds: 5 }
    expect(await store.take([closed])).toEqual({ admitted: false, name: 'closed', retryAfterSeconds: 5 })
  })

  test('gives back what was taken, not below zero, and nothing into a later window', async () => {
    const store = fresh()
    const take = async () => {
      const outcome = await store.take([minute])
      return outcome.admitted ? outcome.receipt : null
    }
    const receipt = (await take()) ?? []
    await store.giveBack(receipt)
    await store.giveBack(receipt)
    expect(await take()).not.toBeNull()
    expect(await take()).toBeNull()
    clock.advance(60_000)
    expect(await take()).not.toBeNull()
    await store.giveBack(receipt)
    expect(await take()).toBeNull()
  })
}

function describeDiagnostics(fresh: () => Store, clock: Clock): void {
  const hourMs = 3_600_000
  const one = (kind: string, detail: string, count = 1) => ({ kind, detail, count })

  test('adds up what went wrong by kind and detail, the latest first, each project for itself', async () => {
    const store = fresh()
    await store.addDiagnostics('p', [one('a', 'x y'), one('b', 'x y', 3)])
    clock.advance(2 * hourMs)
    await store.addDiagnostics('p', [one('a', 'x y', 2), one('a', 'ü', 1)])
    await store.addDiagnostics('q', [one('a', 'x y')])
    expect(await store.findDiagnostics('p')).toEqual([
      { ...one('a', 'x y', 3), lastSeenAt: noon + 2 * hourMs },
      { ...one('a', 'ü'), lastSeenAt: noon + 2 * hourMs },
      { ...one('b', 'x y', 3), lastSeenAt: noon },
    ])
    expect(await store.findDiagnostics('r')).toEqual([])
  })

  test('forgets what is older than 24 hours', async () => {
    const store = fresh()
    await store.addDiagnostics('p', [one('a', 'old')])
    clock.advance(24 * hourMs)
    await store.addDiagnostics('p', [one('a', 'new')])
    expect((await store.findDiagnostics('p')).map(({ detail }) => detail)).toEqual(['new', 'old'])
    clock.advance(1)
    expect((await store.findDiagnostics('p')).map(({ detail }) => detail)).toEqual(['new'])
  })

  test('tells at most fifty details of an hour apart, and returns two hundred at most', async () => {
    const store = fresh()
    const many = (from: number) => Array.from({ length: 60 }, (_, i) => one('a', String(from + i)))
    await store.addDiagnostics('p', many(0))
    await store.addDiagnostics('p', [one('a', '0'), one('b', 'late')])
    const found = await store.findDiagnostics('p')
    expect(found).toHaveLength(52)
    expect(found.find(({ detail }) => detail === '0')?.count).toBe(2)
    expect(found.filter(({ detail }) => detail === 'other').map(({ kind, count }) => [kind, count])).toEqual([
      ['a', 10],
      ['b', 1],
    ])
    for (let hour = 1; hour < 6; hour++) {
      clock.advance(hourMs)
      await store.addDiagnostics('p', many(hour * 100))
    }
    expect(await store.findDiagnostics('p')).toHaveLength(200)
  })
}

function describeActivity(fresh: () => Store, clock: Clock): void {
  const minuteMs = 60_000
  const startsOf = async (store: Store, projectId = 'p') =>
    (await store.findActivity(projectId)).minutes.map(({ startsAt }) => (startsAt - noon) / minuteMs)

  test('adds up the activity of each project by minute, oldest first', async () => {
    const store = fresh()
    await store.addActivity([
      { projectId: 'p', counts: { requests: 2, 'reason:x y': 1 } },
      { projectId: 'q', counts: { requests: 5 } },
    ])
    clock.advance(minuteMs - 1)
    await store.addActivity([{ projectId: 'p', counts: { requests: 1, tokens: 2 ** 40 } }])
    clock.advance(1)
    await store.addActivity([{ projectId: 'p', counts: { requests: 4 } }])
    expect(await store.findActivity('p')).toEqual({
      now: noon + minuteMs,
      minutes: [
        { startsAt: noon, counts: { requests: 3, tokens: 2 ** 40, 'reason:x y': 1 } },
        { startsAt: noon + minuteMs, counts: { requests: 4 } },
      ],
    })
    expect((await store.findActivity('q')).minutes).toEqual([{ startsAt: noon, counts: { requests: 5 } }])
    expect(await store.findActivity('r')).toEqual({ now: noon + minuteMs, minutes: [] })
    await store.addActivity([])
  })

  test('takes the activity of many projects at once', async () => {
    const store = fresh()
    const entries = Array.from({ length: 120 }, (_, at) => ({
      projectId: `p${at}`,
      counts: { requests: at + 1, x: 1 },
    }))
    await store.addActivity(entries)
    for (const at of [0, 49, 50, 119]) {
      expect((await store.findActivity(`p${at}`)).minutes).toMatchObject([{ counts: { requests: at + 1, x: 1 } }])
    }
  })

  test('returns the activity of the last sixty minutes and no older one', async () => {
    const store = fresh()
    for (let minute = 0; minute < 62; minute += 1) {
      await store.addActivity([{ projectId: 'p', counts: { requests: 1 } }])
      clock.advance(minuteMs)
    }
    expect(await startsOf(store)).toEqual(Array.from({ length: 59 }, (_, at) => at + 3))
    clock.advance(58 * minuteMs)
    expect(await startsOf(store)).toEqual([61])
    clock.advance(minuteMs)
    expect(await startsOf(store)).toEqual([])
  })

  test('takes no count that is not a whole number', async () => {
    const store = fresh()
    for (const count of [-1, 0.5, Number.NaN]) {
      await expect(store.addActivity([{ projectId: 'p', counts: { requests: count } }])).rejects.toThrow(RangeError)
    }
  })
}

function describeConversations(fresh: () => Store, clock: Clock): void {
  test('forgets the conversations whose key begins so, and no others', async () => {
    const store = fresh()
    const keys = ['p1:u1:s', 'p1:u1#call', 'p1:u2:s', 'p1:u[1]*:s']
    for (const key of keys) await store.appendTurn(key, ['a'], { keep: 1, ttlSeconds: 60 })
    await store.forgetConversations('p1:u[1]*')
    const left = async () => Promise.all(keys.map(key => store.recallTurns(key, 1, 60)))
    expect(await left()).toEqual([['a'], ['a'], ['a'], []])
    await store.forgetConversations('p1:u1')
    await store.forgetConversations('p1:u1')
    expect(await left()).toEqual([[], [], ['a'], []])
  })

  const bounds = { keep: 4, ttlSeconds: 3600 }

  test('keeps the newest messages, oldest first', async () => {
    const store = fresh()
    expect(await store.recallTurns('c', 10, 3600)).toEqual([])
    await store.appendTurn('c', ['q1', 'a1'], bounds)
    await store.appendTurn('c', ['q2', 'a2 ü😀'], bounds)
    await store.appendTurn('c', ['q3'], bounds)
    expect(await store.recallTurns('c', 10, 3600)).toEqual(['a1', 'q2', 'a2 ü😀', 'q3'])
    expect(await store.recallTurns('c', 2, 3600)).toEqual(['a2 ü😀', 'q3'])
    expect(await store.recallTurns('c', 0, 3600)).toEqual([])
    expect(await store.recallTurns('other', 2, 3600)).toEqual([])
    await store.appendTurn('c', ['q4'], { keep: 0, ttlSeconds: 3600 })
    expect(await store.recallTurns('c', 10, 3600)).toEqual([])
  })

  test('forgets those whose key begins so, and no other', async () => {
    const store = fresh()
    const [kept, gone] = [
      ['p1:x', 'p*:y', 'P2:a:1', 'xp2:a:1'],
      ['p2:a:1', 'p2:b:ü', 'p2:#c'],
    ]
    for (const key of [...kept, ...gone]) await store.appendTurn(key, [key], bounds)
    await store.forgetConversations('p*')
    expect(await store.recallTurns('p*:y', 1, 60)).toEqual([])
    await store.appendTurn('p*:y', ['p*:y'], bounds)
    await store.forgetConversations('p2:')
    await store.forgetConversations('p2:')
    for (const key of gone) expect(await store.recallTurns(key, 1, 60)).toEqual([])
    for (const key of kept) expect(await store.recallTurns(key, 1, 60)).toEqual([key])
  })

  test('forgets more of them than one step finds', async () => {
    const store = fresh()
    const ids = Array.from({ length: 2500 }, (_, index) => `many:${index}`)
    await Promise.all(ids.map(id => store.appendTurn(id, ['q'], bounds)))
    await store.forgetConversations('many:')
    const left = await Promise.all(ids.map(id => store.recallTurns(id, 1, 60)))
    expect(left.flat()).toEqual([])
  })

  test('turns written at once stay whole', async () => {
    const store = fresh()
    const turns = Array.from({ length: 30 }, (_, i) => [`q${i}`, `t${i}`, `a${i}`])
    await Promise.all(turns.map(turn => store.appendTurn('c', turn, { keep: 500, ttlSeconds: 60 })))
    const found = await store.recallTurns('c', 500, 60)
    expect(found).toHaveLength(90)
    for (let i = 0; i < found.length; i += 3) expect(turns).toContainEqual(found.slice(i, i + 3))
  })

  test('lives on from its last use, and not longer', async () => {
    const store = fresh()
    await store.appendTurn('c', ['q', 'a'], bounds)
    clock.advance(3_599_999)
    expect(await store.recallTurns('c', 10, 3600)).toEqual(['q', 'a'])
    clock.advance(3_599_999)
    expect(await store.recallTurns('c', 10, 3600)).toEqual(['q', 'a'])
    clock.advance(3_600_000)
    expect(await store.recallTurns('c', 10, 3600)).toEqual([])
    await store.appendTurn('c', ['new'], bounds)
    expect(await store.recallTurns('c', 10, 3600)).toEqual(['new'])
  })

  test('keeps a conversation under one mebibyte, newest first', async () => {
    const store = fresh()
    const half = 'é'.repeat(262_144)
    await store.appendTurn('c', [`${half}1`, 'x'], { keep: 100, ttlSeconds: 60 })
    await store.appendTurn('c', [half], { keep: 100, ttlSeconds: 60 })
    expect(await store.recallTurns('c', 9, 60)).toEqual(['x', half])
    await store.appendTurn('c', ['é'.repeat(600_000)], { keep: 100, ttlSeconds: 60 })
    expect(await store.recallTurns('c', 9, 60)).toEqual([])
  })
}

function describeEvents(fresh: () => Store, clock: Clock): void {
  test('hands each event to one consumer, in order, until it is acknowledged', async () => {
    const store = fresh()
    expect(await store.claimEvents('one', 10, 60_000)).toEqual([])
    for (const n of ['1', '2', '3']) expect(await store.emitEvent('t', { n, text: 'ü' }, 100)).toBe('stored')
    const first = await store.claimEvents('one', 2, 60_000)
    expect(first.map(event => event.fields)).toEqual([
      { n: '1', text: 'ü' },
      { n: '2', text: 'ü' },
    ])
    const second = await store.claimEvents('two', 10, 60_000)
    expect(second.map(event => event.fields['n'])).toEqual(['3'])
    await store.acknowledgeEvents([first[0]?.id ?? ''])
    await store.acknowledgeEvents([])
    expect(await store.claimEvents('two', 10, 60_000)).toEqual([])
    await store.emitEvent('t', { n: '4' }, 100)
    const retaken = await store.claimEvents('two', 10, 0)
    expect(retaken.map(event => event.fields['n'])).toEqual(['2', '3', '4'])
    await store.acknowledgeEvents(retaken.map(event => event.id))
    expect(await store.claimEvents('one', 10, 0)).toEqual([])
    expect(await store.claimEvents('one', 0, 0)).toEqual([])
  })

  test('one noisy tenant loses the own events over the quota, others none', async () => {
    const store = fresh()
    const noisy = await Promise.all(Array.from({ length: 12 }, () => store.emitEvent('noisy', { type: 'x' }, 5)))
    expect(noisy.filter(outcome => outcome === 'stored')).toHaveLength(5)
    expect(await store.emitEvent('quiet', { type: 'x' }, 5)).toBe('stored')
    expect(await store.countDrops()).toEqual({ noisy: 7 })
    clock.advance(60_000)
    expect(await store.emitEvent('noisy', { type: 'x' }, 5)).toBe('stored')
    expect(await store.claimEvents('one', 100, 0)).toHaveLength(7)
    expect(await store.emitEvent('mute', { type: 'x' }, 0)).toBe('dropped')
    expect(await store.countDrops()).toEqual({ noisy: 7, mute: 1 })
  })

  test('counts what is discarded once, and does not hand it out again', async () => {
    const store = fresh()
    for (const n of ['1', '2', '3']) await store.emitEvent('t', { n }, 100)
    const ids = (await store.claimEvents('one', 2, 60_000)).map(event => event.id)
    await store.discardEvents([])
    await store.discardEvents(ids)
    await store.discardEvents(ids)
    expect(await store.countDrops()).toEqual({ malformed: 2 })
    const [last, ...more] = await store.claimEvents('two', 10, 0)
    expect([last?.fields, more]).toEqual([{ n: '3' }, []])
    await store.acknowledgeEvents([last?.id ?? ''])
    await store.discardEvents([last?.id ?? ''])
    expect(await store.countDrops()).toEqual({ malformed: 2 })
  })

  test('a new day does not touch what is open', async () => {
    const store = fresh()
    await store.emitEvent('t', { n: '1' }, 1)
    clock.advance(dayMs)
    expect(await store.claimEvents('one', 1, 0)).toHaveLength(1)
  })
}

function describeCopies(fresh: () => Store, clock: Clock): void {
  test('lists the replicas that announced themselves and neither ended nor fell silent', async () => {
    const store = fresh()
    const announce = async (id: string, lifeMs: number) => (await store.announceReplica(id, lifeMs)).ids.sort()
    expect(await announce('one', 10_000)).toEqual(['one'])
    expect(await announce('two', 10_000)).toEqual(['one', 'two'])
    expect(await announce('one', 10_000)).toEqual(['one', 'two'])
    clock.advance(5_000)
    expect(await announce('three', 10_000)).toEqual(['one', 'three', 'two'])
    clock.advance(5_000)
    expect(await announce('three', 10_000)).toEqual(['three'])
    expect(await announce('one', 10_000)).toEqual(['one', 'three'])
    expect(await announce('three', 0)).toEqual(['one'])
  })

  test('publishes a replica that joins, and the first time that the store is filled', async () => {
    const store = fresh()
    const changes: StoreChange[] = []
    store.subscribe(change => changes.push(change))
    expect(await store.announceReplica('one', 10_000)).toEqual({ ids: ['one'], filledAt: null })
    await expect.poll(() => changes).toEqual([{ kind: 'replicas' }])
    await store.announceReplica('one', 10_000)
    await store.announceReplica('stranger', 0)
    await store.markSeeded(await store.startFilling())
    await store.markSeeded(await store.startFilling())
    const window = { projectId: 'p', userId: null, count: 3, endsInMs: 500 }
    await store.publishRequests({ ...window, userId: 'u' })
    await store.publishRequests(window)
    await expect
      .poll(() => changes.slice(1))
      .toEqual([{ kind: 'replicas' }, { kind: 'requests', ...window, userId: 'u' }, { kind: 'requests', ...window }])
    expect(await store.announceReplica('one', 10_000)).toEqual({ ids: ['one'], filledAt: noon })
  })
}
