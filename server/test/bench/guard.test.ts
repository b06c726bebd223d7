// Tests how the guard of the bench judges and records a comparison, and what it takes as the base.
import { describe, expect, test } from 'vitest'
import { findRevisions } from '../../../bench/guard/base-checkout.ts'
import { summarise } from '../../../bench/guard/compare-pair.ts'
import { isAbove, renderHead, renderLine } from '../../../bench/guard/verdict.ts'

const sample = (base: number, head: number) => ({ base, head, bare: 50 })

describe('a comparison', () => {
  test('has the median of the ratios, so that one disturbed sample does not decide', () => {
    const disturbed = [sample(100, 101), sample(100, 180), sample(90, 90)]
    expect(summarise('completions', disturbed)).toEqual({
      name: 'completions',
      base: 100,
      head: 101,
      bare: 50,
      ratio: 1.01,
    })
  })

  test('fails above 1.03 times the base', () => {
    expect(isAbove(summarise('completions', [sample(100, 103)]))).toBe(false)
    expect(isAbove(summarise('completions', [sample(100, 103.1)]))).toBe(true)
  })
})

test('a run is one line of the table, which names what failed', () => {
  const comparisons = [summarise('completions', [sample(100, 90)]), summarise('streams', [sample(100, 110)])]
  const run = { date: new Date('2026-11-28T11:30:00Z'), base: '11111111', head: '22222222 and changes', comparisons }
  expect(renderLine(run)).toBe(
    '| 2026-11-28 11:30 | 11111111 | 22222222 and changes | 0.900 (2.00, 1.80) | 1.100 (2.00, 2.20) | fail: streams |\n',
  )
  expect(renderLine({ ...run, comparisons: comparisons.slice(0, 1) })).toMatch(/ \| pass \|\n$/)
  expect(renderHead(['completions', 'streams']).split('\n')[0]).toBe(
    '| Date | Base | Head | completions | streams | Result |',
  )
})

test('a base can be named, and a name that is no revision is an error', () => {
  expect(findRevisions('HEAD').base).toBe(findRevisions('HEAD').head)
  expect(() => findRevisions('no-such-revision')).toThrow()
})
