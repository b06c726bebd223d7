// The cache of short-lived credentials: when it fetches, whom a token serves, and what it does when a fetch fails.

import { beforeEach, describe, expect, it } from 'vitest'
import { createTokenCache, type ShortLived, type TokenCache } from '../../../src/providers/clouds/token-cache.ts'

const owner = { tenantId: 'tenant-1', credential: '{"role":"a"}' }
const hour = 3_600_000

let time: number
let cache: TokenCache
let fetches: PromiseWithResolvers<ShortLived<string>>[]

beforeEach(() => {
  time = 1_000_000
  cache = createTokenCache(() => time)
  fetches = []
})

const get = (of = owner) =>
  cache.get(of, () => {
    const fetch = Promise.withResolvers<ShortLived<string>>()
    fetches.push(fetch)
    return fetch.promise
  })
const answer = (value: string, lifeMs = hour) => fetches.at(-1)?.resolve({ value, expiresAt: time + lifeMs })

async function getFetched(value: string, of = owner) {
  const token = get(of)
  answer(value)
  return await token
}

describe('a token', () => {
  it('is fetched once for all who wait for it, and then served without a promise', async () => {
    const waiting = [get(), get()]
    answer('one')
    expect(await Promise.all(waiting)).toEqual(['one', 'one'])
    expect(get()).toBe('one')
    expect(fetches).toHaveLength(1)
  })

  it('is replaced a minute before it expires', async () => {
    await getFetched('one')
    time += hour - 60_000
    expect(get()).toBe('one')
    time += 1
    expect(await getFetched('two')).toBe('two')
    expect(get()).toBe('two')
  })

  it.each([
    ['tenant', { ...owner, tenantId: 'tenant-2' }],
    ['credential', { ...owner, credential: '{"role":"b"}' }],
  ])('never serves another %s', async (_, other) => {
    await getFetched('one')
    expect(await getFetched('two', other)).toBe('two')
    expect(get()).toBe('one')
  })

  it('that the provider rejected is fetched again', async () => {
    expect(cache.forget(owner)).toBe(false)
    await getFetched('one')
    expect(cache.forget(owner)).toBe(true)
    expect(await getFetched('two')).toBe('two')
  })
})

describe('a failed fetch', () => {
  const fail = () => fetches.at(-1)?.reject(new Error('the issuer is down'))

  it('fails all who wait, and the next one fetches again', async () => {
    const waiting = [get(), get()]
    fail()
    for (const token of waiting) await expect(token).rejects.toThrow('the issuer is down')
    expect(await getFetched('one')).toBe('one')
  })

  it('lets the last token serve until it expires', async () => {
    await getFetched('one')
    time += hour - 1
    const waiting = get()
    fail()
    expect(await waiting).toBe('one')
    time += 1
    const late = get()
    fail()
    await expect(late).rejects.toThrow('the issuer is down')
    expect(cache.forget(owner)).toBe(false)
  })
})

it('holds a bounded number of tokens, and drops the oldest', async () => {
  for (let at = 0; at <= 10_000; at++) await getFetched(`token-${at}`, { tenantId: `tenant-${at}`, credential: '' })
  expect(get({ tenantId: 'tenant-10000', credential: '' })).toBe('token-10000')
  expect(get({ tenantId: 'tenant-1', credential: '' })).toBe('token-1')
  expect(get({ tenantId: 'tenant-0', credential: '' })).toBeInstanceOf(Promise)
})
