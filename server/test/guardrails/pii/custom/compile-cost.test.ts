// Every legal configuration of own types is checked and compiled in small pieces and in little time: the largest of
// each kind, and random ones near the limits.
import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { getChecked } from '../../../../src/domain/checked.ts'
import type { CustomEntity } from '../../../../src/domain/settings/custom-entities.ts'
import { checkSettingsField } from '../../../../src/domain/settings/settings-rules.ts'
import { compileCustomTypes } from '../../../../src/guardrails/pii/custom/custom-types.ts'
import { collectWhatIsLeft, processorMsOf } from '../../../support/slowness.ts'

const maxPieceMs = 50
const maxMs = 500

interface Cost {
  pieceMs: number
  wholeMs: number
}

/** Null if the configuration is not legal. */
function costOf(entities: unknown): Cost | null {
  let types: CustomEntity[] | null = null
  const checkMs = processorMsOf(() => {
    const outcome = checkSettingsField('custom_entities', entities, () => true)
    types = outcome.ok ? getChecked(outcome) : null
  })
  if (types === null) return null
  const compiling = compileCustomTypes(types)
  let [pieceMs, wholeMs, isDone] = [checkMs, checkMs, false]
  while (!isDone) {
    const ms = processorMsOf(() => {
      isDone = compiling.next().done === true
    })
    pieceMs = Math.max(pieceMs, ms)
    wholeMs += ms
  }
  return { pieceMs, wholeMs }
}

function expectCheap(entities: unknown): boolean {
  let cost = costOf(entities)
  // A collection of what other tests have left may fall into any piece.
  for (let again = 0; again < 2 && cost !== null && cost.pieceMs > maxPieceMs; again++) {
    collectWhatIsLeft()
    cost = costOf(entities)
  }
  if (cost === null) return false
  expect(cost.pieceMs).toBeLessThanOrEqual(maxPieceMs)
  expect(cost.wholeMs).toBeLessThanOrEqual(maxMs)
  return true
}

function typesOf(patternOf: (at: number) => string, { types = 20, patterns = 10 } = {}): CustomEntity[] {
  return Array.from({ length: types }, (_, type) => ({
    name: `TYPE_${type}`,
    patterns: Array.from({ length: patterns }, (_, at) => patternOf(type * patterns + at)),
  }))
}

const characters = (count: number, codeOf: (at: number) => number): string =>
  Array.from({ length: count }, (_, at) => String.fromCodePoint(codeOf(at))).join('')

const largest: Record<string, CustomEntity[]> = {
  'wide classes': typesOf(() => `(?i)${'[A-\\x{1fff}]'.repeat(38)}`),
  'wide classes that differ': typesOf(
    pattern => `(?i)${characters(50, at => 0x1000 + ((50 * pattern + at) % 0xf00)).replace(/./g, '[A-$&]')}`,
  ),
  'classes of many ranges': typesOf(pattern => `[${characters(490, at => 0x4e00 + 10 * pattern + 2 * at)}]`),
  'classes of ever other characters': typesOf(
    pattern => `[${characters(240, at => 0x10000 + 980 * pattern + 4 * at)}]`,
  ),
  'letters of two cases': typesOf(pattern => `(?i)[${characters(470, at => 0x100 + pattern + 2 * at)}]`),
  'classes of classes': typesOf(() => `[${'\\W\\D\\S'.repeat(80)}]`),
  'nested groups': typesOf(() => `${'('.repeat(49)}${'a'.repeat(40)}${')'.repeat(49)}`),
  repetitions: typesOf(() => '[ab]{45}|a'),
  words: Array.from({ length: 20 }, (_, type) => ({
    name: `TYPE_${type}`,
    words: Array.from({ length: 1_000 }, (_, at) => `aaaaa${String(1_000 * type + at).padStart(5, '0')}`),
  })),
  'context words': Array.from({ length: 20 }, (_, type) => ({
    name: `TYPE_${type}`,
    words: ['ab'],
    context: Array.from({ length: 100 }, (_, at) => `${'Ⱥ'.repeat(90)}${at}`),
  })),
}

test.each(Object.entries(largest))('the largest configuration of %s', (_name, entities) => {
  expect(expectCheap(entities)).toBe(true)
})

const character = fc.oneof(
  fc.constantFrom('a', 'Z', '0', '.', '\\d', '\\W', '\\S', '\\b', '^', 'é', 'Ⱥ', '\\x{1F600}'),
  fc.integer({ min: 0x370, max: 0x1fff }).map(code => String.fromCodePoint(code)),
)
const wideTo = fc.integer({ min: 0x61, max: 0x1fff }).map(code => `A-${String.fromCodePoint(code)}`)
const classItem = fc.oneof(
  wideTo,
  fc.integer({ min: 0x4e00, max: 0xd7ff }).map(code => String.fromCodePoint(code)),
  fc.constantFrom('\\d', '\\W', '\\s', '\\x{10ffff}', 'a-z'),
)
const characterClass = fc
  .tuple(fc.constantFrom('[', '[^'), fc.array(classItem, { minLength: 1, maxLength: 40 }))
  .map(([open, items]) => `${open}${items.join('')}]`)
const quantified = fc
  .tuple(fc.oneof(character, characterClass), fc.constantFrom('', '', '*', '+', '?', '{3}', '{1,9}', '{40}'))
  .map(([atom, count]) => (/^(?:\\b|\^)$/.test(atom) ? atom : atom + count))
/** A pattern must not match the empty text, so each choice begins with a letter. */
const pattern = fc
  .tuple(fc.constantFrom('', '(?i)'), fc.array(quantified, { minLength: 2, maxLength: 16 }), fc.constantFrom('', '|x'))
  .map(([flags, atoms, separator]) => {
    let source = `${flags}x`
    for (const atom of atoms) if (source.length + atom.length < 490) source += separator + atom
    return source
  })
const entities = fc
  .array(fc.array(pattern, { minLength: 1, maxLength: 10 }), { minLength: 1, maxLength: 20 })
  .map(types => types.map((patterns, at) => ({ name: `TYPE_${at}`, patterns })))

test('random configurations', () => {
  let legal = 0
  fc.assert(
    fc.property(entities, configuration => {
      if (expectCheap(configuration)) legal++
    }),
    { numRuns: inject('prove') ? 2_000 : 60 },
  )
  expect(legal).toBeGreaterThan(5)
})
