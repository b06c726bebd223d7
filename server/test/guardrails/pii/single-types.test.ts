// Tests that a type has the same matches alone as among all types: the scanners of the other types run only where a
// match of the wanted type is.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { type EntityType, entityTypes } from '../../../src/domain/settings/settings.ts'
import { findEntities } from '../../../src/guardrails/pii/find-entities.ts'
import { scanSlice } from '../../../src/guardrails/pii/scan-slice.ts'
import { createWorkBudget } from '../../../src/guardrails/work-budget.ts'
import { describeWithSharedData } from '../../support/shared-data.ts'
import { readCases, structuralTypes } from './labelled-cases.ts'

const cases = ['contact', 'dates', 'hidden', 'names', 'numbers'].flatMap(readCases).map(({ text }) => text)
/** Credentials are found in whole texts, whatever else is wanted. */
const types = entityTypes.filter(type => type !== 'CREDENTIAL')
/** Longer than a slice, so that matches lie on both sides of a border. */
const joined = [' ', '\n', ', '].map(separator => cases.join(separator))

/** With all types wanted, all scanners run. The tagger runs only for its own types. */
async function findAmongAll(text: string, type: EntityType) {
  const among = type === 'PERSON' || type === 'LOCATION' ? types : structuralTypes
  const finds = await findEntities(text, new Set(among), createWorkBudget(1e12))
  return finds.filter(find => find.type === type)
}

const findAlone = (text: string, type: EntityType) => findEntities(text, new Set([type]), createWorkBudget(1e12))

describe.each(types)('%s alone', type => {
  test('has the matches that it has among all types', async () => {
    let count = 0
    for (const text of [...cases, ...joined]) {
      const alone = await findAlone(text, type)
      expect(alone, text.slice(0, 80)).toEqual(await findAmongAll(text, type))
      count += alone.length
    }
    expect(count).toBeGreaterThan(5)
  })
})

describeWithSharedData('labelled texts of others', 'pii/dev', folder => {
  /** Every text takes half a minute. */
  const step = inject('prove') ? 1 : 40
  const lines = readdirSync(folder).flatMap(name => readFileSync(join(folder, name), 'utf8').trim().split('\n'))
  const texts = lines.filter((_line, at) => at % step === 0).map(line => (JSON.parse(line) as { text: string }).text)

  test.each(types)('%s has the same matches alone', async type => {
    for (const text of texts) expect(await findAlone(text, type), text).toEqual(await findAmongAll(text, type))
  })
})

/** The border between two slices is 256 characters before the first one's end. */
const border = 8_192 - 256
const filler = (length: number): string => 'word '.repeat(length / 5)

test('a match of another type that begins in the slice before takes a match away', async () => {
  let alone = 0
  for (let place = border - 20; place < border + 8; place++) {
    const before = filler(border + 100).slice(0, place)
    const later = 'I met June Jones. My name is June Jones. Dear June, '
    const text = `${before} on 3 June said ${filler(250)} ${later.repeat(12)}`
    const [names, dates] = [await findAlone(text, 'PERSON'), await findAlone(text, 'DATE_TIME')]
    expect(names).toEqual(await findAmongAll(text, 'PERSON'))
    const date = text.indexOf('3 June')
    expect(names.filter(({ start }) => start < date + 10)).toEqual([])
    if (dates.some(({ start }) => start === date)) alone++
  }
  expect(alone).toBeGreaterThan(20)
})

describe('the steps of a scan', () => {
  const text = 'On Monday at noon call 415-555-0132 about it. '.repeat(50)
  const stepsFor = (wanted: ReadonlySet<string> | null) => {
    const budget = createWorkBudget(1e9)
    const finds = scanSlice(text, budget, wanted)
    return { steps: budget.spent, types: new Set(finds.map(({ type }) => type)) }
  }

  test('are fewer where no match of a wanted type is, and the same where one is', () => {
    const all = stepsFor(null)
    expect(all.types).toEqual(new Set(['PHONE_NUMBER', 'DATE_TIME']))
    expect(stepsFor(new Set(['EMAIL_ADDRESS'])).steps).toBeLessThan(all.steps * 0.7)
    expect(stepsFor(new Set(['PERSON']))).toEqual({ steps: 0, types: new Set() })
    expect(stepsFor(new Set(['PHONE_NUMBER']))).toEqual(all)
    expect(stepsFor(new Set(['EMAIL_ADDRESS', 'DATE_TIME']))).toEqual(all)
  })
})
