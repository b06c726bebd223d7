import { afterEach, describe, expect, test, vi } from 'vitest'
import { readKeySet } from '../../../src/crypto/keys/key-set.ts'
import { createRemoteKeySet, type FetchFailure, type KeySetReply } from '../../../src/crypto/keys/remote-key-set.ts'
import { keySetText, makeKey } from '../token-kit.ts'

const minute = 60_000
const first = keySetText(makeKey('a'))
const second = keySetText(makeKey('b'))

/** A key set whose origin and clock are the test's to set. */
function start(
  reply: () => KeySetReply | Promise<KeySetReply> = () => ({ status: 200, body: first }),
  cacheTtlSeconds = 300,
) {
  const origin = { reply, clock: 1_000_000, failures: [] as FetchFailure[] }
  const keySet = createRemoteKeySet({
    url: 'http://keys.example/jwks',
    fetch: async () => origin.reply(),
    read: text => readKeySet(text, { algorithms: ['RS256'], reservedKids: new Set() }),
    now: () => origin.clock,
    cacheTtlSeconds,
    onFailure: failure => origin.failures.push(failure),
  })
  return { origin, keySet }
}

const settle = () => new Promise(resolve => setImmediate(resolve))
const down = (): never => {
  throw new Error('connection refused')
}

afterEach(() => void vi.useRealTimers())

test('one fetch serves all who wait for the first set, and the cache time after it', async () => {
  const { origin, keySet } = start()
  expect(keySet.current()).toBeNull()
  expect(keySet.ageMs()).toBeNull()
  const sets = await Promise.all(Array.from({ length: 1000 }, () => keySet.ready()))
  expect(new Set(sets).size).toBe(1)
  origin.clock += 299_999
  expect(keySet.current()?.keys.has('a')).toBe(true)
  expect(keySet.counters).toEqual({ fetches: 1, failures: 0, suppressed: 0, rotations: 0 })
})

test('past the cache time the set serves on while one fetch confirms it, and stays the same object', async () => {
  const { origin, keySet } = start()
  const set = await keySet.ready()
  origin.clock += 300_000
  for (let at = 0; at < 1000; at++) expect(keySet.current()).toBe(set)
  await settle()
  expect(keySet.counters.fetches).toBe(2)
  expect(keySet.current()).toBe(set)
  expect(keySet.ageMs()).toBe(0)
})

test('after a long idle time the caller waits for the fetch: a removed key is not served once more', async () => {
  const { origin, keySet } = start()
  await keySet.ready()
  origin.reply = () => ({ status: 200, body: second })
  origin.clock += 30 * minute
  expect(keySet.current()).toBeNull()
  expect([...((await keySet.ready())?.keys.keys() ?? [])]).toEqual(['b'])
  expect(keySet.counters.rotations).toBe(1)
})

