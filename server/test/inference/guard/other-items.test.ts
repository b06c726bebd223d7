// Tests that an enforced scan of answers reads the items and fields that only clients of the provider's format know,
// whole and streamed, and that what it cannot read does not reach the client.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answerOf, eventsOf, streamOf } from '../../providers/protocols/responses/responses-wire.ts'
import { eventStream } from '../../support/simulated/provider-answers.ts'
import type { UpstreamAnswer } from '../../support/simulated/scripted-upstream.ts'
import { openStage, type Stage, type TestProject } from '../inference-stage.ts'
import { makeProjectOf, type ProviderWire, scriptKeyChecks, sixWires } from '../six-wires.ts'

const card = '4111 1111 1111 1111'
const term = 'purple zebra'
const image = 'iVBORw0KGgo'.repeat(60)
const settings = {
  pii_answer_mode: 'enforce',
  pii_entities: { CREDIT_CARD: 'REDACT' },
  sentinel_mode: 'enforce',
  answer_blocklist: [term],
}
const wireOf = (name: string) => sixWires.find(({ provider }) => provider === name) as ProviderWire

let stage: Stage
const projects = new Map<string, TestProject>()
beforeAll(async () => {
  stage = await openStage('sqlite', {}, { own: true })
  scriptKeyChecks(stage)
  for (const name of ['anthropic', 'openai']) projects.set(name, await makeProjectOf(stage, wireOf(name), settings))
})
afterAll(() => stage.stop())

function script(answer: UpstreamAnswer): void {
  for (const path of ['chat/completions', 'responses', 'messages']) stage.upstream.on(`POST /v1/${path}`, answer)
}

interface Surface {
  provider: string
  path: string
  body: Record<string, unknown>
  /** An answer with this item, block or field. */
  answer(value: Record<string, unknown>, isStream: boolean): UpstreamAnswer
}

const messageFrame = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_sequence: null }
const usage = { input_tokens: 1, output_tokens: 1 }
const completionFrame = { id: 'c1', created: 1_790_000_000, model: 'gpt-4o-mini' }
const named = (event: { type: string }) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
const chunk = (delta: object, finish_reason: string | null) =>
  `data: ${JSON.stringify({ ...completionFrame, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`

const responses: Surface = {
  provider: 'openai',
  path: '/v1/responses',
  body: { input: 'say it', tools: [{ type: 'custom', name: 'note' }] },
  answer(item, isStream) {
    if (!isStream) return { body: answerOf([item]) }
    return { headers: { 'content-type': 'text/event-stream' }, body: streamOf(eventsOf([item])) }
  },
}
const messages: Surface = {
  provider: 'anthropic',
  path: '/v1/messages',
  body: { max_tokens: 100, messages: [{ role: 'user', content: 'say it' }] },
  answer(block, isStream) {
    if (!isStream) return { body: { ...messageFrame, content: [block], stop_reason: 'end_turn', usage } }
    return eventStream([
      named({ type: 'message_start', message: { ...messageFrame, content: [], stop_reason: null, usage } } as never),
      named({ type: 'content_block_start', index: 0, content_block: block } as never),
      named({ type: 'content_block_stop', index: 0 } as never),
      named({ type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage } as never),
      named({ type: 'message_stop' }),
    ])
  },
}
const completions: Surface = {
  provider: 'openai',
  path: '/v1/chat/completions',
  body: { messages: [{ role: 'user', content: 'say it' }] },
  answer(fields, isStream) {
    const message = { role: 'assistant', content: 'Hi', refusal: null, ...fields }
    const choices = [{ index: 0, message, logprobs: null, finish_reason: 'stop' }]
    const counts = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
    if (!isStream) return { body: { ...completionFrame, object: 'chat.completion', choices, usage: counts } }
    return eventStream([
      chunk({ role: 'assistant', content: 'Hi' }, null),
      chunk(fields, null),
      chunk({}, 'stop'),
      'data: [DONE]\n\n',
    ])
  },
}

