// Tests the tallies of the remaining tokens of the day: one for each project, for one day at a time.
import { expect, test } from 'vitest'
import { createProjectTallies } from '../../../src/gateway/admission/project-tally.ts'

test('is of the day for which it was said alone, and changes by what calls of that day cost', () => {
  const tally = createProjectTallies()('p')
  expect(tally.remainingOn(20_000)).toBeNull()
  tally.write(20_000, 100)
  tally.charge(20_000, 30)
  tally.charge(20_000, -5)
  tally.charge(19_999, 50)
  expect([tally.remainingOn(20_000), tally.remainingOn(20_001)]).toEqual([75, null])
})

test('of one project are the same, and those that are oldest give way', () => {
  const tallyOf = createProjectTallies(3)
  for (const project of ['a', 'b', 'c']) tallyOf(project).write(1, 1)
  const kept = tallyOf('c')
  tallyOf('d')
  expect(tallyOf('c')).toBe(kept)
  expect(tallyOf('a').remainingOn(1)).toBeNull()
})
