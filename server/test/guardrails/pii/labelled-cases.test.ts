// How much of labelled texts the scanner gets right, type by type: its own cases, and those of others where a machine
// has them, with the false alarms on technical prompts. The floors leave room for a fault or two.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { EntityType } from '../../../src/domain/settings/settings.ts'
import { findEntities } from '../../../src/guardrails/pii/find-entities.ts'
import { createWorkBudget } from '../../../src/guardrails/work-budget.ts'
import { describeWithSharedData } from '../../support/shared-data.ts'
import { type LabelledText, readCases, scoreTexts, structuralTypes } from './labelled-cases.ts'

const fewest: Partial<Record<EntityType, number>> = { DATE_TIME: 50, PHONE_NUMBER: 20 }
const ownFloors: Partial<Record<EntityType, number>> = { DATE_TIME: 0.95, US_BANK_NUMBER: 0.92, PHONE_NUMBER: 0.96 }
const own = scoreTexts(['numbers', 'contact', 'dates', 'hidden'].flatMap(readCases), structuralTypes)

test.each(structuralTypes)('own cases of %s', async type => {
  const score = (await own).get(type)
  if (score === undefined) throw new Error(`${type} was not scored`)
  expect(score.count).toBeGreaterThanOrEqual(fewest[type] ?? 8)
  const isEnough = score.f1 >= (ownFloors[type] ?? 0.97)
  expect({ isEnough, faults: score.faults }).toEqual({ isEnough: true, faults: score.faults })
})

/** F1 and precision. */
const floors: readonly (readonly [EntityType, f1: number, precision: number])[] = [
  ['EMAIL_ADDRESS', 0.985, 0.98],
  ['PHONE_NUMBER', 0.97, 0.96],
  ['US_SSN', 0.98, 0.97],
  ['CREDIT_CARD', 0.985, 0.99],
  ['US_BANK_NUMBER', 0.95, 0.95],
  ['IBAN_CODE', 0.985, 0.98],
  ['IP_ADDRESS', 0.95, 0.95],
  ['DATE_TIME', 0.92, 0.96],
]

function readLines<T>(path: string): T[] {
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as T)
}

describeWithSharedData('labelled texts of others', 'pii/dev', labelled => {
  test('reaches the aim of every structural type on the development half', async () => {
    const texts = globSync('*.jsonl', { cwd: labelled }).flatMap(name => readLines<LabelledText>(join(labelled, name)))
    expect(texts.length).toBeGreaterThan(1_000)
    const scores = await scoreTexts(texts, structuralTypes)
    const short = floors.filter(([type, f1, precision]) => {
      const score = scores.get(type)
      return score === undefined || score.f1 < f1 || score.precision < precision
    })
    expect(short).toEqual([])
  })
})

describeWithSharedData('prompts of others', 'injection/dev', prompts => {
  test('technical prompts raise at most 0.3 false alarms in 10 KB, dates aside', async () => {
    const texts = ['arena_hard', 'mitre_frr'].flatMap(name =>
      readLines<{ text: string }>(join(prompts, `${name}.jsonl`)),
    )
    const wanted = new Set(structuralTypes.filter(type => type !== 'DATE_TIME'))
    let bytes = 0
    let finds = 0
    for (const { text } of texts) {
      bytes += Buffer.byteLength(text)
      finds += (await findEntities(text, wanted, createWorkBudget(1e9))).length
    }
    expect(bytes).toBeGreaterThan(50_000)
    expect(finds / (bytes / 10_240)).toBeLessThanOrEqual(0.3)
  })
})
