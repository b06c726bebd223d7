// The tagger on our own texts that are kept apart from training: written before its weights were trained, but read by
// authors of the templates, so that they are not unseen.
import { expect, test } from 'vitest'
import { readCases, scoreTexts } from '../labelled-cases.ts'

test.each([
  ['PERSON', 0.75],
  ['LOCATION', 0.7],
] as const)('%s in texts kept apart from training', async (type, f1) => {
  const score = (await scoreTexts(readCases('names'), [type])).get(type)
  expect(score?.count).toBeGreaterThan(25)
  expect(score?.f1).toBeGreaterThanOrEqual(f1)
})
