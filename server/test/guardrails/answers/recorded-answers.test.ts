// Tests the scan of answers on the recorded streams of all providers, where this machine has them: cut at every byte,
// with a value across every border between two pieces of a text.

import { describe, expect, inject, it } from 'vitest'
import type { Delta } from '../../../src/domain/conversation/answer.ts'
import { anthropic } from '../../../src/providers/protocols/anthropic/anthropic.ts'
import { chatCompletions } from '../../../src/providers/protocols/chat/chat-completions.ts'
import { mistralDialect, openaiDialect, openrouterDialect } from '../../../src/providers/protocols/chat/dialects.ts'
import { cohere } from '../../../src/providers/protocols/cohere/cohere.ts'
import { gemini } from '../../../src/providers/protocols/gemini/gemini.ts'
import type { Protocol } from '../../../src/providers/protocols/protocol.ts'
import { collect, loadFixtures } from '../../providers/protocols/fixtures.ts'
import { decodeStream, deltasOf } from '../../providers/protocols/protocol-suite.ts'
import { describeWithSharedData } from '../../support/shared-data.ts'
import { openScanned, structuredTypes } from './scanned-answer.ts'

const protocols: Record<string, Protocol> = {
  openai: chatCompletions(openaiDialect),
  openrouter: chatCompletions(openrouterDialect),
  mistral: chatCompletions(mistralDialect),
  anthropic,
  google: gemini,
  cohere,
}
const value = ' zoe.roe@example.com '
const types = [...structuredTypes]
/** Of each recording; every byte with the full counts. */
const maxCuts = inject('prove') ? Number.POSITIVE_INFINITY : 40

/** What a client gets of the answer, choice by choice and channel by channel. */
function rewrite(deltas: readonly Delta[]) {
  const { rewriter, found } = openScanned({ types })
  const { choices } = collect(rewriter.rewrite(deltas))
  return { found, said: choices.map(({ text, reasoning, refusal, calls }) => ({ text, reasoning, refusal, calls })) }
}

type Text = Extract<Delta, { type: 'text' | 'reasoning' | 'refusal' }>
const isText = (delta: Delta | undefined): delta is Text =>
  delta !== undefined && (delta.type === 'text' || delta.type === 'reasoning' || delta.type === 'refusal')

/** Puts a text across the border between a delta and the next one of its channel. */
function insert(deltas: readonly Delta[], at: number, next: number, text: string, place: number): Delta[] {
  return deltas.map((delta, index) => {
    if (!isText(delta)) return delta
    if (index === at) return { ...delta, text: delta.text + text.slice(0, place) }
    return index === next ? { ...delta, text: text.slice(place) + delta.text } : delta
  })
}

describeWithSharedData('recorded streams', 'fixtures', () => {
  describe.each(Object.entries(protocols))('%s', (provider, protocol) => {
    const recordings = loadFixtures(provider).filter(
      ({ response, expect: expected }) => response.sse !== undefined && expected?.error_class === undefined,
    )

    it('are there', () => expect(recordings.length).toBeGreaterThan(0))

    it.each(recordings.map(({ file, response }) => [file, response.sse ?? ''] as const))('%s', (_file, sse) => {
      const bytes = Buffer.from(sse)
      const decode = (pieces: Uint8Array[]) =>
        deltasOf(
          decodeStream(
            protocol,
            pieces.map(piece => Buffer.from(piece)),
          ),
        )
      const whole = rewrite(decode([bytes]))
      const step = Math.max(1, Math.ceil(bytes.length / maxCuts))
      for (let place = 1; place < bytes.length; place += step) {
        expect(rewrite(decode([bytes.subarray(0, place), bytes.subarray(place)])), `at ${place}`).toEqual(whole)
      }
    })

    it('with a value across two pieces of a text, cut at every place', () => {
      let borders = 0
      for (const { response } of recordings) {
        const deltas = deltasOf(decodeStream(protocol, [Buffer.from(response.sse ?? '')]))
        for (const [at, delta] of deltas.entries()) {
          if (!isText(delta)) continue
          const next = deltas.findIndex(
            (other, index) => index > at && other.type === delta.type && isText(other) && other.choice === delta.choice,
          )
          if (next === -1 || ++borders > 4 * maxCuts) continue
          const expected = collect(insert(deltas, at, next, ' <EMAIL_ADDRESS> ', 0)).choices
          const { said } = rewrite(insert(deltas, at, next, ' <EMAIL_ADDRESS> ', 0))
          for (let place = 0; place <= value.length; place += inject('prove') ? 1 : 3) {
            expect(rewrite(insert(deltas, at, next, value, place)).said).toEqual(said)
          }
          expect(JSON.stringify(said)).toContain('<EMAIL_ADDRESS>')
          expect(said).toHaveLength(expected.length)
        }
      }
      expect(borders).toBeGreaterThan(3)
    })
  })
})
