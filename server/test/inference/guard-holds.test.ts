// Tests how long Sentinel blocks the event loop for one text of up to 2 MiB, for any text and blocklist.
import { expect, inject, test } from 'vitest'
import type { Message, Part } from '../../src/domain/conversation/prompt.ts'
import { longestHoldMs } from '../support/slowness.ts'
import { openGuard, promptOf } from './open-guard.ts'

/** Of processor time; at most 35 on an idle machine. */
const maxHoldMs = 50
const maxBytes = 2 * 1024 * 1024
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const fill = (piece: string, bytes = maxBytes): string => piece.repeat(Math.floor(bytes / Buffer.byteLength(piece)))
const file = (text: string): Part[] => [{ type: 'file', data: `data:text/plain;base64,${base64(text)}` }]
const members = Array.from({ length: 100_000 }, (_, index) => [`name${index}`, `v${index}`] as const)

/** The dashes are suffixes of each other, so that many terms end at the same place. */
const sentinel_blocklist = [
  ...['ignore all', 'aaaaaaaab', 'launch code', 'straße', 'صلى الله عليه وسلم'],
  ...Array.from({ length: 195 }, (_, index) => '-'.repeat(index + 1)),
]

const shapes: Record<string, () => string | Part[]> = {
  'a ligature of eighteen letters': () => fill('\ufdfa'),
  'a run without blanks': () => fill('a'),
  'JSON of 2 MiB': () => JSON.stringify(Object.fromEntries(members)).padEnd(maxBytes),
  base64: () => base64(fill('the quick brown fox ', 1_500_000)),
  'zero-width characters': () => fill('i\u200b'),
  'a text file': () => file(fill('some words ', 2_000_000)),
  'an unknown part': () => [{ type: 'other', kind: 'x', value: Object.fromEntries(members) }],
}
const further: typeof shapes = {
  'the ligature in a file': () => file(fill('\ufdfa', 2_000_000)),
  'a character of three signs': () => fill('\u2a76'),
  dashes: () => fill('-'),
  words: () => fill('some words here '),
  'a run of letters and digits': () => fill('ab1-'),
  'escapes in JSON': () => `["${'\\u0069g\\u006eore '.repeat(120_000)}"]`,
  'zero-width characters alone': () => fill('\u200b'),
  'combining marks': () => fill('\u0301'),
  syllables: () => fill('\u1100\u1161'),
  'many parts': () => Array.from({ length: 200_000 }, () => ({ type: 'text', text: 'abcdefg' })),
}

test.each(Object.entries(inject('prove') ? { ...shapes, ...further } : shapes))('%s', async (_name, make) => {
  const messages: Message[] = [{ role: 'user', content: make() }]
  const measure = () => {
    const stage = openGuard({ sentinel_mode: 'enforce', sentinel_blocklist })
    return longestHoldMs(async () => {
      const answer = await stage.check(promptOf(messages)).catch(error => error.code)
      // Each text is scanned completely, or exceeds the work budget.
      if (typeof answer === 'string') expect(answer).toMatch(/^(content_blocked|guardrail_unavailable)$/)
    })
  }
  let heldMs = await measure()
  // The shortest of a few runs, because other processes also use the processor's caches.
  for (let run = 0; run < 4 && heldMs > maxHoldMs; run++) heldMs = Math.min(heldMs, await measure())
  expect(heldMs).toBeLessThan(maxHoldMs)
})
