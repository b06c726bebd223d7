// The weights are of this version: the same texts of the repository, and a training that still does the same.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readModelWeights } from '../../server/src/guardrails/sentinel/model/model-weights.ts'
import { checkTraining } from '../training/sentinel/check-training.ts'
import { digestOwnTexts, inCommit } from '../training/sentinel/own-texts.ts'

const again = 'npm run sentinel:train -- <injection/dev>'
const weights = new URL('../../server/src/guardrails/sentinel/model/weights.bin', import.meta.url)
const { origin } = readModelWeights(readFileSync(weights))

test('the weights were trained on the texts of this version', () => {
  expect(digestOwnTexts(), again).toBe(origin.ownTexts)
})

test('each step of the training makes the same bytes, on this machine too', () => {
  expect(checkTraining(), again).toBe(origin.training)
  expect(checkTraining()).toBe(origin.training)
})

test('files are read as of a commit, not as they are in the checkout', () => {
  const read = (root: string) => readFileSync(`${root}/server/src/main.ts`, 'utf8')
  expect(inCommit('HEAD', ['server'], read)).toContain('import')
  expect(() => inCommit('HEAD', ['no-such-folder'], read)).toThrow()
})
