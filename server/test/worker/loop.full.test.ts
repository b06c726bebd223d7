// The worker's loop with jobs of the test's own, on a real database: intervals, failures, ends, leases kept and lost.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createProcessStore } from '../../src/kv/process/store.ts'
import type { Store, StoreChange } from '../../src/kv/store.ts'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { parseOutboundAllow } from '../../src/outbound/policy.ts'
import type { Database } from '../../src/storage/open-database.ts'
import type { Job, WorkerDependencies } from '../../src/worker/job.ts'
import { startWorker, type Worker, type WorkerOptions } from '../../src/worker/loop.ts'
import { createMemoryLog, type LogLine } from '../kv/stores.ts'
import { openMigrated } from '../storage/fixtures.ts'
import { roomFor } from '../support/slowness.ts'

let database: Database
let lines: LogLine[]
let listeners: Set<(change: StoreChange) => void>
let world: WorkerDependencies

beforeEach(async () => {
  const memory = createMemoryLog()
  const store = createProcessStore({ now: Date.now, log: memory.log })
  listeners = new Set()
  // The store in the process is never away; the test says when it is back.
  const kv: Store = {
    ...store,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  lines = memory.lines
  database = await openMigrated()
  const outbound = createOutbound({ allow: parseOutboundAllow(''), log: memory.log })
  world = { sql: database.sql, kv, outbound, now: Date.now, log: memory.log }
})

function start(jobs: Job[], options: Partial<WorkerOptions> = {}): Worker {
  const worker = startWorker(jobs, world, { holder: randomUUID(), ...options })
  onTestFinished(() => worker.stop())
  return worker
}

function jobOf(run: Job['run'], more: Partial<Job> = {}): Job {
  return { name: 'job', everyMs: 60_000, runsBeforeReady: false, ...more, run }
}

const events = () => lines.map(line => line.event)

/** Ends with the signal, as a job that stops at the next good place. */
function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise(resolve => signal.addEventListener('abort', () => resolve()))
}

describe('intervals', () => {
  test('each rest lasts between four fifths of the interval and all of it', async () => {
    const startedAt: number[] = []
    const draws = [0, 1, 0.5]
    let turn = 0
    start([jobOf(async () => void startedAt.push(performance.now()), { everyMs: 400 })], {
      random: () => draws[turn++ % 3] ?? 0,
    })
    await expect.poll(() => startedAt.length).toBeGreaterThanOrEqual(4)
    const [first = 0, second = 0, third = 0, fourth = 0] = startedAt
    expect(second - first).toBeGreaterThanOrEqual(318)
    expect(third - second).toBeGreaterThanOrEqual(398)
    expect(fourth - third).toBeGreaterThanOrEqual(358)
    expect(fourth - first).toBeLessThan(roomFor(3_000))
  })

  test('one interval for all copies: ten of them do not run a job ten times', async () => {
    let runs = 0
    const job = jobOf(async () => void runs++, { everyMs: 400 })
    const begun = performance.now()
    for (let copy = 0; copy < 10; copy++) start([job])
    await expect.poll(() => runs).toBeGreaterThanOrEqual(5)
    // The shortest rest is four fifths of the interval; a little room for those that fall due together.
    expect(runs).toBeLessThanOrEqual((performance.now() - begun) / 320 + 2)
  })
})

describe('a shared job', () => {
  test('is done by every copy at its own interval, and asks for no lease', async () => {
    const ran: string[] = []
    const done = new Set<string>()
    for (const holder of ['a', 'b', 'c']) {
      const share = jobOf(
        async () => {
          ran.push(holder)
          if (ran.filter(name => name === holder).length === 3) done.add(holder)
        },
        { everyMs: 100, isShared: true },
      )
      start([share], { holder })
    }
    await expect.poll(() => done.size).toBe(3)
    expect(await database.sql.selectFrom('leases').selectAll().execute()).toEqual([])
  })

  test('that fails waits longer than its interval, so that an outage does not fill the log', async () => {
    const startedAt: number[] = []
    const broken = jobOf(
      async () => {
        startedAt.push(performance.now())
        throw new TypeError('away')
      },
      { everyMs: 50, isShared: true },
    )
    start([broken])
    await expect.poll(() => startedAt.length).toBe(3)
    const [first = 0, second = 0, third = 0] = startedAt
    expect(second - first).toBeGreaterThanOrEqual(950)
    expect(third - second).toBeGreaterThanOrEqual(1_950)
  })
})

