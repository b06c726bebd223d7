// Hostile texts cost in proportion to their length: twice the text, twice the steps, and never so many that one text
// could hold the process up.
import { expect, inject, test } from 'vitest'
import { findEntities } from '../../../src/guardrails/pii/find-entities.ts'
import { scanSlice } from '../../../src/guardrails/pii/scan-slice.ts'
import { createWorkBudget } from '../../../src/guardrails/work-budget.ts'
import { structuralTypes } from './labelled-cases.ts'

const seeds = (
  '1|@|1 |12 |1234 |1-|1.|1.1.1.1 |1-1-1-|:|::1|1:|ab:12:|a1b2c3|2024-01-02 |may 1 |the |today at |between 3 and |,|1,|a@|a@b.|a.a.a@|x@y.com,|' +
  'DE89 |GB33BUKB|(|(1)|+|+49 |+49 30 123456 |4111 1111 1111 1111 |219-45-6789 |last |first of the |five |twenty |in 5 |account |account 12345678 |' +
  'q1 of |half past |new year |1st |Mon, |3 to |1\n|12\t34\t|１|٣|\u200b|1\u200b|name at domain dot |1-1.1/1(1)1 |00 49 |{"a":1,|user:pw@|2014-2018 |//a:b@c.de |' +
  'phone phone 12345 |a dot |at '
).split('|')

/** Those that cost most; all others are for the full counts. */
const dearest = [
  '1 ',
  '12 ',
  '1.1.1.1 ',
  'ab:12:',
  '1st ',
  'may 1 ',
  'five ',
  '219-45-6789 ',
  '::',
  '@',
  '1',
  '1-1-1-',
  '1,',
]

function fill(seed: string, length: number): string {
  return seed.repeat(Math.ceil(length / seed.length)).slice(0, length)
}

function stepsFor(text: string): number {
  const budget = createWorkBudget(1e12)
  scanSlice(text, budget)
  return budget.spent
}

test.each(seeds)('twice as much of %j costs twice as many steps', seed => {
  const [single, double] = [stepsFor(fill(seed, 4_000)), stepsFor(fill(seed, 8_000))]
  expect(single).toBeGreaterThanOrEqual(4_000)
  expect(double / single).toBeLessThan(2.1)
  expect(double / 8_000).toBeLessThan(20)
})

test('no 64 KB of anything take the thread ten times as long as 640 KB of words', async () => {
  const wanted = new Set(structuralTypes)
  const processorMs = async (text: string): Promise<number> => {
    const before = process.threadCpuUsage()
    await findEntities(text, wanted, createWorkBudget(1e12))
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1_000
  }
  const words = fill('word and ', 655_360)
  await processorMs(words)
  for (const seed of inject('prove') ? seeds : dearest) {
    const text = fill(seed, 65_536)
    let best = Number.POSITIVE_INFINITY
    // The first runs of a kind of text are compiled while they run.
    for (let run = 0; run < 5 && best > 10; run++)
      best = Math.min(best, (await processorMs(text)) / (await processorMs(words)))
    expect({ seed, isFast: best <= 10, best }).toMatchObject({ isFast: true })
  }
})
