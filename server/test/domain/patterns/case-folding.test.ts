// The other case of each letter of a set: the same as letter by letter, whatever the ranges, and as fast for wide ones.
import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { foldCase } from '../../../src/domain/patterns/case-folding.ts'
import { type CharacterSet, unite } from '../../../src/domain/patterns/character-set.ts'
import { processorMsOf } from '../../support/slowness.ts'

const cased: CharacterSet = [0x41, 0x5a, 0x61, 0x7a, 0xb5, 0x58f, 0x1e00, 0x1fff]

function isCased(code: number): boolean {
  for (let block = 0; block < cased.length; block += 2) {
    if (code >= (cased[block] as number) && code <= (cased[block + 1] as number)) return true
  }
  return false
}

function foldSlowly(set: CharacterSet): CharacterSet {
  const sets: CharacterSet[] = [set]
  for (let at = 0; at < set.length; at += 2) {
    for (let code = set[at] as number; code <= (set[at + 1] as number); code++) {
      if (!isCased(code)) continue
      const letter = String.fromCharCode(code)
      for (const other of [letter.toLowerCase(), letter.toUpperCase()]) {
        if (other.length === 1) sets.push([other.charCodeAt(0), other.charCodeAt(0)])
      }
    }
  }
  return unite(sets)
}

const range = fc
  .tuple(fc.integer({ min: 0, max: 0x2100 }), fc.oneof(fc.constant(0), fc.nat(40), fc.nat(0x2100)))
  .map(([from, length]): CharacterSet => [from, from + length])

test('is the same as letter by letter', () => {
  fc.assert(
    fc.property(fc.array(range, { minLength: 1, maxLength: 5 }), ranges => {
      const set = unite(ranges)
      expect(foldCase(set)).toEqual(foldSlowly(set))
    }),
    { numRuns: inject('prove') ? 20_000 : 500 },
  )
})

test('a set that is as wide as Unicode costs no more than a narrow one many times over', () => {
  const fold = (to: number) => () => {
    for (let at = 0; at < 5_000; at++) foldCase([0x41, to - (at % 7)])
  }
  processorMsOf(fold(0x10ffff))
  expect(processorMsOf(fold(0x10ffff))).toBeLessThan(100)
})
