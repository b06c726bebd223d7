// The docs show what each threshold detects and blocks. The figures are those of the file of results, and the file is
// what the rules and weights of this version do.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { measureThresholds, type ThresholdRates } from '../evaluation/threshold-rates.ts'
import { tableRows } from '../evaluation/threshold-table.ts'

const checkout = join(import.meta.dirname, '../..')
const resultsPath = 'guardrails-lab/results/2026-11-30-thresholds.json'
const results: ThresholdRates = JSON.parse(readFileSync(join(checkout, resultsPath), 'utf8'))

test('the file of results is of this version', async () => {
  const { programs, ...measured } = await measureThresholds(false)
  expect(results).toMatchObject(measured)
  expect(results.programs).toMatchObject(programs)
}, 600_000)

test('the docs name the file and show its figures', () => {
  const page = readFileSync(join(checkout, 'docs/how-sentinel-decides.md'), 'utf8')
  expect(page).toContain(resultsPath)
  for (const part of [results.attacks, results.harmless, results.programs, results.thirdPersons]) {
    expect(page).toContain(`${tableRows(part).join('\n')}\n`)
  }
})
