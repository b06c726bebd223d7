// The part of the contract of the key-value store about conversations, and about the replicas that it knows.
import { expect, test } from 'vitest'
import type { Store, StoreChange } from '../../src/kv/store.ts'
import { type Clock, noon } from './contract-stage.ts'

export function describeConversations(fresh: () => Store, clock: Clock): void {
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

export function describeCopies(fresh: () => Store, clock: Clock): void {
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
