// Tests the store on a Redis that fails: killed, flushed, stopped, full or damaged; and starts that Redis refuses.
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { StartupProblem } from '../../../src/domain/startup-problem.ts'
import { type Store, StoreUnavailable } from '../../../src/kv/store.ts'
import { startRedis } from '../../support/redis.ts'
import { startProxy } from '../../support/simulated/breakable-proxy.ts'
import { roomFor } from '../../support/slowness.ts'
import { demandOf, type LogLine, requestOf, seed } from '../stores.ts'
import { open, runCommand, type Server } from './redis-stage.ts'

const isBack = (store: Store) =>
  expect.poll(() =>
    store.ping().then(
      () => 'back',
      () => 'away',
    ),
  )

describe('a Redis that fails', () => {
  let server: Server
  beforeEach(async () => {
    server = await startRedis()
  })
  afterEach(() => {
    wake(server)
    return server.stop()
  })

  test('killed: StoreUnavailable at once, back by itself, empty means unseeded, and a resync is told', async () => {
    const { store, changes, lines } = await open(server)
    await seed(store, ['project'])
    expect(await store.admit(requestOf())).toMatchObject({ admitted: true })
    await server.kill()
    const begun = performance.now()
    await expect(store.admit(requestOf())).rejects.toThrow(StoreUnavailable)
    await expect(store.ping()).rejects.toThrow(StoreUnavailable)
    expect(performance.now() - begun).toBeLessThan(roomFor(3_000))
    await server.restart()
    await isBack(store).toBe('back')
    expect(await store.admit(requestOf())).toMatchObject({ admitted: false, reason: 'unseeded' })
    await expect.poll(() => changes.some(change => change.kind === 'resync')).toBe(true)
    const said = lines.map(line => line.event)
    expect(said).toContain('redis connection lost')
    expect(said).toContain('redis connection is back')
    await seed(store, ['project'])
    expect(await store.admit(requestOf())).toMatchObject({ admitted: true })
  })

  test('flushed while connected: unseeded, and the scripts are sent anew', async () => {
    const { store } = await open(server)
    const admin = await open(server, { keyPrefix: 'admin:' })
    await seed(store, ['project'])
    await store.admit(requestOf())
    await runCommand(server, 'FLUSHALL')
    await runCommand(server, 'SCRIPT', 'FLUSH')
    expect(await store.admit(requestOf())).toMatchObject({ reason: 'unseeded' })
    expect(await store.claimEvents('one', 1, 0)).toEqual([])
    expect(await admin.store.isSeeded()).toBe(false)
  })

  test.each([
    { first: 'known script', counted: 2 },
    { first: 'unknown script', counted: 1 },
  ])(
    'stopped: StoreUnavailable within the deadline, no pile-up, and on it goes ($first)',
    async ({ first, counted }) => {
      const { store } = await open(server, { commandTimeoutMs: 500 })
      await seed(store, ['project'])
      if (first === 'known script') await store.admit(requestOf())
      else await runCommand(server, 'SCRIPT', 'FLUSH')
      process.kill(server.pid, 'SIGSTOP')
      const begun = performance.now()
      await expect(store.admit(requestOf())).rejects.toThrow(StoreUnavailable)
      const waited = performance.now() - begun
      expect(waited).toBeGreaterThan(400)
      expect(waited).toBeLessThan(roomFor(3_000))
      const attempts = await Promise.allSettled(Array.from({ length: 5_000 }, () => store.admit(requestOf())))
      expect(attempts.every(attempt => attempt.status === 'rejected')).toBe(true)
      process.kill(server.pid, 'SIGCONT')
      await isBack(store).toBe('back')
      // Redis reads the first request too late to count it. None of the 5,000 was sent.
      const answer = await store.admit(requestOf({ projectRequests: 10_000 }))
      expect(answer).toMatchObject({ admitted: true, requests: { remaining: 10_000 - counted } })
    },
  )

  test('stopped for long: the silent connection is made anew', async () => {
    const { store, changes } = await open(server, { commandTimeoutMs: 300 })
    await seed(store, ['project'])
    process.kill(server.pid, 'SIGSTOP')
    await sleep(6_000)
    await expect(store.ping()).rejects.toThrow(StoreUnavailable)
    process.kill(server.pid, 'SIGCONT')
    await isBack(store).toBe('back')
    await expect.poll(() => changes.some(change => change.kind === 'resync')).toBe(true)
    await store.putConfig('project', { revision: 2, status: 'active', body: '' })
    await expect.poll(() => changes.some(change => change.kind === 'config' && change.revision === 2)).toBe(true)
  })

  test('stopped while nobody asks: who listens hears that it was silent', async () => {
    const { changes } = await open(server)
    process.kill(server.pid, 'SIGSTOP')
    await sleep(3_500)
    process.kill(server.pid, 'SIGCONT')
    // On a slow machine, the connection may have been replaced meanwhile.
    const heard = () => changes.some(({ kind }) => kind === 'answers-again' || kind === 'resync')
    await expect.poll(heard).toBe(true)
  })

  test('killed, and commands are back before messages: who listens hears that it answers again', async () => {
    const proxy = await startProxy(server.port)
    const { store, changes } = await open({ url: `redis://127.0.0.1:${proxy.port}` })
    proxy.cut()
    await isBack(store).toBe('away')
    proxy.mendCommands()
    await isBack(store).toBe('back')
    expect(changes).toContainEqual({ kind: 'answers-again' })
    expect(changes).not.toContainEqual({ kind: 'resync' })
    proxy.mend()
    await expect.poll(() => changes.at(-1)).toEqual({ kind: 'resync' })
  })

  test('a clock that is not as it was: the server tells the time, and the admission is asked once more', async () => {
    const { store } = await open(server, { commandTimeoutMs: 5_000 })
    await seed(store, ['project'])
    const { now } = performance
    onTestFinished(() => void vi.restoreAllMocks())
    vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) - 60_000)
    const answer = await store.admit(requestOf({ projectRequests: 9 }))
    expect(answer).toMatchObject({ admitted: true, requests: { remaining: 8 } })
  })

  test.each([
    { word: 'OOM', ail: ['CONFIG', 'SET', 'maxmemory', '1'], heal: ['CONFIG', 'SET', 'maxmemory', '0'] },
    { word: 'READONLY', ail: ['REPLICAOF', '127.0.0.1', '1'], heal: ['REPLICAOF', 'NO', 'ONE'] },
  ])('it takes no writes ($word): away though it answers, and the log says why, once', async ({ word, ail, heal }) => {
    const { store, lines } = await open(server)
    await seed(store, ['project'])
    await store.ping()
    await runCommand(server, ...ail)
    for (let times = 0; times < 3; times++) {
      await expect(store.admit(requestOf({ tokens: demandOf() }))).rejects.toMatchObject({ code: word })
      await expect(store.ping()).rejects.toThrow(StoreUnavailable)
      expect(await store.isSeeded()).toBe(true)
    }
    expect(told(lines)).toEqual([{ code: word, count: 1 }])
    await runCommand(server, ...heal)
    await store.ping()
  })

  test('a value that no script can read: the log says so in one word', async () => {
    const { store, lines } = await open(server)
    await seed(store, ['project'])
    await runCommand(server, 'SET', 'sallyport:held:{project}', 'secret-value')
    for (let times = 0; times < 3; times++) {
      await expect(store.admit(requestOf({ tokens: demandOf() }))).rejects.toMatchObject({ code: 'WRONGTYPE' })
    }
    expect(told(lines)).toEqual([{ code: 'WRONGTYPE', count: 1 }])
  })

  test('full memory: what needs more fails whole, kill switches still go through', async () => {
    const { store } = await open(server)
    await seed(store, ['project'])
    await runCommand(server, 'CONFIG', 'SET', 'maxmemory', '1')
    await expect(store.admit(requestOf({ tokens: demandOf() }))).rejects.toThrow(StoreUnavailable)
    expect(await store.putKillSwitches({ global: true, tenants: [], projects: [] }, 2)).toBe('stored')
    expect(await store.admit(requestOf())).toMatchObject({ reason: 'killed' })
    await runCommand(server, 'CONFIG', 'SET', 'maxmemory', '0')
    await store.putKillSwitches({ global: false, tenants: [], projects: [] }, 3)
    expect(await store.admit(requestOf({ projectRequests: 1 }))).toMatchObject({ admitted: true })
  })
})

