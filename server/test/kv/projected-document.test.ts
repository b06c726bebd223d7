// Tests projected documents over a store and a database whose responses the test holds back, changes and removes.
import { describe, expect, test } from 'vitest'
import { type DocumentSource, type Projected, ProjectedDocument, retryMs } from '../../src/kv/projected-document.ts'
import { ProjectedDocuments } from '../../src/kv/projected-documents.ts'
import { StoreUnavailable } from '../../src/kv/store.ts'
import { createHandClock } from './stores.ts'

interface Text extends Projected {
  text: string
}

const lifeMs = 30_000
const textOf = (revision: number, text = `r${revision}`): Text => ({ revision, text })
const answer = new Error('the row is gone')

function openSources(options: Partial<DocumentSource<string, Text>> = {}) {
  const clock = createHandClock(1_000_000)
  const world = {
    /** The store's document: null if it has none, an error if it throws. */
    stored: null as Text | null | Error,
    row: new Error('database unreachable') as Text | Error,
    /** While not null, reads of the store wait here; they return the document of when they began. */
    held: null as (() => void)[] | null,
    reads: [] as string[],
    failures: [] as string[],
    changes: [] as number[],
  }
  const source: DocumentSource<string, Text> = {
    now: clock.now,
    lifeMs,
    async fromStore(ref) {
      world.reads.push(`store ${ref}`)
      const { stored, held } = world
      if (held !== null) await new Promise<void>(resolve => held.push(resolve))
      if (stored instanceof Error) throw stored
      return stored
    },
    async fromDatabase(ref) {
      world.reads.push(`database ${ref}`)
      if (world.row instanceof Error) throw world.row
      return world.row
    },
    isAnswer: error => error === answer,
    onUnavailable: from => void world.failures.push(from),
    onChange: ({ revision }) => void world.changes.push(revision),
    ...options,
  }
  return { clock, world, source }
}

function open(options: Partial<DocumentSource<string, Text>> = {}) {
  const { source, ...sources } = openSources(options)
  const document = new ProjectedDocument(source, 'a')
  const { world } = sources
  /** Holds back reads of the store. Returns a function that releases them; call it once. */
  const hold = (): (() => void) => {
    world.held = []
    const { held } = world
    return () => {
      world.held = null
      for (const resolve of held) resolve()
    }
  }
  return { ...sources, document, hold, textNow: async () => (await document.get())?.text ?? null }
}

describe('a document is read', () => {
  test('from the store alone where that has it', async () => {
    const { world, textNow } = open()
    world.stored = textOf(1)
    expect(await textNow()).toBe('r1')
    expect(world.reads).toEqual(['store a'])
  })

  test.each([null, new StoreUnavailable()])('from the database where the store has %s', async stored => {
    const { world, textNow } = open()
    Object.assign(world, { stored, row: textOf(1) })
    expect(await textNow()).toBe('r1')
    expect(world.reads).toEqual(['store a', 'database a'])
    expect(world.failures).toEqual(stored === null ? [] : ['store'])
  })

  test('again once its life is over, and not before, without a promise until then', async () => {
    const { clock, world, document, textNow } = open()
    world.stored = textOf(1)
    await textNow()
    world.stored = textOf(2)
    clock.advance(lifeMs - 1)
    expect(document.find()?.text).toBe('r1')
    clock.advance(1)
    expect(document.find()).toBeNull()
    expect(await textNow()).toBe('r2')
    expect(world.changes).toEqual([1, 2])
  })

  test('again where the caller wants it younger', async () => {
    const { clock, world, document, textNow } = open()
    world.stored = textOf(1)
    await textNow()
    world.stored = textOf(2)
    clock.advance(500)
    expect((await document.getWithin(501))?.text).toBe('r1')
    expect((await document.getWithin(500))?.text).toBe('r2')
    expect(world.reads).toHaveLength(2)
  })

  test('once for all who ask at the same time', async () => {
    const { world, document, hold, textNow } = open()
    world.stored = textOf(1)
    const release = hold()
    const asked = [textNow(), textNow(), document.read()]
    release()
    await Promise.all(asked)
    expect(world.reads).toHaveLength(1)
  })

  test('once more for all who want it as of now while a read is under way', async () => {
    const { world, document, hold, textNow } = open()
    world.stored = textOf(1)
    const release = hold()
    const first = textNow()
    world.stored = textOf(2)
    const asked = [document.getWithin(0), document.getWithin(0)]
    release()
    expect(await first).toBe('r1')
    expect(await Promise.all(asked)).toEqual([textOf(2), textOf(2)])
    expect(world.reads).toHaveLength(2)
  })
})