describe('a job that fails', () => {
  test('is logged with its fault and tried again after a second, then two', async () => {
    const startedAt: number[] = []
    start([
      jobOf(async () => {
        startedAt.push(performance.now())
        if (startedAt.length <= 2) throw new TypeError('hidden')
      }),
    ])
    await expect.poll(() => startedAt.length).toBe(3)
    const [first = 0, second = 0, third = 0] = startedAt
    expect(second - first).toBeGreaterThanOrEqual(950)
    expect(second - first).toBeLessThan(roomFor(1_900))
    expect(third - second).toBeGreaterThanOrEqual(1_950)
    expect(lines.filter(line => line.event === 'job failed' && line.level === 'error')).toHaveLength(2)
    expect(lines.find(line => line.event === 'job failed')?.fields).toMatchObject({ job: 'job' })
  })

  test('does not hold up another, and is free for another copy', async () => {
    const good = Promise.withResolvers<void>()
    const elsewhere = Promise.withResolvers<void>()
    const bad = jobOf(() => Promise.reject(new Error('no')), { name: 'bad' })
    start([bad, jobOf(async () => good.resolve(), { name: 'good' })])
    await good.promise
    start([jobOf(async () => elsewhere.resolve(), { name: 'bad', everyMs: 500 })])
    await elsewhere.promise
  })

  test('keeps the copy from being ready until it has run', async () => {
    let isBroken = true
    const job = jobOf(async () => {
      if (isBroken) throw new Error('not yet')
    })
    const worker = start([
      { ...job, runsBeforeReady: true },
      jobOf((_world, signal) => untilAborted(signal), { name: 'slow' }),
    ])
    await expect.poll(events).toContain('job failed')
    expect(worker.isReady()).toBe(false)
    isBroken = false
    await expect.poll(worker.isReady).toBe(true)
  })
})

describe('before readiness', () => {
  test('each copy runs the job itself, whoever holds the lease', async () => {
    const ran = new Set<string>()
    const never = start([jobOf((_world, signal) => untilAborted(signal), { name: 'sync' })])
    expect(never.isReady()).toBe(true)
    await sleep(100)
    const workers = ['a', 'b', 'c'].map(holder =>
      start([jobOf(async () => void ran.add(holder), { name: 'sync', runsBeforeReady: true })], { holder }),
    )
    await expect.poll(() => workers.every(worker => worker.isReady())).toBe(true)
    expect([...ran].sort()).toEqual(['a', 'b', 'c'])
  })

  test('it runs again at once when the store is back, however long its interval', async () => {
    let runs = 0
    const worker = start([
      jobOf(async () => void runs++, { runsBeforeReady: true }),
      jobOf(async () => undefined, { name: 'other' }),
    ])
    await expect.poll(() => runs).toBe(1)
    for (const listener of listeners) listener({ kind: 'kill-switches', revision: 1 })
    await sleep(100)
    expect(runs).toBe(1)
    for (const listener of listeners) listener({ kind: 'resync' })
    await expect.poll(() => runs).toBe(2)
    expect(worker.isReady()).toBe(true)
    await worker.stop()
    expect(listeners.size).toBe(0)
  })
})

describe('the end', () => {
  test('comes at once in the middle of waiting', async () => {
    let runs = 0
    const worker = start([jobOf(async () => void runs++)])
    await expect.poll(() => runs).toBe(1)
    const begun = performance.now()
    await worker.stop()
    expect(performance.now() - begun).toBeLessThan(roomFor(500))
    expect(runs).toBe(1)
  })

  test('tells a running job, waits for it, and gives its lease back', async () => {
    const running = Promise.withResolvers<void>()
    let isTidy = false
    const worker = start([
      jobOf(async (_world, signal) => {
        running.resolve()
        await untilAborted(signal)
        await sleep(100)
        isTidy = true
      }),
    ])
    await running.promise
    const begun = performance.now()
    await worker.stop()
    expect(isTidy).toBe(true)
    expect(performance.now() - begun).toBeLessThan(roomFor(1_000))
    expect(await database.sql.selectFrom('leases').selectAll().execute()).toEqual([])
  })

  test('of a job in its first run leaves the copy unready', async () => {
    const running = Promise.withResolvers<void>()
    const worker = start([
      jobOf(
        async (_world, signal) => {
          running.resolve()
          await untilAborted(signal)
        },
        { runsBeforeReady: true },
      ),
    ])
    await running.promise
    await worker.stop()
    expect(worker.isReady()).toBe(false)
  })
})

