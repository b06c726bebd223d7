// The matcher of patterns: the same matches as the platform's regular expressions, and work in proportion to the text.
import fc from 'fast-check'
import { describe, expect, inject, test } from 'vitest'
import { getChecked } from '../../../../src/domain/checked.ts'
import { readPattern } from '../../../../src/domain/patterns/read-pattern.ts'
import { createPatternMatcher } from '../../../../src/guardrails/pii/custom/pattern-matcher.ts'
import { createWorkBudget, WorkBudgetExceeded } from '../../../../src/guardrails/work-budget.ts'
import { finish } from '../../../support/finish.ts'

interface Run {
  found: string[]
  spent: number
}

function run(sources: readonly string[], text: string, maxSteps = 1e12): Run {
  const matcher = finish(createPatternMatcher(sources.map(source => getChecked(readPattern(source)))))
  const budget = createWorkBudget(maxSteps)
  const found: string[] = []
  for (const match of matcher.find(text, budget, () => true)) {
    if (match !== null) found.push(`${match.start} ${text.slice(match.start, match.end)}`)
  }
  return { found, spent: budget.spent }
}

/** The leftmost longest matches, by trying every range with the platform's own. */
function findSlowly(source: string, text: string): string[] {
  const flags = source.startsWith('(?i)') ? 'uyi' : 'uy'
  const body = source.replace('(?i)', '').replaceAll('.', '[^\\n]')
  const found: string[] = []
  for (let start = 0; start < text.length; start++) {
    for (let end = text.length; end > start; end--) {
      const whole = new RegExp(`(?:${body})(?=[^]{${text.length - end}}$)(?<=^[^]{${end}})`, flags)
      whole.lastIndex = start
      if (!whole.test(text)) continue
      found.push(`${start} ${text.slice(start, end)}`)
      start = end - 1
      break
    }
  }
  return found
}

const atom = fc.constantFrom('a', 'b', '1', '_', '-', '.', '[ab]', '[^a]', '\\d', '\\w', '\\W', '\\b', '\\B', '^', '$')
const source = fc.letrec<{ node: string }>(tie => ({
  node: fc.oneof(
    { maxDepth: 4 },
    atom,
    fc.tuple(tie('node'), tie('node')).map(([one, other]) => one + other),
    fc.tuple(tie('node'), tie('node')).map(([one, other]) => `(?:${one}|${other})`),
    fc
      .tuple(tie('node'), fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '{2,}'))
      .map(([one, count]) => `(${one})${count}`),
  ),
})).node

test('finds what the platform finds, the longest of each place', () => {
  let compared = 0
  fc.assert(
    fc.property(
      source,
      fc.string({ unit: fc.constantFrom('a', 'b', 'B', '1', '_', '-', '\n'), maxLength: 12 }),
      (pattern, text) => {
        for (const one of [pattern, `(?i)${pattern}`]) {
          if (!readPattern(one).ok) continue
          compared++
          expect({ one, text, found: run([one], text).found }).toEqual({ one, text, found: findSlowly(one, text) })
        }
      },
    ),
    { numRuns: inject('prove') ? 5_000 : 800 },
  )
  expect(compared).toBeGreaterThan(200)
})

describe('matches', () => {
  test.each<[sources: string[], text: string, found: string[]]>([
    [['E\\d{3}'], 'E123, E12, xE4567', ['0 E123', '12 E456']],
    [['\\bE\\d{3}\\b'], 'E123, E4567', ['0 E123']],
    [['a|ab', 'abc'], 'abcd', ['0 abc']],
    [['(?i)straße-\\d'], 'STRAßE-1 straße-2', ['0 STRAßE-1', '9 straße-2']],
    [['(?i)ÄRGER'], 'ärger', ['0 ärger']],
    [['[😀-😂]{2}'], 'x😀😂😃', ['1 😀😂']],
    [['😀.'], '😀\ud83d', ['0 😀\ud83d']],
    [['^a', 'b$'], 'a a b b', ['0 a', '6 b']],
    [['\\x{1F600}'], '😀', ['0 😀']],
    [['x{256}'], 'x'.repeat(257), [`0 ${'x'.repeat(256)}`]],
    [['x{200}x{57}'], 'x'.repeat(300), []],
  ])('%j in %.20j', (sources, text, found) => {
    expect(run(sources, text).found).toEqual(found)
  })

  test('are found wherever the text is cut into stretches', () => {
    for (let before = 3_700; before < 4_200; before += 7) {
      const value = `😀${'12'.repeat(120)}😀`
      expect(
        run(['😀\\d{240}😀', '\\bz'], `${'😀é'.repeat(before / 2)}${value} ${'y'.repeat(400)}`).found,
      ).toHaveLength(1)
    }
  })

  test('that are not accepted leave the place to shorter and later ones', () => {
    const matcher = finish(createPatternMatcher(['\\d{4}', '\\d{3}'].map(source => getChecked(readPattern(source)))))
    const accepts = ({ pattern, start }: { pattern: number; start: number }) => pattern === 1 && start > 0
    const found = [...matcher.find('12345', createWorkBudget(1e9), accepts)].filter(match => match !== null)
    expect(found).toEqual([{ pattern: 1, start: 1, end: 4 }])
  })
})

/** Patterns that take other engines exponential or quadratic time, and texts for them. */
const hostile: [source: string, seed: string][] = [
  ['(a+)+b', 'a'],
  ['(a|a)*b', 'a'],
  ['(a|aa)+c', 'a'],
  ['(.*)*x', 'ab'],
  ['\\d{1,200}x', '1'],
  ['(\\w+\\s?)+!', 'word '],
  ['[a-z]+@[a-z]+', 'a@'],
  ['(a?){40}a{40}b', 'a'],
  ['.{0,200}z', 'y'],
]

test.each(hostile)('%s on %j: twice the text costs twice the steps, few for each character', (pattern, seed) => {
  const fill = (length: number) => seed.repeat(Math.ceil(length / seed.length)).slice(0, length)
  const [single, double, fourfold] = [20_000, 40_000, 80_000].map(length => run([pattern], fill(length)).spent) as [
    number,
    number,
    number,
  ]
  // What is built once is not counted twice.
  expect((fourfold - double) / (double - single)).toBeLessThan(2.2)
  expect((fourfold - double) / 40_000).toBeLessThan(8)
})

test('a pattern that needs ever new states stops at the budget', () => {
  let seed = 7
  const next = () => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % 2 === 0 ? 'a' : 'b'
  }
  const text = Array.from({ length: 200_000 }, next).join('')
  const pattern = 'c(a|b){220}a'
  expect(() => run([pattern], text, 1_000_000 + 40 * text.length)).toThrow(WorkBudgetExceeded)
})
