// No request holds the process or fills it: for every route that takes a body, every array, map and text of its schema
// is sent with 25,000 and 100,000 small parts, or as many as the limit of bodies allows. The processor time grows with
// the size, and nothing stays in memory.

import { expect, inject, test } from 'vitest'
import { useMatrixStage } from '../matrix/matrix.ts'
import { Measurements, probed } from './measure.ts'
import { dataPlaneShapes, managementShapes } from './send-requests.ts'

/** There are thousands of them; a prime, so that each provider has some. */
const every = inject('prove') ? 1 : 53
/** Large ones, one after the other. */
const maxMs = 3_600_000

const stageOf = useMatrixStage(probed)

test.each([
  ['of the data plane', dataPlaneShapes],
  ['of the management plane', managementShapes],
])('%s', { timeout: maxMs }, async (title, listShapes) => {
  const measurements = new Measurements()
  for (const [at, shape] of (await listShapes(stageOf())).entries()) if (at % every === 0) await measurements.add(shape)
  measurements.report(`Requests ${title}`)
  expect(measurements.faults).toEqual([])
})
