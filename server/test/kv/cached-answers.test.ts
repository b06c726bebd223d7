// Tests cached answers in both stores: their lifetime, their keys, and the maximum of all together.
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { answerEntryBytes } from '../../src/kv/cached-answers.ts'
import type { Store } from '../../src/kv/store.ts'
import { createHandClock, type OpenStore, openProcessStore, openRedisStore } from './stores.ts'

const noon = Date.UTC(2026, 4, 1, 12)

describe.each<[string, OpenStore]>([
  ['in the process', openProcessStore],
  ['on Redis', openRedisStore(inject('redisUrl'))],
])('cached answers %s', (_name, open) => {
  const clock = createHandClock(noon)
  async function openFresh(answerBytes?: number): Promise<Store> {
    clock.set(noon)
    const store = await open({ clock, ...(answerBytes !== undefined && { answerBytes }) })
    onTestFinished(() => store.close())
    return store
  }
  /** The keys that have an answer, each with its own. */
  const found = async (store: Store, keys: readonly string[]) => {
    const answers = await Promise.all(keys.map(async key => ({ key, answer: await store.findAnswer(key) })))
    return answers.filter(({ answer }) => answer !== null).map(({ key }) => key)
  }

  test('are found under their own key until they expire', async () => {
    const store = await openFresh()
    expect(await store.findAnswer('p:u:1')).toBeNull()
    await store.keepAnswer('p:u:1', 'an answer with spaces, ü and 😀', 60)
    await store.keepAnswer('p:u:2', 'longer', 61)
    expect(await store.findAnswer('p:u:1')).toBe('an answer with spaces, ü and 😀')
    expect(await store.findAnswer('p:u:')).toBeNull()
    clock.advance(59_999)
    expect(await found(store, ['p:u:1', 'p:u:2'])).toEqual(['p:u:1', 'p:u:2'])
    clock.advance(1)
    expect(await found(store, ['p:u:1', 'p:u:2'])).toEqual(['p:u:2'])
  })

  test('replace the earlier one, with a lifetime of their own', async () => {
    const store = await openFresh()
    await store.keepAnswer('k', 'first', 60)
    clock.advance(59_000)
    await store.keepAnswer('k', 'second', 60)
    clock.advance(59_000)
    expect(await store.findAnswer('k')).toBe('second')
  })

  test('must have a lifetime that is a whole number', async () => {
    const store = await openFresh()
    for (const seconds of [-1, 0.5, Number.NaN]) {
      await expect(store.keepAnswer('k', 'a', seconds)).rejects.toThrow(RangeError)
    }
  })

  test('beyond the maximum, those that were kept first are dropped', async () => {
    const size = 10_000
    const store = await openFresh(4 * (size + answerEntryBytes + 400))
    const keys = ['a', 'b', 'c', 'd', 'e', 'f']
    for (const key of keys.slice(0, 4)) {
      await store.keepAnswer(key, 'x'.repeat(size), 60)
      clock.advance(1)
    }
    // Its size counts once, and it is now the one that was kept last.
    await store.keepAnswer('a', 'y'.repeat(size), 60)
    expect(await found(store, keys)).toEqual(['a', 'b', 'c', 'd'])
    for (const key of ['e', 'f']) {
      clock.advance(1)
      await store.keepAnswer(key, 'x'.repeat(size), 60)
    }
    expect(await found(store, keys)).toEqual(['a', 'd', 'e', 'f'])
    clock.advance(1)
    await store.keepAnswer('large', 'x'.repeat(3 * size), 60)
    expect(await found(store, [...keys, 'large'])).toEqual(['f', 'large'])
  })

  test('one that alone exceeds the maximum is not kept, and replaces the earlier one with nothing', async () => {
    const store = await openFresh(10_000)
    await store.keepAnswer('other', 'x', 60)
    await store.keepAnswer('k', 'x', 60)
    await store.keepAnswer('k', 'x'.repeat(10_000), 60)
    expect(await found(store, ['other', 'k'])).toEqual(['other'])
  })

  test('are forgotten by the beginning of their key, and no others', async () => {
    const store = await openFresh(20_000)
    const keys = ['p1:u1:a', 'p1:u1:b', 'p1:u2:a', 'p1:u*:a', 'P1:u1:a', 'xp1:u1:a']
    for (const key of keys) await store.keepAnswer(key, 'x', 60)
    await store.forgetAnswers('p1:u*')
    expect(await found(store, keys)).toEqual(keys.filter(key => key !== 'p1:u*:a'))
    for (let times = 0; times < 2; times++) await store.forgetAnswers('p1:u1:')
    expect(await found(store, keys)).toEqual(['p1:u2:a', 'P1:u1:a', 'xp1:u1:a'])
    await store.forgetAnswers('p1:')
    expect(await found(store, keys)).toEqual(['P1:u1:a', 'xp1:u1:a'])
    // What was forgotten leaves its bytes to others.
    for (let at = 0; at < 20; at++) {
      clock.advance(1)
      await store.keepAnswer(`new:${at}`, 'x'.repeat(5_000), 60)
    }
    expect(await found(store, ['new:17', 'new:18', 'new:19'])).toEqual(['new:17', 'new:18', 'new:19'])
  })
})
