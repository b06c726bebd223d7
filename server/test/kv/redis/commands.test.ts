// Tests what the store says to a healthy Redis: one command for each intention, documented keys, and their expiry.
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { startRedis } from '../../support/redis.ts'
import { roomFor } from '../../support/slowness.ts'
import { demandOf, requestOf, seed } from '../stores.ts'
import { open, runCommand, type Server } from './redis-stage.ts'

describe('a healthy Redis', () => {
  let server: Server
  beforeEach(async () => {
    server = await startRedis()
  })
  afterEach(() => server.stop())

  test('each change reaches the other copies within a second', async () => {
    const one = await open(server)
    const two = await open(server)
    const begun = performance.now()
    await one.store.putKillSwitches({ global: true, tenants: [], projects: [] }, 7)
    await expect.poll(() => two.changes.length, { interval: 5 }).toBe(1)
    expect(performance.now() - begun).toBeLessThan(roomFor(1_000))
    await two.store.putKillSwitches({ global: true, tenants: [], projects: [] }, 7)
    await two.store.putProviderKeys('t', { revision: 1, body: 'sealed' })
    await expect
      .poll(() => one.changes)
      .toEqual([
        { kind: 'kill-switches', revision: 7 },
        { kind: 'provider-keys', tenantId: 't', revision: 1 },
      ])
    await runCommand(server, 'PUBLISH', 'sallyport:changes', 'not ours')
    await expect.poll(() => one.changes.at(-1)).toEqual({ kind: 'resync' })
  })

  test('each intention is one command', async () => {
    const { store } = await open(server)
    await seed(store, ['project'])
    const receipt = [{ name: 'w', endsAt: 1, count: 1 }]
    const request = requestOf({ requestId: 'r', userRequests: 5, userTokens: 50, tokens: demandOf() })
    const intentions: Array<() => Promise<unknown>> = [
      () => store.putSlugs([{ slug: 's', projectId: 'p', tenantId: 't' }]),
      () => store.findSlug('s'),
      () => store.putConfig('project', { revision: 1, status: 'active', body: '' }),
      () => store.findConfig('project'),
      () => store.putProviderKeys('t', { revision: 1, body: '' }),
      () => store.findProviderKeys('t'),
      () => store.putKeySet('p', { revision: 1, body: '' }),
      () => store.findKeySet('p'),
      () => store.putKillSwitches({ global: false, tenants: [], projects: [] }, 1),
      () => store.findKillSwitches(),
      () => store.startFilling(),
      () => store.markSeeded('filling'),
      () => store.isSeeded(),
      async () => store.admit(request),
      () => store.checkpoint('project', 'r', 3),
      () => store.addRequests('report', [{ projectId: 'project', userId: 'user', count: 1, endsInMs: 9 }]),
      () => store.withdraw('project', 'unknown'),
      () => store.announceReplica('one', 5_000),
      () => store.publishRequests({ projectId: 'project', userId: null, count: 1, endsInMs: 9 }),
      async () => store.settle('project', 'r', 3),
      () => store.sweepReservations(['project', 'p2', 'p3']),
      () => store.restoreSpend([{ projectId: 'project', day: '2026-05-01', tokens: 5, users: { user: 5 } }]),
      () => store.findSpend('project', '2026-05-01'),
      () =>
        store.take([
          { name: 'w', limit: 1, windowSeconds: 60 },
          { name: 'v', limit: 1, windowSeconds: 60 },
        ]),
      () => store.giveBack(receipt),
      () => store.appendTurn('c', ['q', 'a'], { keep: 5, ttlSeconds: 60 }),
      () => store.recallTurns('c', 5, 60),
      () => store.emitEvent('t', { type: 'x' }, 5),
      () => store.claimEvents('one', 5, 0),
      () => store.acknowledgeEvents(['1-1']),
      () => store.countDrops(),
    ]
    // Redis rejects the first call of a script as unknown; the script is then sent in full.
    for (const intention of intentions) await intention()
    const countCommands = await watchCommands(server)
    for (const intention of intentions) {
      await intention()
      expect(await countCommands(), intention.toString()).toBe(1)
    }
  })

  test.each([
    { requests: 1, calls: 15 },
    // The time, the epoch and the kill switches are read once for all.
    { requests: 8, calls: 3 + 8 * 12 },
  ])('$requests admissions and settlements make $calls calls in the scripts', async ({ requests, calls }) => {
    const { store } = await open(server)
    const names = Array.from({ length: requests }, (_, index) => `project-${index}`)
    await seed(store, names)
    const limits = { userRequests: 5, userTokens: 50 }
    const admitAndSettle = async () => {
      const asked = names.map(projectId => requestOf({ projectId, ...limits, tokens: demandOf() }))
      const admitted = await Promise.all(asked.map(async request => await store.admit(request)))
      expect(admitted.every(admission => admission.admitted)).toBe(true)
      await Promise.all(asked.map(async ({ projectId, requestId }) => await store.settle(projectId, requestId, 3)))
    }
    // The first admission of a day needs additional calls.
    await admitAndSettle()
    const countCalls = await watchCommands(server, line => /^[\d.]+ \[\d+ lua\]/.test(line))
    await admitAndSettle()
    expect(await countCalls()).toBe(calls)
  })

  test('the stream has its public name, and one key of each kind its documented one', async () => {
    const { store } = await open(server)
    await seed(store, ['p1'])
    await store.admit(requestOf({ projectId: 'p1', userRequests: 5, tokens: demandOf() }))
    await store.emitEvent('t', { type: 'pii_block' }, 5)
    const keys = (await runCommand(server, 'KEYS', '*')).split('\n').sort()
    const day = Math.floor(Date.now() / 86_400_000)
    expect(keys.map(key => key.replace(/:\d{5}$/, ':<day>'))).toEqual([
      'guardrails:events',
      'sallyport:config:{p1}',
      'sallyport:epoch',
      'sallyport:event-counts',
      'sallyport:event-quota:t',
      'sallyport:held:{p1}',
      'sallyport:kill-switches',
      'sallyport:requests:{p1}',
      'sallyport:requests:{p1}:user',
      'sallyport:spend:{p1}:<day>',
    ])
    expect(Math.abs(Number(keys.at(-1)?.slice(-5)) - day)).toBeLessThanOrEqual(1)
    const lives = await Promise.all(['epoch', 'config:{p1}'].map(key => runCommand(server, 'TTL', `sallyport:${key}`)))
    expect(lives).toEqual(['-1', '-1'])
    for (const key of [`requests:{p1}`, `event-quota:t`]) {
      const seconds = Number(await runCommand(server, 'TTL', `sallyport:${key}`))
      expect(seconds).toBeGreaterThan(60)
      expect(seconds).toBeLessThanOrEqual(120)
    }
  })

  test('stores with other prefixes neither hear each other nor see what the other has', async () => {
    const [one, two] = [await open(server), await open(server, { keyPrefix: 'other:' })]
    await seed(one.store, ['p1'])
    await one.store.announceReplica('a', 5_000)
    await one.store.publishRequests({ projectId: 'p1', userId: null, count: 1, endsInMs: 9 })
    await expect.poll(() => one.changes.at(-1)?.kind).toBe('requests')
    await two.store.publishRequests({ projectId: 'own', userId: null, count: 1, endsInMs: 9 })
    await expect.poll(() => two.changes.length).toBe(1)
    expect(two.changes).toEqual([{ kind: 'requests', projectId: 'own', userId: null, count: 1, endsInMs: 9 }])
    expect(await two.store.admit(requestOf({ projectId: 'p1' }))).toMatchObject({ reason: 'unseeded' })
    expect(await two.store.announceReplica('b', 5_000)).toEqual({ ids: ['b'], filledAt: null })
    expect(await two.store.isSeeded()).toBe(false)
    await one.store.emitEvent('t', { type: 'pii_block' }, 5)
    expect(await two.store.claimEvents('one', 5, 0)).toEqual([])
    expect(await one.store.claimEvents('one', 5, 0)).toHaveLength(1)
  })

  test('a window keeps its expiry however often it is written', async () => {
    const { store } = await open(server)
    await seed(store, ['p1'])
    const demand = { projectId: 'p1', userRequests: 9, tokens: demandOf() }
    const last = requestOf(demand)
    for (const request of [requestOf(demand), requestOf(demand), last]) await store.admit(request)
    for (let times = 0; times < 3; times++) await store.emitEvent('t', { type: 'pii_block' }, 5)
    const minute = { name: 'w', limit: 9, windowSeconds: 60 }
    const outcomes = [await store.take([minute]), await store.take([minute]), await store.take([minute])]
    const keys = ['requests:{p1}', 'requests:{p1}:user', 'event-quota:t', 'window:w'].map(key => `sallyport:${key}`)
    const expectLives = async () => {
      for (const key of keys) {
        const seconds = Number(await runCommand(server, 'TTL', key))
        expect(seconds, key).toBeGreaterThan(60)
        expect(seconds, key).toBeLessThanOrEqual(120)
      }
    }
    await expectLives()
    const [, , third] = outcomes
    if (!third?.admitted) throw new Error('the window is full')
    await store.giveBack(third.receipt)
    await store.withdraw('p1', last.requestId)
    await store.addRequests('r', [{ projectId: 'p1', userId: null, count: 1, endsInMs: 50_000 }])
    await expectLives()
    expect(await runCommand(server, 'GET', 'sallyport:requests:{p1}')).toMatch(/^3 /)
  })

  test('the tokens of a day go two days after it, also where none was spent in the end', async () => {
    const { store } = await open(server)
    await seed(store, ['p1'])
    for (const tokens of [0, 0, 12, 0]) {
      const request = requestOf({ projectId: 'p1', tokens: demandOf() })
      await store.admit(request)
      expect(await store.settle('p1', request.requestId, tokens)).toBe('settled')
      const days = (await runCommand(server, 'KEYS', 'sallyport:spend:*')).split('\n')
      for (const key of days) {
        const life = Number(await runCommand(server, 'TTL', key)) / 86_400
        expect(life).toBeGreaterThan(1.99)
        expect(life).toBeLessThanOrEqual(3)
      }
    }
  })

  test('what is given back to a day that was lost makes no more of the budget than there is', async () => {
    const { store } = await open(server)
    await seed(store, ['p1'])
    const demand = { projectTokens: 100, tokens: demandOf({ completion: 30 }) }
    const first = requestOf({ projectId: 'p1', ...demand })
    await store.admit(first)
    await runCommand(server, 'DEL', ...(await runCommand(server, 'KEYS', 'sallyport:spend:*')).split('\n'))
    expect(await store.settle('p1', first.requestId, 0)).toBe('settled')
    expect(
      Number(await runCommand(server, 'TTL', await runCommand(server, 'KEYS', 'sallyport:spend:*'))),
    ).toBeGreaterThan(0)
    expect(await store.admit(requestOf({ projectId: 'p1', ...demand }))).toMatchObject({ tokens: { remaining: 60 } })
  })
})

/** Excludes pings of the connections and commands inside scripts. */
const isCommand = (line: string) => !/^[\d.]+ \[\d+ lua\]/.test(line) && !/"(ECHO|PING)"/i.test(line)

/** Returns a function that counts the commands since its last call. */
async function watchCommands(server: { url: string }, isCounted = isCommand): Promise<() => Promise<number>> {
  const { createClient } = await import('redis')
  const [watcher, marker] = [createClient({ url: server.url }), createClient({ url: server.url })]
  for (const client of [watcher, marker]) client.on('error', () => undefined)
  onTestFinished(() => {
    watcher.destroy()
    marker.destroy()
  })
  await Promise.all([watcher.connect(), marker.connect()])
  let seen: string[] = []
  await watcher.monitor(line => seen.push(String(line)))
  return async () => {
    const mark = `mark-${performance.now()}`
    await marker.sendCommand(['ECHO', mark])
    await expect.poll(() => seen.some(line => line.includes(mark)), { interval: 1 }).toBe(true)
    const counted = seen.filter(isCounted)
    seen = []
    return counted.length
  }
}
