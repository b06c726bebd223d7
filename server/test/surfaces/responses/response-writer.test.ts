// Deltas as the events of a response and as its whole object. The official client's accumulator checks that the events
// are in order and add up to the object.

import { accumulateResponse } from 'openai/lib/responses/ResponseAccumulator'
import type { Response, ResponseStreamEvent } from 'openai/resources/responses/responses'
import { describe, expect, it } from 'vitest'
import type { Delta, FinishReason } from '../../../src/domain/conversation/answer.ts'
import type { JsonObject } from '../../../src/domain/json-object.ts'
import { unpackDetails } from '../../../src/surfaces/responses/reasoning-items.ts'
import { echoOf } from '../../../src/surfaces/responses/response-object.ts'
import { ResponseWriter, type WriterOptions } from '../../../src/surfaces/responses/response-writer.ts'
import { expectLinear } from '../../support/slowness.ts'

const identity = { id: 'resp_0a', createdSeconds: 1_790_000_000, model: 'openai/gpt-4o-mini' }
const usage = { promptTokens: 11, completionTokens: 7, totalTokens: 18, cachedTokens: 3, reasoningTokens: null }
const text = (piece: string): Delta => ({ type: 'text', choice: 0, text: piece })
const refusal = (piece: string): Delta => ({ type: 'refusal', choice: 0, text: piece })
const thought = (piece: string): Delta => ({ type: 'reasoning', choice: 0, text: piece })
const call = (index: number, start = ''): Delta => ({
  type: 'tool_call',
  choice: 0,
  call: index,
  id: `call_${index}`,
  name: 'f',
  arguments: start,
})
const argue = (index: number, piece: string): Delta => ({ type: 'tool_arguments', choice: 0, call: index, text: piece })
const finish = (reason: FinishReason): Delta => ({ type: 'finish', choice: 0, reason, native: null })
const origin: Delta = { type: 'origin', id: 'chatcmpl-1', model: 'gpt-4o-mini-2024', createdSeconds: 5 }

function write(deltas: readonly Delta[], options: Partial<WriterOptions> = {}) {
  const writer = new ResponseWriter({
    identity,
    echo: echoOf({ input: 'Hi' }),
    sealsReasoning: false,
    ...options,
  })
  const written = [...deltas.flatMap(delta => writer.write(delta)), ...writer.end()]
  const events = written.map(
    (event, number) => JSON.parse(JSON.stringify({ ...event, sequence_number: number })) as JsonObject,
  )
  const whole = JSON.parse(JSON.stringify(writer.response())) as JsonObject
  return { types: events.map(({ type }) => String(type).replace('response.', '')), events, whole }
}

/** What the official client makes of the events before the last one. */
function accumulated(events: readonly JsonObject[]): Response {
  let response: Response | undefined
  for (const event of events.slice(0, -1))
    response = accumulateResponse(event as unknown as ResponseStreamEvent, response)
  if (response === undefined) throw new Error('no events')
  return response
}

const outputOf = (whole: JsonObject) => whole['output'] as JsonObject[]

describe('a text', () => {
  const { types, events, whole } = write([origin, text('Hel'), text('lo'), finish('stop'), { type: 'usage', usage }])

  it('has all events in order', () => {
    expect(types).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'completed',
    ])
    expect(events[2]).toMatchObject({ output_index: 0, item: { id: 'msg_0a0', status: 'in_progress', content: [] } })
    expect(events[3]).toMatchObject({ content_index: 0, part: { type: 'output_text', text: '', logprobs: [] } })
    expect(events[4]).toMatchObject({ item_id: 'msg_0a0', content_index: 0, delta: 'Hel' })
    expect(events[6]).toMatchObject({ text: 'Hello' })
    expect(events.at(-1)).toMatchObject({ response: whole })
  })

  it('is one message of a whole response', () => {
    expect(whole).toMatchObject({
      id: 'resp_0a',
      object: 'response',
      created_at: 5,
      status: 'completed',
      error: null,
      incomplete_details: null,
      model: 'gpt-4o-mini-2024',
      metadata: {},
      tools: [],
      tool_choice: 'auto',
      parallel_tool_calls: true,
      usage: {
        input_tokens: 11,
        input_tokens_details: { cached_tokens: 3 },
        output_tokens: 7,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 18,
      },
    })
    expect(outputOf(whole)).toEqual([
      {
        id: 'msg_0a0',
        type: 'message',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Hello', annotations: [], logprobs: [] }],
      },
    ])
  })
})

it.each<[string, Delta[]]>([
  [
    'reasoning, a text and calls',
    [
      thought('hm'),
      thought('!'),
      text('Wait.'),
      call(0),
      argue(0, '{"a":'),
      argue(0, '1}'),
      call(1, '{}'),
      finish('tool_calls'),
    ],
  ],
  [
    'calls in turns',
    [call(0), call(1), argue(0, '{"a":'), argue(1, '{"b":'), argue(0, '1}'), argue(1, '2}'), finish('tool_calls')],
  ],
  [
    'a call with an object inside',
    [call(0), argue(0, '{"a":{}'), call(1, '{}'), argue(0, ',"b":1}'), finish('tool_calls')],
  ],
  ['a refusal after a text', [text('Well. '), refusal('I '), refusal('cannot.'), finish('stop')]],
  ['a text after a call', [text('a'), call(0, '{}'), text('b'), finish('stop')]],
  ['nothing', [finish('stop')]],
  [
    'a native item',
    [
      {
        type: 'native',
        choice: 0,
        format: 'responses',
        value: { type: 'web_search_call', id: 'ws_1', status: 'completed' },
      },
      text('a'),
      finish('stop'),
    ],
  ],
])('%s: the events add up to the object', (_name, deltas) => {
  const { events, whole, types } = write(deltas)
  expect(accumulated(events).output).toEqual(whole['output'])
  expect(types.filter(type => type === 'output_item.added')).toHaveLength(outputOf(whole).length)
  expect(types.filter(type => type === 'output_item.done')).toHaveLength(outputOf(whole).length)
  expect(new Set(outputOf(whole).map(({ id }) => id)).size).toBe(outputOf(whole).length)
})

