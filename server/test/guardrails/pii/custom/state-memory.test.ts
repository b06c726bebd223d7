// The memory of automata is bounded, of each and of all together; and patterns that build ever new states hold neither
// the process nor its memory.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { getChecked } from '../../../../src/domain/checked.ts'
import { readPattern } from '../../../../src/domain/patterns/read-pattern.ts'
import { createPatternMatcher } from '../../../../src/guardrails/pii/custom/pattern-matcher.ts'
import { createStateMemory, type StateStore } from '../../../../src/guardrails/pii/custom/state-memory.ts'
import { createWorkBudget, WorkBudgetExceeded } from '../../../../src/guardrails/work-budget.ts'
import { finish } from '../../../support/finish.ts'
import { randomText } from './random-text.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

function storeOf(cleared: string[], name: string): StateStore {
  return { clear: () => void cleared.push(name) }
}

test('a store that has its share is cleared, and then the one that was used least recently', () => {
  const cleared: string[] = []
  const [first, second, third] = ['first', 'second', 'third'].map(name => storeOf(cleared, name)) as [
    StateStore,
    StateStore,
    StateStore,
  ]
  const memory = createStateMemory({ wordsOfEach: 100, wordsOfAll: 250 })
  memory.grow(first, 100)
  memory.grow(second, 100)
  expect(cleared).toEqual([])
  memory.grow(second, 1)
  expect(cleared).toEqual(['second'])
  memory.grow(second, 99)
  memory.use(first)
  memory.grow(third, 51)
  expect(cleared).toEqual(['second', 'second'])
  memory.grow(third, 49)
  memory.grow(second, 50)
  expect(cleared).toEqual(['second', 'second'])
  memory.grow(second, 1)
  expect(cleared).toEqual(['second', 'second', 'first'])
})

function matcherOf(patterns: readonly string[]) {
  return finish(createPatternMatcher(patterns.map(pattern => getChecked(readPattern(pattern)))))
}

const manyCounted = Array.from({ length: 45 }, (_, at) => `d[ab]{${190 + (at % 13)}}a`)

test('the automata of many projects take no more memory than those of some', () => {
  const text = randomText(100_000, 'ab')
  const matchers = Array.from({ length: 40 }, () => matcherOf(manyCounted))
  const heldMb = () => {
    collectGarbage()
    return process.memoryUsage().heapUsed / 1e6
  }
  const before = heldMb()
  for (const matcher of matchers) {
    const budget = createWorkBudget(10_000_000)
    expect(() => finish(matcher.find(text, budget, () => true))).toThrow(WorkBudgetExceeded)
  }
  expect(heldMb() - before).toBeLessThan(60)
})

/** By what they are expensive: states, classes, splits, matches at each place. */
const hostile: [name: string, patterns: string[], letters: string][] = [
  ['counted repetitions', manyCounted, 'ab'],
  ['one of them', ['c(a|b){220}a'], 'ab'],
  ['loops before them', Array.from({ length: 200 }, (_, at) => `[a-f]*x[a-f]{${30 + (at % 20)}}`), 'abcdef'],
  ['nested choices', Array(10).fill('((((a?b?)?c?)?d?)?e?){60}f'), 'abcdef'],
  ['matches of all patterns', Array(100).fill('.{1,40}'), 'abc '],
]

/** In a process of its own: the test runner's imports cost more than a product's in each turn of a loop. */
test.each(hostile)('the budget of a prompt ends within 250 ms of processor time a MiB: %s', (_, patterns, letters) => {
  const script = join(import.meta.dirname, 'scan-costs.ts')
  const times = execFileSync(process.execPath, [script, JSON.stringify(patterns), letters], { encoding: 'utf8' })
  const { fresh, built, slowness } = JSON.parse(times) as Record<'fresh' | 'built' | 'slowness', number>
  expect({ fresh: fresh < 250 * slowness, built: built < 250 * slowness }, times).toEqual({ fresh: true, built: true })
})
