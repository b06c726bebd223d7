// A sample of the requests and answers that `*.full.test.ts` beside this file sends, so that a change of the pipeline
// shows at once.

import { expect, test } from 'vitest'
import { useMatrixStage } from '../matrix/matrix.ts'
import { Measurements, probed } from './measure.ts'
import { answerShapes } from './send-answers.ts'
import { dataPlaneShapes, managementShapes } from './send-requests.ts'

const stageOf = useMatrixStage(probed)
/** Of all shapes, each so many: a prime, so that each provider has some. */
const every = 1_499

test('of all shapes', async () => {
  const stage = stageOf()
  const shapes = [...(await dataPlaneShapes(stage)), ...(await managementShapes(stage)), ...answerShapes(stage)]
  expect(shapes.length).toBeGreaterThan(every)
  const measurements = new Measurements()
  for (const [at, shape] of shapes.entries()) if (at % every === 0) await measurements.add(shape)
  measurements.report('A sample')
  expect(measurements.faults).toEqual([])
})