it('ends an item before the next one begins, calls with whole arguments too', () => {
  const { types } = write([
    thought('hm'),
    text('a'),
    call(0),
    argue(0, '{}'),
    call(1),
    argue(1, '{}'),
    finish('tool_calls'),
  ])
  const borders = types.filter(type => type.startsWith('output_item'))
  expect(borders).toEqual(Array(4).fill(['output_item.added', 'output_item.done']).flat())
})

it.each([
  ['length', 'max_output_tokens'],
  ['content_filter', 'content_filter'],
] as const)('an answer that ends with %s is incomplete', (reason, word) => {
  const { types, whole } = write([text('Hel'), finish(reason)])
  expect(types.at(-1)).toBe('incomplete')
  expect(whole).toMatchObject({ status: 'incomplete', incomplete_details: { reason: word }, usage: null })
  expect(outputOf(whole)).toMatchObject([{ status: 'incomplete' }])
})

describe('reasoning', () => {
  const detail = { type: 'reasoning.text', text: 'hm', signature: 'sig', format: 'anthropic-claude-v1', index: 0 }
  const deltas: Delta[] = [thought('hm'), { type: 'reasoning', choice: 0, text: '', detail }, text('a'), finish('stop')]

  it('is a summary', () => {
    const { types, whole } = write(deltas)
    expect(types.slice(2, 8)).toEqual([
      'output_item.added',
      'reasoning_summary_part.added',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.done',
      'reasoning_summary_part.done',
      'output_item.done',
    ])
    const [item] = outputOf(whole)
    expect(item).toEqual({ id: 'rs_0a0', type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] })
  })

  it('carries what the provider needs back if the client asks for it', () => {
    const [item] = outputOf(write(deltas, { sealsReasoning: true }).whole)
    expect(unpackDetails(String(item?.['encrypted_content']), {})).toEqual([detail])
  })

  it('of OpenAI keeps its id and its content', () => {
    const own: Delta = {
      type: 'reasoning',
      choice: 0,
      text: '',
      detail: { type: 'reasoning.encrypted', data: 'gAAA', id: 'rs_up', format: 'openai-responses-v1' },
    }
    const second: Delta = { ...own, detail: { ...own.detail, type: 'reasoning.encrypted', id: 'rs_up2', data: 'gBBB' } }
    expect(outputOf(write([own, second, text('a'), finish('stop')], { sealsReasoning: true }).whole)).toMatchObject([
      { id: 'rs_up', summary: [], encrypted_content: 'gAAA' },
      { id: 'rs_up2', summary: [], encrypted_content: 'gBBB' },
      { type: 'message' },
    ])
    expect(outputOf(write([own, text('a'), finish('stop')]).whole)).toHaveLength(1)
  })
})

it('keeps log probabilities and annotations with their text', () => {
  const logprobs = { content: [{ token: 'Hi', logprob: -0.1, bytes: [72, 105], top_logprobs: [] }], refusal: null }
  const cited = { type: 'url_citation', url: 'https://example.com', title: 't', start_index: 0, end_index: 2 }
  const { type, ...citation } = cited
  const deltas: Delta[] = [
    { type: 'text', choice: 0, text: 'Hi', logprobs },
    { type: 'fields', choice: 0, fields: { annotations: [{ type, [type]: citation }] } },
    { type: 'fields', choice: 0, fields: { annotations: [cited], audio: {} } },
    finish('stop'),
  ]
  const { types, events, whole } = write(deltas)
  expect(types.filter(name => name === 'output_text.annotation.added')).toHaveLength(2)
  expect(events.find(event => event['type'] === 'response.output_text.delta')).toMatchObject({
    logprobs: logprobs.content,
  })
  expect(outputOf(whole)).toMatchObject([{ content: [{ annotations: [cited, cited], logprobs: logprobs.content }] }])
})

it('takes the id of a provider that makes responses', () => {
  expect(write([{ ...origin, id: 'resp_upstream' }, text('a'), finish('stop')]).whole['id']).toBe('resp_upstream')
  expect(write([{ ...origin, id: 'resp_../../x' }, text('a'), finish('stop')]).whole['id']).toBe('resp_0a')
})

const manyOf: [name: string, deltasOf: (at: (make: (index: number) => Delta) => Delta[]) => Delta[]][] = [
  ['calls one after the other', each => each(index => call(index, '{}'))],
  ['calls side by side', each => [...each(index => call(index)), ...each(index => argue(index, '{'))]],
  ['calls that never end', each => each(index => call(index, 'a}'))],
  ['native items', each => each(() => ({ type: 'native', choice: 0, format: 'responses', value: { type: 'x' } }))],
  ['texts and refusals in turn', each => each(index => (index % 2 === 0 ? text('a') : refusal('b')))],
]

it.each(manyOf)('writes many %s in proportion to their number', (_name, deltasOf) => {
  expectLinear(size => {
    const deltas = [...deltasOf(make => Array.from({ length: size }, (_, at) => make(at))), finish('stop')]
    return () => {
      const writer = new ResponseWriter({ identity, echo: echoOf({ input: 'Hi' }), sealsReasoning: false })
      for (const delta of deltas) writer.write(delta)
      writer.end()
    }
  })
})