describe('the origin fails', () => {
  test('59 minutes: served; 61 minutes: nothing is; healed: at once', async () => {
    const { origin, keySet } = start()
    const set = await keySet.ready()
    origin.reply = down
    for (let passed = 0; passed < 59; passed++) {
      origin.clock += minute
      expect(await keySet.ready(), `minute ${passed + 1}`).toBe(set)
    }
    origin.clock += 2 * minute
    expect(keySet.current()).toBeNull()
    expect(await keySet.ready()).toBeNull()
    expect(await keySet.seek(false)).toBeNull()
    origin.reply = () => ({ status: 200, body: first })
    origin.clock += minute
    expect(await keySet.ready()).not.toBeNull()
  })

  test('an idle copy that finds its origin down still has the stale hour', async () => {
    const { origin, keySet } = start()
    const set = await keySet.ready()
    origin.reply = down
    origin.clock += 59 * minute
    expect(await keySet.ready()).toBe(set)
  })

  test('it is asked less and less often, not by every request', async () => {
    const { origin, keySet } = start(down)
    for (let ms = 0; ms < 5 * minute; ms += 50) {
      expect(await keySet.ready()).toBeNull()
      origin.clock += 50
    }
    // 1 + 2 + 4 + 8 + 16 seconds, then every 30.
    expect(keySet.counters.fetches).toBe(14)
    expect(origin.failures).toEqual(Array(14).fill('unreachable'))
  })

  test('healed, it is trusted to answer again: an idle copy waits for it, and a new failure is retried soon', async () => {
    const { origin, keySet } = start(down)
    for (let second = 0; second < 20; second++) {
      await keySet.ready()
      origin.clock += 1000
    }
    origin.reply = () => ({ status: 200, body: first })
    origin.clock += minute
    await keySet.ready()
    origin.clock += 30 * minute
    expect(keySet.current()).toBeNull()
    await keySet.ready()
    origin.reply = down
    origin.clock += 6 * minute
    await keySet.ready()
    const { fetches } = keySet.counters
    origin.clock += 999
    await keySet.ready()
    expect(keySet.counters.fetches).toBe(fetches)
    origin.clock += 1
    keySet.current()
    expect(keySet.counters.fetches).toBe(fetches + 1)
  })

  test('healed by the lookup of an unknown key, it is asked at the cache time again', async () => {
    const { origin, keySet } = start(undefined, 3)
    await keySet.ready()
    origin.reply = down
    for (let passed = 0; passed < 20; passed++) {
      origin.clock += 1000
      await keySet.ready()
      await settle()
    }
    origin.reply = () => ({ status: 200, body: second })
    await keySet.seek(false)
    const { fetches } = keySet.counters
    origin.clock += 3000
    keySet.current()
    expect(keySet.counters.fetches).toBe(fetches + 1)
  })

  test('a fetch that throws at once, rejects, or never ends is a failed fetch', async () => {
    vi.useFakeTimers()
    let signal: AbortSignal | undefined
    const keySet = createRemoteKeySet({
      url: 'http://keys.example/jwks',
      fetch: (_url, given) => {
        signal = given
        return new Promise(() => undefined)
      },
      read: () => 'no_usable_key',
      now: () => Date.now(),
      cacheTtlSeconds: 300,
    })
    const waiting = keySet.ready()
    await vi.advanceTimersByTimeAsync(4999)
    expect(signal?.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(await waiting).toBeNull()
    expect(signal?.aborted).toBe(true)
    expect(keySet.counters.failures).toBe(1)
  })

  test.each<[string, KeySetReply]>([
    ['an empty object', { status: 200, body: '{}' }],
    ['an array', { status: 200, body: '[]' }],
    ['keys: null', { status: 200, body: '{"keys":null}' }],
    ['no keys', { status: 200, body: '{"keys":[]}' }],
    ['nothing', { status: 200, body: '' }],
    ['HTML', { status: 200, body: '<html>Down for maintenance</html>' }],
    ['a good set with 500', { status: 500, body: second }],
    ['a redirect', { status: 302, body: second }],
    ['204', { status: 204, body: second }],
    ['10 MiB', { status: 200, body: second.padEnd(10 << 20) }],
    ['a private key', { status: 200, body: JSON.stringify({ keys: [{ kty: 'RSA', kid: 'x', d: 'AA' }] }) }],
  ])('%s never replaces a good set', async (_name, reply) => {
    const { origin, keySet } = start()
    const set = await keySet.ready()
    origin.reply = () => reply
    origin.clock += 6 * minute
    expect(await keySet.ready()).toBe(set)
    await settle()
    expect(keySet.current()).toBe(set)
    expect(await keySet.seek(false)).toBe(set)
    expect(keySet.counters).toMatchObject({ failures: 2, rotations: 0 })
    origin.clock += 55 * minute
    expect(await keySet.ready()).toBeNull()
  })
})

describe('unknown kids', () => {
  test.each(['a warm', 'a cold'])('100,000 in a simulated minute with %s start: at most two fetches', async kind => {
    const { origin, keySet } = start(async () => {
      await settle()
      return { status: 200, body: first }
    })
    if (kind === 'a warm') {
      await keySet.ready()
      origin.clock += minute
    }
    const before = keySet.counters.fetches
    const lookups: Promise<unknown>[] = []
    for (let at = 0; at < 100_000; at++) {
      origin.clock += 0.6
      const known = keySet.current()
      lookups.push((known ? Promise.resolve() : keySet.ready()).then(() => keySet.seek(known === null)))
      if (at % 100 === 0) await settle()
    }
    await Promise.all(lookups)
    expect(keySet.counters.fetches - before).toBe(2)
    expect(keySet.counters.suppressed).toBeGreaterThan(90_000)
  })

  test('a key published a moment ago is found by the first lookup', async () => {
    const { origin, keySet } = start()
    await keySet.ready()
    origin.reply = () => ({ status: 200, body: second })
    expect((await keySet.seek(false))?.keys.has('b')).toBe(true)
    origin.reply = () => ({ status: 200, body: first })
    origin.clock += 29_999
    expect((await keySet.seek(false))?.keys.has('a')).toBe(false)
    origin.clock += 1
    expect((await keySet.seek(false))?.keys.has('a')).toBe(true)
  })
})
