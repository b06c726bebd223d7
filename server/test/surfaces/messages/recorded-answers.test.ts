// Tests the recorded answers of all providers as messages: the bytes of Anthropic's own at every cut, and the events of
// all others as a client of Anthropic reads them.
import { describe, expect, inject, it } from 'vitest'
import type { AnswerEvent } from '../../../src/domain/conversation/answer.ts'
import { writeJson } from '../../../src/domain/json/json-text.ts'
import { anthropic } from '../../../src/providers/protocols/anthropic/anthropic.ts'
import { chatCompletions } from '../../../src/providers/protocols/chat/chat-completions.ts'
import { mistralDialect, openaiDialect, openrouterDialect } from '../../../src/providers/protocols/chat/dialects.ts'
import { cohere } from '../../../src/providers/protocols/cohere/cohere.ts'
import { gemini } from '../../../src/providers/protocols/gemini/gemini.ts'
import type { Protocol } from '../../../src/providers/protocols/protocol.ts'
import { MessageEvents, renderMessage } from '../../../src/surfaces/messages/message-events.ts'
import { usageReader } from '../../../src/surfaces/messages/read-usage.ts'
import { eventText } from '../../../src/surfaces/messages/replies.ts'
import { loadFixtures } from '../../providers/protocols/fixtures.ts'
import { decodeStream, deltasOf, testReading } from '../../providers/protocols/protocol-suite.ts'
import { describeWithSharedData } from '../../support/shared-data.ts'
import { grammarOf, messageOf } from './messages-stream.ts'

const protocols: Record<string, Protocol> = {
  openai: chatCompletions(openaiDialect),
  openrouter: chatCompletions(openrouterDialect),
  mistral: chatCompletions(mistralDialect),
  anthropic,
  google: gemini,
  cohere,
}
const identity = { id: 'msg_1', model: 'm' }
/** Of each recording; every byte with the full counts. */
const maxCuts = inject('prove') ? Number.POSITIVE_INFINITY : 25

const rawOf = (events: readonly AnswerEvent[]) => Buffer.concat(events.map(({ raw }) => raw ?? Buffer.alloc(0)))

function rendered(events: readonly AnswerEvent[]) {
  const writer = new MessageEvents(identity)
  const written = [...deltasOf(events).flatMap(delta => writer.write(delta)), ...writer.end()]
  return messageOf(grammarOf(written.map(eventText).join('')))
}

describeWithSharedData('recorded answers', 'fixtures', () => {
  describe.each(Object.entries(protocols))('of %s', (provider, protocol) => {
    const recordings = loadFixtures(provider).filter(
      ({ response, expect: expected }) => expected?.choices !== undefined && (response.status ?? 200) < 300,
    )
    const streams = recordings.filter(({ response }) => response.sse !== undefined)

    it('are there', () => expect(streams.length).toBeGreaterThan(0))

    it.each(recordings.map(recording => [recording.file, recording] as const))('%s', (_file, recording) => {
      const { response, expect: expected } = recording
      const [wanted] = expected?.choices ?? []
      if (wanted === undefined || expected?.stream_error !== undefined) return
      const events =
        response.sse === undefined
          ? [protocol.decodeAnswer(Buffer.from(response.body_text ?? ''), testReading({ passes: false }))]
          : decodeStream(protocol, [Buffer.from(response.sse)], testReading({ passes: false }))
      const message = rendered(events)
      const said = message.content.flatMap(({ type, text }) => (type === 'text' ? [text] : [])).join('')
      expect(said).toBe((wanted.text ?? '') + (wanted.refusal ?? ''))
      const calls = message.content.filter(({ type }) => type === 'tool_use')
      expect(calls.map(({ name }) => name)).toEqual(wanted.tool_calls.map(({ name }) => name))
      const { content } = JSON.parse(writeJson(renderMessage(identity, deltasOf(events))))
      expect(content).toEqual(message.content)
    })
  })

  const own = loadFixtures('anthropic').filter(
    ({ response, expect: expected }) => response.sse !== undefined && expected?.error_class === undefined,
  )
  it.each(own.map(({ file, response }) => [file, response.sse ?? ''] as const))('%s passes unchanged', (_file, sse) => {
    const bytes = Buffer.from(sse)
    const step = Math.max(1, Math.ceil(bytes.length / maxCuts))
    for (let at = 0; at < bytes.length; at += step) {
      const pieces = [Buffer.from(bytes.subarray(0, at)), Buffer.from(bytes.subarray(at))]
      const events = decodeStream(anthropic, pieces, testReading())
      const error = events.at(-1)?.deltas.at(-1)
      if (error?.type === 'error') expect(bytes.toString()).toContain(rawOf(events).toString())
      else {
        const end = bytes.toString().lastIndexOf('}') + 1
        expect(rawOf(events).toString().trimEnd(), `cut at ${at}`).toBe(bytes.toString().slice(0, end))
        const reader = usageReader.ofStream()
        for (const piece of [bytes.subarray(0, at), bytes.subarray(at)]) reader.take(Buffer.from(piece))
        reader.end()
        const counted = deltasOf(events).find(({ type }) => type === 'usage')
        expect(reader.tokens()).toBe(counted?.type === 'usage' ? counted.usage.totalTokens : null)
      }
    }
  })
})
