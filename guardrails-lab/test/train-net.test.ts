// The training of the network over phrases: it learns phrases that say something only together.
import { expect, test } from 'vitest'
import { netHidden, netWidth, normalize, scoreNormal } from '../../server/src/guardrails/sentinel/model/phrase-net.ts'
import { trainNet } from '../training/sentinel/train-net.ts'

const attacks = [
  [0, 1],
  [2, 3],
]
const harmless = [
  [0, 2],
  [1, 3],
]
const texts = Array.from({ length: 400 }, () => [...attacks, ...harmless]).flat()
const task = {
  rows: {
    starts: Int32Array.from({ length: texts.length + 1 }, (_, row) => row * 2),
    columns: Int32Array.from(texts.flat()),
  },
  labels: Uint8Array.from(texts, (_, row) => (row % 4 < 2 ? 1 : 0)),
  weights: new Float64Array(texts.length).fill(1),
  columnCount: 4,
}

test('each phrase occurs in attacks as often as in harmless texts, but the pairs are told apart', () => {
  const { vectors, layers } = trainNet(task)
  const scoreOf = (phrases: readonly number[]) => {
    const sums = Array.from({ length: netWidth }, (_, at) =>
      phrases.reduce((sum, phrase) => sum + vectors[phrase * netWidth + at]!, 0),
    )
    const normal = new Float64Array(netWidth)
    normalize(sums, normal)
    return scoreNormal(layers, normal, new Float64Array(netHidden))
  }
  for (const pair of attacks) expect(scoreOf(pair)).toBeGreaterThan(0)
  for (const pair of harmless) expect(scoreOf(pair)).toBeLessThan(0)
})

test('the same texts and seed give the same network', () => {
  expect(trainNet(task)).toEqual(trainNet(task))
  expect(trainNet(task, 1)).not.toEqual(trainNet(task))
  expect(trainNet(task)).not.toEqual(trainNet({ ...task, labels: task.labels.map(label => 1 - label) }))
})
