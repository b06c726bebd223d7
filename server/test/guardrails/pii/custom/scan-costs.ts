// Prints the processor time of scans of a MiB, in milliseconds: the least of those with new automata, and the least of
// those with automata whose states are built. Arguments: the patterns as JSON, and the letters of the text.
import { getChecked } from '../../../../src/domain/checked.ts'
import { readPattern } from '../../../../src/domain/patterns/read-pattern.ts'
import { createPatternMatcher, type PatternMatcher } from '../../../../src/guardrails/pii/custom/pattern-matcher.ts'
import { createWorkBudget, WorkBudgetExceeded } from '../../../../src/guardrails/work-budget.ts'
import { finish } from '../../../support/finish.ts'
import { processorMsOf, processorSlowness } from '../../../support/slowness.ts'
import { randomText } from './random-text.ts'

const [, , patterns = '[]', letters = ''] = process.argv
const text = randomText(1_048_576, letters)
const compile = () =>
  finish(createPatternMatcher(JSON.parse(patterns).map((one: string) => getChecked(readPattern(one)))))

function scanMs(matcher: PatternMatcher): number {
  return processorMsOf(() => {
    const budget = createWorkBudget(1_000_000 + 40 * text.length)
    try {
      finish(matcher.find(text, budget, () => true))
    } catch (error) {
      if (!(error instanceof WorkBudgetExceeded)) throw error
    }
  })
}

const least = (matchers: readonly PatternMatcher[]) => Math.min(...matchers.map(scanMs))
const fresh = least(Array.from({ length: 6 }, compile))
const matcher = compile()
const repeated = Array(6).fill(matcher)
least(repeated)
const built = least(repeated)
process.stdout.write(JSON.stringify({ fresh, built, slowness: processorSlowness() }))
