// The table for texts that are soon gone: as a Map, also for texts of one digest.
import { expect, test } from 'vitest'
import { ShortLivedMap } from '../../src/collections/short-lived-map.ts'

/** All of one digest, by its rule: 31 × "A" + "a" = 31 × "B" + "B". */
const alike = ['AaAa', 'AaBB', 'BBAa', 'BBBB']

test('it answers as a Map does, whatever is added and taken away', () => {
  const table = new ShortLivedMap<number>()
  const map = new Map<string, number>()
  const texts = [...alike, ...Array.from({ length: 30 }, (_, at) => `text-${at}`), '']
  let state = 7
  const next = (below: number): number => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
  for (let step = 0; step < 20_000; step++) {
    const text = texts[next(texts.length)]!
    const known = map.get(text)
    const action = next(4)
    if (action === 0) {
      table.set(text, step)
      map.set(text, step)
    } else if (action === 1) {
      expect(table.add(text, step)).toBe(known)
      map.set(text, known ?? step)
    } else {
      expect(table.delete(text)).toBe(known)
      map.delete(text)
    }
    expect(table.get(text)).toBe(map.get(text))
    expect(table.size).toBe(map.size)
  }
  for (const text of texts) expect(table.get(text)).toBe(map.get(text))
  expect([...table].toSorted()).toEqual([...map].toSorted())
})

test('texts of one digest are kept apart, in whatever order they go', () => {
  for (const gone of alike) {
    const table = new ShortLivedMap<string>()
    for (const text of alike) table.set(text, text)
    table.delete(gone)
    for (const text of alike) expect(table.get(text)).toBe(text === gone ? undefined : text)
    expect(table.size).toBe(alike.length - 1)
  }
})
