// Runs the same random histories on both stores with one manual clock: all results must be equal. Also checks
// invariants of each history by counting separately.
import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import type { AdmissionRequest, Store, WindowReceipt } from '../../src/kv/store.ts'
import { createHandClock, type HandClock, openProcessStore, openRedisStore } from './stores.ts'

const runs = inject('prove') ? 2_000 : 60
const start = Date.UTC(2026, 11, 31, 22)

const project = fc.constantFrom('p1', 'p2', 'p3')
const user = fc.constantFrom('u1', 'u2', 'u 3\nü')
const tenant = fc.constantFrom('t1', 't2')
const requestId = fc.integer({ min: 0, max: 24 }).map(n => `r${n}`)
const revision = fc.integer({ min: 0, max: 6 })
const few = fc.integer({ min: 0, max: 6 })
const tokens = fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 400 }))
const perDay = fc.integer({ min: 0, max: 600 })
const day = fc.constantFrom('2026-12-31', '2027-01-01', '2027-01-02')
const windowName = fc.constantFrom('w1', 'w2', 'w3')
const seconds = fc.constantFrom(1, 60, 3600)
const conversation = fc.constantFrom('c1', 'c2')

const holder = fc.constantFrom('r1', 'r2')

const request: fc.Arbitrary<AdmissionRequest> = fc.record({
  requestId,
  holder,
  projectId: project,
  tenantId: tenant,
  userId: user,
  configRevision: fc.constantFrom(2, 4, 6, 6, 6),
  restrictionsRevision: fc.constantFrom(2, 4, 6, 6, 6),
  projectRequests: fc.integer({ min: 0, max: 9 }),
  userRequests: fc.option(fc.integer({ min: 0, max: 4 })),
  projectTokens: perDay,
  userTokens: fc.option(perDay),
  tokens: fc.option(fc.record({ prompt: tokens, completion: tokens }), { freq: 5 }),
})
/** Exactly the length of windows, leases and days, and one millisecond more or less. */
const pause = fc
  .tuple(
    fc.constantFrom(1, 999, 1_000, 60_000, 900_000, 3_600_000, 7_200_000, 86_400_000),
    fc.integer({ min: -1, max: 1 }),
  )
  .map(([ms, aside]) => ms + aside)

const step = fc.oneof(
  { weight: 12, arbitrary: fc.record({ kind: fc.constant('admit' as const), request }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('settle' as const), project, requestId, tokens }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('withdraw' as const), project, requestId }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('add' as const),
      report: fc.constantFrom('one', 'two', 'three'),
      windows: fc.uniqueArray(
        fc.record({
          projectId: project,
          userId: fc.option(user),
          count: few,
          endsInMs: fc.integer({ min: 1, max: 60_000 }),
        }),
        { selector: ({ projectId, userId }) => `${projectId} ${userId}` },
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('checkpoint' as const), project, requestId, tokens }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('sweep' as const), holder: fc.option(holder, { nil: undefined }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('restore' as const),
      project,
      day,
      tokens,
      users: fc.dictionary(user, tokens),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('pause' as const), ms: pause }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('config' as const),
      project,
      revision,
      status: fc.constantFrom('active' as const, 'active' as const, 'suspended' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restrict' as const), project, revision }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('switches' as const),
      revision,
      global: fc.constantFrom(false, false, false, true),
      tenants: fc.subarray(['t1', 't2'], { maxLength: 1 }),
      projects: fc.subarray(['p1', 'p2', 'p3'], { maxLength: 1 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('take' as const),
      demands: fc.uniqueArray(fc.record({ name: windowName, limit: few, windowSeconds: seconds }), {
        selector: ({ name }) => name,
      }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('giveBack' as const), nth: few }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('append' as const),
      conversation,
      messages: fc.array(fc.string({ unit: 'grapheme', maxLength: 4 }), { maxLength: 3 }),
      keep: few,
      ttlSeconds: seconds,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('recall' as const), conversation, last: few, ttlSeconds: seconds }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('emit' as const), tenant, quota: few }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('claim' as const), count: few, acknowledge: few }) },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

