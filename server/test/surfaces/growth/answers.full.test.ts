// No answer of a provider holds the process or fills it: each event of each wire format is repeated 25,000 and 100,000
// times, and each array, map and text in an event or in a whole answer is made as large, for each surface. The
// processor time grows with the size, and nothing stays in memory.

import { expect, inject, test } from 'vitest'
import { useMatrixStage } from '../matrix/matrix.ts'
import { Measurements, probed } from './measure.ts'
import { answerShapes } from './send-answers.ts'

/** There are thousands of them; a prime, so that each provider has some. */
const every = inject('prove') ? 1 : 131
/** Large ones, one after the other. */
const maxMs = 3_600_000

const stageOf = useMatrixStage(probed)

test('of every provider to every client', { timeout: maxMs }, async () => {
  const measurements = new Measurements()
  for (const [at, shape] of answerShapes(stageOf()).entries()) if (at % every === 0) await measurements.add(shape)
  measurements.report('Answers')
  expect(measurements.faults).toEqual([])
})
