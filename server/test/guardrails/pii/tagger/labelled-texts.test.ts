// The tagger on other people's labelled texts, where a machine has them: most were trained on, so those floors only say
// that the weights and the program belong together; two sources were not.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { confidenceThreshold } from '../../../../src/guardrails/finding.ts'
import { tagNames } from '../../../../src/guardrails/pii/tagger/tag-names.ts'
import { describeWithSharedData } from '../../../support/shared-data.ts'
import { type LabelledText, scoreTexts } from '../labelled-cases.ts'

function readLines<T>(path: string): T[] {
  const lines = readFileSync(path, 'utf8').trim().split('\n')
  return lines.map(line => JSON.parse(line) as T)
}

describeWithSharedData('labelled texts of others', 'pii/dev', labelled => {
  test.each([
    ['uner_ewt_test', 'PERSON', 0.7, 0.78],
    ['uner_ewt_test', 'LOCATION', 0.74, 0.76],
    ['dstc8_slots', 'LOCATION', 0.86, 0.9],
    ['wikigold', 'PERSON', 0.9, 0.9],
    ['gw_synth', 'LOCATION', 0.9, 0.9],
    ['nlu_eval_home', 'LOCATION', 0.85, 0.9],
  ] as const)('%s: %s', async (source, type, f1, precision) => {
    const texts = readLines<LabelledText>(join(labelled, `${source}.jsonl`))
    const score = (await scoreTexts(texts, [type])).get(type)
    expect(score?.count).toBeGreaterThan(10)
    expect(score?.f1).toBeGreaterThanOrEqual(f1)
    expect(score?.precision).toBeGreaterThanOrEqual(precision)
  })
})

describeWithSharedData('prompts of others', 'injection/dev', prompts => {
  test('technical prompts, in which nearly nobody is named, have few finds', () => {
    const texts = ['arena_hard', 'mitre_frr'].flatMap(name =>
      readLines<{ text: string }>(join(prompts, `${name}.jsonl`)),
    )
    const bytes = texts.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
    const finds = texts.flatMap(({ text }) => tagNames(text).filter(({ score }) => score >= confidenceThreshold))
    expect(bytes).toBeGreaterThan(50_000)
    for (const type of ['PERSON', 'LOCATION'] as const) {
      const count = finds.filter(find => find.type === type).length
      expect(count / (bytes / 10_240)).toBeLessThanOrEqual(1.6)
    }
  })
})