describe('the start', () => {
  test('fails in time and in one sentence where no Redis is, without the address', async () => {
    const begun = performance.now()
    const failure = await open({ url: 'redis://:hunter2@127.0.0.1:1' }, { startTimeoutMs: 400 }).catch(error => error)
    expect(failure).toBeInstanceOf(StartupProblem)
    expect(failure.message).toMatch(/^Redis at REDIS_URL does not answer within \d+ seconds \(ECONNREFUSED\)$/)
    expect(performance.now() - begun).toBeLessThan(roomFor(5_000))
    const unreadable = await open({ url: 'http://:hunter2@127.0.0.1' }).catch(error => error)
    expect(unreadable).toBeInstanceOf(StartupProblem)
    expect(unreadable.message).not.toContain('hunter2')
  })

  test('fails in time where something listens and never answers', async () => {
    const mute = createServer()
    await new Promise<void>(resolve => mute.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void mute.close())
    const address = mute.address()
    const port = typeof address === 'object' ? address?.port : 0
    await expect(open({ url: `redis://127.0.0.1:${port}` }, { startTimeoutMs: 500 })).rejects.toThrow(StartupProblem)
  })

  test.each([
    { args: ['--maxmemory-policy', 'allkeys-lru'], said: /noeviction/ },
    { args: ['--rename-command', 'INFO', ''], said: /reports no maxmemory policy/ },
    { args: [], said: null },
  ])('says when keys may be evicted: $args', async ({ args, said }) => {
    const server = await startRedis({ args })
    onTestFinished(() => server.stop())
    const { lines } = await open(server)
    const warnings = lines.filter(line => line.level === 'warn').map(line => line.event)
    if (said === null) expect(warnings).toEqual([])
    else expect(warnings).toEqual([expect.stringMatching(said)])
  })
})

const told = (lines: readonly LogLine[]) =>
  lines.filter(({ event }) => event === 'redis rejected a command').map(({ fields }) => fields)

/** Continues a server that a failed test may have left stopped. */
function wake(server: Server): void {
  try {
    process.kill(server.pid, 'SIGCONT')
  } catch {
    // The process has already ended.
  }
}