interface Player {
  store: Store
  receipts: WindowReceipt[]
  emitted: number
}

async function play(player: Player, step: Step): Promise<unknown> {
  const { store } = player
  switch (step.kind) {
    case 'admit':
      return store.admit(step.request)
    case 'settle':
      return store.settle(step.project, step.requestId, step.tokens)
    case 'withdraw':
      return store.withdraw(step.project, step.requestId)
    case 'add':
      return store.addRequests(step.report, step.windows)
    case 'checkpoint':
      return store.checkpoint(step.project, step.requestId, step.tokens)
    case 'sweep':
      return store.sweepReservations(['p1', 'p2', 'p3'], step.holder)
    case 'restore':
      return store.restoreSpend([{ projectId: step.project, day: step.day, tokens: step.tokens, users: step.users }])
    case 'pause':
      return null
    case 'config':
      return store.putConfig(step.project, { revision: step.revision, status: step.status, body: `${step.revision}` })
    case 'restrict':
      return store.putRestrictions(step.project, { revision: step.revision, body: `${step.revision}` })
    case 'switches':
      return store.putKillSwitches(step, step.revision)
    case 'take':
      return takeAndKeep(player, step.demands)
    case 'giveBack':
      return store.giveBack(player.receipts[step.nth] ?? [])
    case 'append':
      return store.appendTurn(step.conversation, step.messages, step)
    case 'recall':
      return store.recallTurns(step.conversation, step.last, step.ttlSeconds)
    case 'emit':
      player.emitted += 1
      return store.emitEvent(step.tenant, { n: String(player.emitted) }, step.quota)
    case 'claim':
      return claimSome(store, step.count, step.acknowledge)
  }
}

async function takeAndKeep(player: Player, demands: Parameters<Store['take']>[0]): Promise<unknown> {
  const outcome = await player.store.take(demands)
  if (outcome.admitted) player.receipts.unshift(outcome.receipt)
  return outcome
}

async function claimSome(store: Store, count: number, acknowledge: number): Promise<unknown> {
  const events = await store.claimEvents('consumer', count, 0)
  await store.acknowledgeEvents(events.slice(0, acknowledge).map(event => event.id))
  return events.map(event => event.fields)
}

async function describeEnd(store: Store): Promise<unknown> {
  const projects = ['p1', 'p2', 'p3']
  return {
    configs: await Promise.all(projects.map(id => store.findConfig(id))),
    restrictions: await Promise.all(projects.map(id => store.findRestrictions(id))),
    switches: await store.findKillSwitches(),
    spend: await Promise.all(
      projects.flatMap(id => ['2026-12-31', '2027-01-01', '2027-01-02'].map(date => store.findSpend(id, date))),
    ),
    conversations: await Promise.all(['c1', 'c2'].map(key => store.recallTurns(key, 9, 60))),
    events: (await store.claimEvents('consumer', 1_000, 0)).map(event => event.fields),
    drops: await store.countDrops(),
  }
}

async function prepare(store: Store): Promise<void> {
  for (const projectId of ['p1', 'p2']) await store.putConfig(projectId, { revision: 1, status: 'active', body: '' })
  await store.putKillSwitches({ global: false, tenants: [], projects: [] }, 0)
  await store.markSeeded(await store.startFilling())
}

const openRedis = openRedisStore(inject('redisUrl'))