describe('a change', () => {
  test('makes the next caller read, unless its revision is known', async () => {
    const { world, document, textNow } = open()
    world.stored = textOf(2)
    await textNow()
    document.supersede(2)
    expect(document.find()).not.toBeNull()
    document.supersede(3)
    expect(document.find()).toBeNull()
    expect(document.known?.text).toBe('r2')
    world.stored = textOf(3)
    expect(await textNow()).toBe('r3')
    document.supersede()
    expect(document.find()).toBeNull()
  })

  test.each([2, undefined])('(%s) supersedes a read that is under way', async revision => {
    const { world, document, hold, textNow } = open()
    world.stored = textOf(1)
    const release = hold()
    const before = textNow()
    document.supersede(revision)
    release()
    expect(await before).toBe('r1')
    expect([document.find(), document.known?.text]).toEqual([null, 'r1'])
    world.stored = textOf(2)
    expect(await textNow()).toBe('r2')
  })

  test('does not let who comes after it wait for the read before it, whose document replaces no newer one', async () => {
    const { world, document, hold, textNow } = open()
    world.stored = textOf(1)
    const release = hold()
    const before = textNow()
    world.held = null
    document.supersede(2)
    world.stored = textOf(2)
    expect(await textNow()).toBe('r2')
    release()
    expect(await before).toBe('r1')
    expect(document.find()?.text).toBe('r2')
  })

  test('leaves nothing to use instead where a superseded document is dropped, known or being read', async () => {
    const { world, document, hold, textNow } = open({ dropsSuperseded: true })
    world.stored = textOf(1)
    await textNow()
    document.supersede(2)
    expect(document.known).toBeNull()
    const release = hold()
    const before = textNow()
    document.supersede(2)
    release()
    expect(await before).toBe('r1')
    world.stored = new StoreUnavailable()
    expect(await textNow()).toBeNull()
  })
})

describe('an older document', () => {
  test('in the store is no answer: the database is asked', async () => {
    const { world, document, textNow } = open()
    world.stored = textOf(5)
    await textNow()
    Object.assign(world, { stored: textOf(4), row: textOf(6) })
    expect((await document.getWithin(0))?.text).toBe('r6')
  })

  test('never replaces a newer one, from the store or the database', async () => {
    const { world, document, textNow } = open()
    world.stored = textOf(5)
    await textNow()
    Object.assign(world, { stored: textOf(4), row: textOf(3) })
    expect((await document.getWithin(0))?.text).toBe('r5')
    expect(world.changes).toEqual([5])
  })
})

describe('where neither store nor database can be asked', () => {
  test('the last known document is used, and they are asked again after a second', async () => {
    const { clock, world, document, textNow } = open()
    world.stored = textOf(1)
    await textNow()
    world.stored = new StoreUnavailable()
    clock.advance(lifeMs)
    expect(await textNow()).toBe('r1')
    expect(world.failures).toEqual(['store', 'database'])
    clock.advance(retryMs - 1)
    expect(document.find()?.text).toBe('r1')
    clock.advance(1)
    expect(document.find()).toBeNull()
  })

  test('not even for that second after a change', async () => {
    const { world, document, hold, textNow } = open()
    world.stored = textOf(1)
    await textNow()
    world.stored = new StoreUnavailable()
    const release = hold()
    const asked = document.read()
    document.supersede(2)
    release()
    expect((await asked)?.text).toBe('r1')
    expect(document.find()).toBeNull()
  })

  test('it is used for a bounded time only, where one is set', async () => {
    const { clock, world, textNow } = open({ lastKnownMs: 60_000 })
    world.stored = textOf(1)
    await textNow()
    world.stored = new StoreUnavailable()
    clock.advance(59_999)
    expect(await textNow()).toBe('r1')
    clock.advance(1)
    expect(await textNow()).toBeNull()
  })

  test('and none is known there is none', async () => {
    const { world, textNow } = open()
    expect(await textNow()).toBeNull()
    expect(world.failures).toEqual(['database'])
  })
})