const items: [name: string, Surface, (text: string) => Record<string, unknown>][] = [
  [
    'custom_tool_call',
    responses,
    input => ({ type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_1', name: 'note', input }),
  ],
  [
    'code_interpreter_call',
    responses,
    logs => ({ type: 'code_interpreter_call', id: 'ci_1', code: 'x', outputs: [{ type: 'logs', logs }] }),
  ],
  ['web_search_call', responses, query => ({ type: 'web_search_call', id: 'ws_1', action: { type: 'search', query } })],
  ['file_search_call', responses, text => ({ type: 'file_search_call', id: 'fs_1', queries: [], results: [{ text }] })],
  ['mcp_call', responses, output => ({ type: 'mcp_call', id: 'mcp_1', name: 'a', arguments: '{}', output })],
  ['shell_call_output', responses, stdout => ({ type: 'shell_call_output', id: 'sh_1', output: [{ stdout }] })],
  ['an unknown item', responses, text => ({ type: 'new_thing', id: 'nt_1', parts: [{ deep: { text } }] })],
  [
    'server_tool_use',
    messages,
    query => ({ type: 'server_tool_use', id: 'st_1', name: 'web_search', input: { query } }),
  ],
  [
    'web_search_tool_result',
    messages,
    title => ({ type: 'web_search_tool_result', tool_use_id: 'st_1', content: [{ title }] }),
  ],
  [
    'code_execution_tool_result',
    messages,
    stdout => ({ type: 'code_execution_tool_result', tool_use_id: 'st_1', content: { stdout } }),
  ],
  [
    'mcp_tool_use',
    messages,
    query => ({ type: 'mcp_tool_use', id: 'm_1', name: 'a', server_name: 'b', input: { query } }),
  ],
  [
    'mcp_tool_result',
    messages,
    text => ({ type: 'mcp_tool_result', tool_use_id: 'm_1', content: [{ type: 'text', text }] }),
  ],
  ['an unknown block', messages, text => ({ type: 'new_thing', parts: [{ deep: { text } }] })],
  [
    'images',
    completions,
    text => ({ images: [{ type: 'image_url', text, image_url: { url: 'https://example.com' } }] }),
  ],
  ['annotations', completions, title => ({ annotations: [{ type: 'url_citation', url_citation: { title } }] })],
  ['a transcript', completions, transcript => ({ audio: { id: 'a1', data: 'AAAA', transcript } })],
]

const ask = async ({ provider, path, body }: Surface, isStream: boolean) => {
  const project = projects.get(provider) as TestProject
  return await project.ask('POST', path, { body: { ...body, stream: isStream } })
}

describe.each([
  ['whole', false],
  ['streamed', true],
])('%s', (_name, isStream) => {
  test.each(items)('%s is read as arguments of a call are', async (_item, surface, make) => {
    script(surface.answer(make(`a "${card}" b`), isStream))
    const covered = await ask(surface, isStream)
    expect(covered.status).toBe(200)
    expect(covered.text).toContain('<CREDIT_CARD>')
    expect(covered.text).not.toContain(card)
    script(surface.answer(make(`a ${term} b`), isStream))
    const blocked = await ask(surface, isStream)
    expect(blocked.text).toContain('SERVICE_CONTENT_BLOCKED')
    expect(blocked.text).not.toContain(term)
  })

  test.each<[name: string, Surface, Record<string, unknown>]>([
    [
      'an image of a tool',
      responses,
      { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: image },
    ],
    [
      'an image',
      completions,
      { images: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${image}` } }] },
    ],
    ['audio', completions, { audio: { id: 'a1', data: 'c2hvcnQ=', transcript: 'Hello' } }],
  ])('%s, which nothing can read, is left out', async (_item, surface, value) => {
    script(surface.answer(value, isStream))
    const { status, text } = await ask(surface, isStream)
    expect(status).toBe(200)
    expect(text).not.toMatch(/iVBORw0KGgo|c2hvcnQ=/)
  })
})

test('a transcript in pieces is read as one text', async () => {
  const pieces = ['a 4111 11', '11 1111 ', '1111 b'].map(transcript => chunk({ audio: { id: 'a1', transcript } }, null))
  script(eventStream([chunk({ role: 'assistant' }, null), ...pieces, chunk({}, 'stop'), 'data: [DONE]\n\n']))
  const { text } = await ask(completions, true)
  expect(text).toContain('CREDIT_CARD')
  expect(text).not.toMatch(/1111/)
})
