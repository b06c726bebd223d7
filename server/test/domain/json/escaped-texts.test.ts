// Texts full of escapes end where JSON says, and finding their ends takes milliseconds: a client may send ten megabytes.

import { expect, test } from 'vitest'
import { visitPlaces } from '../../../src/domain/json/json-places.ts'
import { patchBody } from '../../../src/domain/json/patch-body.ts'
import { processorMsOf, processorSlowness } from '../../support/slowness.ts'

const bodyBytes = 9_500_000
const maxMs = 50
const place = { members: { a: { holds: 'text' }, b: { holds: 'text' } } } as const

function textsIn(json: string): string[] {
  const found: string[] = []
  visitPlaces(json, place, (_kind, start, end) => found.push(JSON.parse(json.slice(start, end))))
  return found
}

test('their ends are found, however far apart the escapes are', () => {
  for (const escaped of ['', '"', '\\', '\\"', '""', '\\\\', '\n"']) {
    for (let before = 0; before < 100; before++) {
      for (const after of [0, 1, 31, 32, 33, 70]) {
        const a = `${'x'.repeat(before)}${escaped}${'y'.repeat(after)}${escaped}`
        const json = JSON.stringify({ a, b: 'end' })
        expect(textsIn(json)).toEqual([a, 'end'])
        expect(patchBody(Buffer.from(json), { b: 'new' })?.toString()).toBe(JSON.stringify({ a, b: 'new' }))
      }
    }
  }
})

test.each([
  ['quotes', '"'],
  ['backslashes', '\\'],
  ['escaped quotes', '\\"'],
  ['line ends', '\n'],
  ['quoted words', 'he said "no" to it, '],
  ['a quote in each line', `${'x'.repeat(60)}"`],
])('a body of %s is read in milliseconds', (_kind, unit) => {
  const unitBytes = Buffer.byteLength(JSON.stringify(unit)) - 2
  const json = JSON.stringify({ a: unit.repeat(bodyBytes / unitBytes), b: 'end' })
  const bytes = Buffer.from(json)
  const best = (work: () => void) => Math.min(...Array.from({ length: 5 }, () => processorMsOf(work)))
  const ms = {
    patch: best(() => patchBody(bytes, { b: 'new' })),
    visit: best(() => visitPlaces(json, place, () => undefined)),
  }
  const slowness = processorSlowness()
  expect(ms.patch / slowness).toBeLessThan(maxMs)
  expect(ms.visit / slowness).toBeLessThan(maxMs)
})