test('both stores give equal answers to equal histories', { timeout: 900_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 90, size: 'max' }), async steps => {
      const clock = createHandClock(start)
      const stores = [await openProcessStore({ clock }), await openRedis({ clock })] as const
      const [inProcess, onRedis] = stores.map(store => ({ store, receipts: [], emitted: 0 }) as Player)
      if (!inProcess || !onRedis) throw new Error('two stores are needed')
      try {
        await Promise.all(stores.map(prepare))
        for (const [i, step] of steps.entries()) {
          if (step.kind === 'pause') clock.advance(step.ms)
          const answers = [await play(inProcess, step), await play(onRedis, step)]
          expect(answers[1], `step ${i}: ${JSON.stringify(step)}`).toEqual(answers[0])
        }
        expect(await describeEnd(onRedis.store)).toEqual(await describeEnd(inProcess.store))
      } finally {
        await Promise.all(stores.map(store => store.close()))
      }
    }),
    { numRuns: runs, endOnFailure: false },
  )
})

const openers = { process: openProcessStore, redis: openRedis }

test.each(Object.keys(openers) as Array<keyof typeof openers>)(
  'whatever happens, windows and days hold their limits (%s)',
  { timeout: 900_000 },
  async kind => {
    const visit = fc.record({
      afterMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 90_000 })),
      userId: user,
      prompt: fc.integer({ min: 1, max: 40 }),
      completion: fc.integer({ min: 0, max: 40 }),
      /** The share of the reservation that is used, in percent; null leaves the call in flight. */
      used: fc.option(fc.integer({ min: 0, max: 100 })),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(visit, { minLength: 30, maxLength: 80, size: 'max' }), async visits => {
        const clock = createHandClock(start)
        const store = await openers[kind]({ clock })
        try {
          await prepare(store)
          await holdLimits(store, clock, visits)
        } finally {
          await store.close()
        }
      }),
      { numRuns: Math.ceil(runs / 3) },
    )
  },
)

interface Visit {
  afterMs: number
  userId: string
  prompt: number
  completion: number
  used: number | null
}

const limits = { projectRequests: 6, userRequests: 3, projectTokens: 500, userTokens: 250 }

async function holdLimits(store: Store, clock: HandClock, visits: Visit[]): Promise<void> {
  const windows = new Map<string, { endsAt: number; count: number }>()
  let spent = 0
  for (const [i, visit] of visits.entries()) {
    clock.advance(visit.afterMs)
    const { prompt, completion, userId } = visit
    const { projectRequests, userRequests } = limits
    const answer = await store.admit({
      requestId: `v${i}`,
      holder: 'replica',
      projectId: 'p1',
      tenantId: 't1',
      userId,
      configRevision: 1,
      restrictionsRevision: 0,
      ...limits,
      tokens: { prompt, completion },
    })
    const free = isFree(windows, 'project', projectRequests, clock) && isFree(windows, userId, userRequests, clock)
    if (!answer.admitted) {
      if (answer.reason.endsWith('requests')) expect(free, `visit ${i} refused for no reason`).toBe(false)
      continue
    }
    expect(free, `visit ${i} is one too many`).toBe(true)
    for (const name of ['project', userId]) count(windows, name, clock)
    expect(answer.reserved).toBeGreaterThanOrEqual(prompt)
    expect(answer.reserved).toBeLessThanOrEqual(prompt + completion)
    if (visit.used === null) continue
    const used = Math.floor((answer.reserved * visit.used) / 100)
    expect(await store.settle('p1', `v${i}`, used)).toBe('settled')
    spent += used
  }
  const days = await Promise.all(['2026-12-31', '2027-01-01'].map(date => store.findSpend('p1', date)))
  expect(days.reduce((sum, tokens) => sum + tokens, 0)).toBe(spent)
  for (const tokens of days) expect(tokens).toBeLessThanOrEqual(limits.projectTokens)
}

function isFree(
  windows: Map<string, { endsAt: number; count: number }>,
  name: string,
  limit: number,
  clock: HandClock,
) {
  const window = windows.get(name)
  return !window || window.endsAt <= clock.now() || window.count < limit
}

function count(windows: Map<string, { endsAt: number; count: number }>, name: string, clock: HandClock): void {
  const window = windows.get(name)
  if (window && window.endsAt > clock.now()) window.count += 1
  else windows.set(name, { endsAt: clock.now() + 60_000, count: 1 })
}