describe('the lease', () => {
  test('is renewed for as long as the job runs', async () => {
    const release = Promise.withResolvers<void>()
    let others = 0
    const running = Promise.withResolvers<void>()
    const held = jobOf(() => {
      running.resolve()
      return release.promise
    })
    // Long enough that a busy machine does not miss all its renewals.
    const leaseMs = 2_000
    start([held], { leaseMs })
    await running.promise
    start([jobOf(async () => void others++, { everyMs: 100 })], { leaseMs })
    onTestFinished(() => release.resolve())
    await sleep(2 * leaseMs)
    expect(others).toBe(0)
  })

  test('lost to another copy aborts the job, and the other keeps it', async () => {
    const aborted = Promise.withResolvers<number>()
    const running = Promise.withResolvers<void>()
    start(
      [
        jobOf(async (_world, signal) => {
          running.resolve()
          await untilAborted(signal)
          aborted.resolve(performance.now())
        }),
      ],
      { leaseMs: 600 },
    )
    await running.promise
    const begun = performance.now()
    const theirs = { holder: 'other', expires_at: Date.now() + 60_000 }
    await database.sql.updateTable('leases').set(theirs).where('name', '=', 'job').execute()
    expect((await aborted.promise) - begun).toBeLessThan(roomFor(2_000))
    expect(events()).toContain('job lease lost')
    await sleep(300)
    expect(await database.sql.selectFrom('leases').selectAll().execute()).toEqual([{ name: 'job', ...theirs }])
  })

  test('that cannot be renewed aborts the job before it runs out, not at the first fault', async () => {
    const aborted = Promise.withResolvers<void>()
    const running = Promise.withResolvers<void>()
    let abortedAt = 0
    start(
      [
        jobOf(async (_world, signal) => {
          running.resolve()
          await untilAborted(signal)
          abortedAt = performance.now()
          aborted.resolve()
        }),
      ],
      { leaseMs: 3_600 },
    )
    await running.promise
    const begun = performance.now()
    await database.close()
    await aborted.promise
    expect(lines.filter(line => line.event === 'job leases could not be renewed').length).toBeGreaterThanOrEqual(2)
    expect(abortedAt - begun).toBeGreaterThan(1_600)
    expect(abortedAt - begun).toBeLessThan(roomFor(3_600))
  })

  test('is kept over many runs, by few statements', async () => {
    let runs = 0
    let renewals = 0
    const sql = world.sql.withPlugin({
      transformQuery({ node }) {
        renewals += 1
        return node
      },
      transformResult: async ({ result }) => result,
    })
    world = { ...world, sql }
    const names = ['one', 'two', 'three']
    const leaseMs = 3_000
    const begun = performance.now()
    start(
      names.map(name => jobOf(async () => void runs++, { name, everyMs: 20 })),
      { leaseMs },
    )
    await expect.poll(() => runs).toBeGreaterThanOrEqual(150)
    // One when they began, and one for each third of the lease.
    expect(renewals).toBeLessThanOrEqual(2 + (performance.now() - begun) / (leaseMs / 3))
    const leases = await database.sql.selectFrom('leases').select('name').execute()
    expect(leases.map(({ name }) => name).toSorted()).toEqual(names.toSorted())
  })

  test('of a dead copy is taken over when it has run out', async () => {
    const expiresAt = Date.now() + 900
    await database.sql.insertInto('leases').values({ name: 'job', holder: 'dead', expires_at: expiresAt }).execute()
    const ranAt = Promise.withResolvers<number>()
    start([jobOf(async () => ranAt.resolve(Date.now()))], { leaseMs: 1_500 })
    const taken = await ranAt.promise
    expect(taken).toBeGreaterThanOrEqual(expiresAt)
    expect(taken).toBeLessThan(expiresAt + roomFor(1_500))
  })

  test('is not asked for where no other copy can use the database', async () => {
    let runs = 0
    start([jobOf(async () => void runs++, { everyMs: 20 })], { holder: null })
    await expect.poll(() => runs).toBeGreaterThanOrEqual(10)
    expect(await database.sql.selectFrom('leases').selectAll().execute()).toEqual([])
  })
})
