// No text of a request holds the process: one large text, or many small ones, at each place of a request that may have
// one, in characters that JSON writes long. Each shape goes to another wire format than the one before it.

import { randomUUID } from 'node:crypto'
import { expect, inject, test } from 'vitest'
import type { JsonObject } from '../../../src/domain/json-object.ts'
import { useMatrixStage } from '../matrix/matrix.ts'
import { scenes } from '../matrix/scenes.ts'
import { openaiResponses } from '../matrix/upstream-responses.ts'
import { answerOf } from '../matrix/upstream-wire.ts'
import { chatWires } from '../matrix/wires.ts'
import { Measurements, probed } from './measure.ts'

/** Somewhat below the limit of bodies: a busy machine runs the test, too. */
const textBytes = 8_000_000
const manyTexts = 9_000
const units = { words: 'some words ', quotes: '"', 'halves of surrogate pairs': '\ud83e' }
const owners = ['openai', 'anthropic', 'google', 'cohere', 'bedrock'] as const
/** Large ones, one after the other: each place with one unit, unless all are proved. */
const every = inject('prove') ? 1 : 3
const maxMs = 3_600_000

const asked: JsonObject = { role: 'user', content: 'Hi' }
const call = { id: 'call_Oslo12345', name: 'find_weather' }

interface Place {
  name: string
  path: string
  make(text: string): JsonObject
  headers?(): Record<string, string>
  /** The next request of a conversation, which reads what this one stored. */
  next?(answer: JsonObject): JsonObject
  /** Where the client reads what was stored. */
  stored?(answer: JsonObject, headers: Record<string, string>): string
}

const chat = (name: string, make: (text: string) => JsonObject): Place => ({
  name: `/v1/chat/completions ${name}`,
  path: '/v1/chat/completions',
  make,
})
const message = (name: string, make: (text: string) => JsonObject): Place => ({
  name: `/v1/messages ${name}`,
  path: '/v1/messages',
  make: text => ({ max_tokens: 10, ...make(text) }),
})
const chatCall = (text: string) => ({
  role: 'assistant',
  tool_calls: [{ id: call.id, type: 'function', function: { name: call.name, arguments: text } }],
})

const places: readonly Place[] = [
  chat('text', text => ({ messages: [{ role: 'user', content: text }] })),
  chat('texts', text => ({ messages: [{ role: 'user', content: partsOf(text) }] })),
  chat('system', text => ({ messages: [{ role: 'system', content: text }, asked] })),
  chat('arguments', text => {
    // Escaped twice.
    const half = JSON.stringify({ a: text.slice(0, text.length / 2) })
    return { messages: [asked, chatCall(half), { role: 'tool', tool_call_id: call.id, content: 'ok' }] }
  }),
  chat('result', text => ({
    messages: [asked, chatCall('{}'), { role: 'tool', tool_call_id: call.id, content: text }],
  })),
  chat('schema', text => {
    const parameters = { type: 'object', properties: { a: { type: 'string', description: text } } }
    return { messages: [asked], tools: [{ type: 'function', function: { name: call.name, parameters } }] }
  }),
  message('text', text => ({ messages: [{ role: 'user', content: text }] })),
  message('input', text => {
    const use = { role: 'assistant', content: [{ type: 'tool_use', ...call, input: { a: text } }] }
    const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: 'ok' }] }
    return { messages: [asked, use, result] }
  }),
  { name: '/v1/responses text', path: '/v1/responses', make: text => ({ store: false, input: text }) },
  {
    name: '/v1/responses stored',
    path: '/v1/responses',
    make: text => ({ input: text }),
    next: ({ id }) => ({ input: 'And now?', previous_response_id: String(id) }),
    stored: ({ id }) => `/v1/responses/${String(id)}`,
  },
  {
    ...chat('in a thread', text => ({ messages: [{ role: 'user', content: text }] })),
    headers: () => ({ 'x-thread-id': randomUUID() }),
    next: () => ({ messages: [{ role: 'user', content: 'And now?' }] }),
    stored: (_answer, headers) => `/v1/threads/${headers['x-thread-id']}/messages`,
  },
  {
    name: '/v1/responses instructions, stored',
    path: '/v1/responses',
    make: text => ({ instructions: text, input: 'Hi' }),
    stored: ({ id }) => `/v1/responses/${String(id)}`,
  },
]

const stageOf = useMatrixStage({ ...probed, settings: { ...probed.settings, memory_enabled: true } })

test.each(Object.entries(units).map(([kind, unit], first) => ({ kind, unit, first })))(
  '$kind',
  {
    timeout: maxMs,
  },
  async ({ kind, unit, first }) => {
    const { script, projectOf } = stageOf()
    const measurements = new Measurements()
    const length = JSON.stringify(unit).length - 2
    for (const [at, { name, path, make, headers, next, stored }] of places.entries()) {
      if (at % every !== first % every) continue
      const owner = owners[(at + first) % owners.length] as (typeof owners)[number]
      const wire = owner === 'openai' && path === '/v1/responses' ? openaiResponses : chatWires[owner]
      await measurements.add({
        name: `${kind}: ${name} at ${owner}`,
        parts: Math.floor(textBytes / length),
        async send(parts) {
          const sent = headers?.() ?? {}
          const project = projectOf(owner)
          const ask = async (text: string) => {
            script(answerOf(wire, scenes.plain.said, false))
            return await project.ask('POST', path, { body: text, headers: sent })
          }
          const text = JSON.stringify({ model: 'any', ...make(unit.repeat(parts)) })
          const { status, body } = await ask(text)
          const answer = body as JsonObject
          expect(status).toBe(200)
          if (next !== undefined) {
            expect(await ask(JSON.stringify({ model: 'any', ...next(answer) }))).toMatchObject({ status: 200 })
          }
          if (stored !== undefined) {
            expect(await project.ask('GET', stored(answer, sent))).toMatchObject({ status: 200 })
          }
          return { text, status }
        },
      })
    }
    measurements.report(`Large requests: ${kind}`)
    expect(measurements.faults).toEqual([])
  },
)

function partsOf(text: string): JsonObject[] {
  const length = Math.ceil(text.length / manyTexts)
  return Array.from({ length: manyTexts }, (_, at) => ({
    type: 'text',
    text: text.slice(at * length, (at + 1) * length),
  }))
}
