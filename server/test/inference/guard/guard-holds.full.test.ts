// Tests how long the guardrails block the event loop for texts of up to 2 MiB in one request, for any texts and
// blocklist. `server/test/guardrails/yields.test.ts` counts where they let others run.
import { expect, inject, test } from 'vitest'
import type { Message, Part, ToolCall } from '../../../src/domain/conversation/prompt.ts'
import type { Settings } from '../../../src/domain/settings/settings.ts'
import { longestHoldMs } from '../../support/slowness.ts'
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
  'many parts that end in a mark': () => Array.from({ length: 400_000 }, () => ({ type: 'text', text: 'abc.' })),
  'many unknown parts': () =>
    Array.from({ length: 100_000 }, (_, index) => ({ type: 'other', kind: 'x', value: { a: `b${index}` } })),
}

const calling = (toolCalls: ToolCall[]): Message[] => [
  { role: 'assistant', content: null, toolCalls, reasoningDetails: [] },
]
const callWith = (json: string): ToolCall => ({ id: 'a', name: 'f', arguments: json })
const addresses = Array.from({ length: 80_000 }, (_, index) => `z${index}@example.com`)

/** For PII Shield, which also reads calls and replaces what it has found. */
const withCalls: Record<string, () => Message[]> = {
  'a call with 100,000 names': () => calling([callWith(JSON.stringify(Object.fromEntries(members)))]),
  'many calls': () => calling(Array.from({ length: 35_000 }, () => callWith('{"to":"zoe@example.com"}'))),
}
const furtherWithCalls: typeof withCalls = {
  'a call with many values to mask': () => calling([callWith(JSON.stringify(addresses))]),
  'escapes in a call': () => calling([callWith(`["${'\\u0069g\\u006eore '.repeat(120_000)}"]`)]),
  'lists in lists': () => calling([callWith('['.repeat(1_000_000) + ']'.repeat(1_000_000))]),
  'blocks of reasoning': () => [
    {
      role: 'assistant',
      content: null,
      toolCalls: [],
      reasoningDetails: Array.from({ length: 35_000 }, () => ({ type: 'reasoning.text', text: 'To zoe@example.com' })),
    },
  ],
  'many parts': () => [{ role: 'user', content: further['many parts']!() }],
}

async function expectShortHolds(settings: Partial<Settings>, messages: Message[]): Promise<void> {
  const measure = () => {
    const stage = openGuard(settings)
    return longestHoldMs(async () => {
      const answer = await stage.check(promptOf(messages)).catch(error => error.code)
      // Each text is scanned completely, or exceeds the work budget.
      if (typeof answer === 'string') expect(answer).toMatch(/^(content_blocked|guardrail_unavailable)$/)
      else answer.vault?.close()
    })
  }
  let heldMs = await measure()
  // The shortest of a few runs, because other processes also use the processor's caches.
  for (let run = 0; run < 4 && heldMs > maxHoldMs; run++) heldMs = Math.min(heldMs, await measure())
  expect(heldMs).toBeLessThan(maxHoldMs)
}

test.each(Object.entries(inject('prove') ? { ...shapes, ...further } : shapes))('Sentinel: %s', async (_name, make) => {
  await expectShortHolds({ sentinel_mode: 'enforce', sentinel_blocklist }, [{ role: 'user', content: make() }])
})

test.each(Object.entries(inject('prove') ? { ...withCalls, ...furtherWithCalls } : withCalls))(
  'PII Shield: %s',
  async (_name, make) => {
    await expectShortHolds({ pii_mode: 'enforce', pii_entities: { EMAIL_ADDRESS: 'MASK', PERSON: 'MASK' } }, make())
  },
)