test('an error by which the database answers reaches the callers, and what was known is not used any more', async () => {
  const { world, document, textNow } = open()
  world.stored = textOf(1)
  await textNow()
  Object.assign(world, { stored: null, row: answer })
  await expect(document.getWithin(0)).rejects.toBe(answer)
  expect([document.find(), document.isReading]).toEqual([null, false])
  world.row = new Error('database unreachable')
  expect(await textNow()).toBeNull()
  world.row = textOf(1)
  expect(await textNow()).toBe('r1')
})

describe('a doubtful document of the store', () => {
  const doubtful: Text = { ...textOf(2, 'doubtful'), isDoubtful: true }

  test('is the database\u2019s to confirm, unless that is older', async () => {
    const { world, document, textNow } = open()
    Object.assign(world, { stored: doubtful, row: textOf(2, 'whole') })
    expect(await textNow()).toBe('whole')
    world.stored = { ...doubtful, revision: 3 }
    expect((await document.getWithin(0))?.text).toBe('doubtful')
  })

  test('is used while the database cannot be asked, which is tried again after a second', async () => {
    const { clock, world, document, textNow } = open()
    world.stored = doubtful
    expect(await textNow()).toBe('doubtful')
    clock.advance(retryMs)
    expect(document.find()).toBeNull()
    world.row = textOf(2, 'whole')
    expect(await textNow()).toBe('whole')
  })
})

describe('a collection', () => {
  const collect = (bounds: ConstructorParameters<typeof ProjectedDocuments<string, Text>>[1], options = {}) => {
    const { clock, world, source } = openSources(options)
    const documents = new ProjectedDocuments(source, bounds)
    world.stored = textOf(1)
    const keysOf = (keys: string) => [...keys].filter(key => documents.peek(key) !== null).join('')
    const get = async (keys: string) => {
      for (const key of keys) await documents.get(key, key)
    }
    return { clock, world, documents, get, keysOf }
  }

  test('drops those that were read longest ago, by their number', async () => {
    const { clock, get, keysOf } = collect({ maxDocuments: 4 })
    await get('abcd')
    clock.advance(lifeMs)
    await get('a')
    expect(keysOf('abcd')).toBe('abcd')
    await get('e')
    expect(keysOf('abcde')).toBe('ade')
  })

  test('and by their size; the newest stays however large', async () => {
    const { world, get, keysOf } = collect({ maxDocuments: 9, maxBytes: 10, sizeOf: ({ text }) => text.length })
    await get('abcde')
    expect(keysOf('abcde')).toBe('abcde')
    await get('f')
    expect(keysOf('abcdef')).toBe('cdef')
    world.stored = textOf(1, 'x'.repeat(99))
    await get('g')
    expect(keysOf('abcdefg')).toBe('g')
  })

  test('drops what is too old to be used', async () => {
    const options = { lastKnownMs: 60_000, dropsSuperseded: true }
    const { clock, documents, get, keysOf } = collect({ maxDocuments: 9 }, options)
    await get('xab')
    documents.supersede('x', 2)
    clock.advance(60_000)
    await get('c')
    expect(keysOf('abc')).toBe('c')
  })

  test('keeps nothing of what could not be read', async () => {
    const { world, documents, get, keysOf } = collect({ maxDocuments: 2 })
    await get('d')
    world.stored = null
    for (const key of 'abc') expect(await documents.get(key, key)).toBeNull()
    world.stored = textOf(1)
    await get('e')
    expect(keysOf('abcde')).toBe('de')
  })

  test('supersedes one, or all', async () => {
    const { documents, get } = collect({ maxDocuments: 9 })
    await get('ab')
    documents.supersede('a', 2)
    expect([documents.find('a'), documents.find('b')?.text]).toEqual([null, 'r1'])
    documents.supersedeAll()
    expect([documents.find('b'), documents.peek('b')?.text]).toEqual([null, 'r1'])
  })

  test('never replaces a document by one that was dropped before it could be read', async () => {
    const { world, documents } = collect({ maxDocuments: 9 })
    const first: (() => void)[] = []
    Object.assign(world, { stored: null, held: first })
    const failing = documents.get('a', 'a')
    const waiting = documents.getWithin('a', 'a', 0)
    const second: (() => void)[] = []
    Object.assign(world, { stored: textOf(1), held: second })
    for (const resolve of first) resolve()
    expect(await failing).toBeNull()
    Object.assign(world, { stored: textOf(2), held: null })
    expect((await documents.get('a', 'a'))?.text).toBe('r2')
    for (const resolve of second) resolve()
    expect((await waiting)?.text).toBe('r1')
    expect(documents.find('a')?.text).toBe('r2')
  })
})
