// Answers in the wire formats of OpenAI and Anthropic, whole and as streams, for tests that script an upstream. Written
// by the providers' documentation; imports no source file.
import type { UpstreamAnswer } from './scripted-upstream.ts'

export type Shape = 'openai' | 'anthropic'

export interface Said {
  /** Each element is one piece of the stream. */
  text?: readonly string[]
  calls?: readonly { id: string; name: string; pieces: readonly string[] }[]
}

const counts = { prompt: 11, completion: 7 }
export const wholeUsage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 }

/** `isStreamed`: the request asks for a stream. */
export function say(shape: Shape, said: Said, isStreamed: boolean): UpstreamAnswer {
  if (shape === 'openai') return isStreamed ? eventStream(openaiEvents(said)) : { body: openaiWhole(said) }
  return isStreamed ? eventStream(anthropicEvents(said)) : { body: anthropicWhole(said) }
}

/** Only the first events of the stream; the response then ends normally. */
export function breakOff(shape: Shape, said: Said, keptEvents: number): UpstreamAnswer {
  const events = shape === 'openai' ? openaiEvents(said) : anthropicEvents(said)
  return eventStream(events.slice(0, keptEvents))
}

export function errorResponse(
  shape: Shape,
  status: number,
  message: string,
  headers: Record<string, string> = {},
): UpstreamAnswer {
  const openai = { error: { message, type: 'server_error', param: null, code: null } }
  const anthropicTypes: Record<number, string> = { 401: 'authentication_error', 429: 'rate_limit_error' }
  const anthropic = { type: 'error', error: { type: anthropicTypes[status] ?? 'api_error', message } }
  return { status, headers, body: shape === 'openai' ? openai : anthropic }
}

export function eventStream(events: readonly string[]): UpstreamAnswer {
  return { headers: { 'content-type': 'text/event-stream' }, body: events.join('') }
}

function openaiWhole({ text, calls = [] }: Said) {
  const toolCalls = calls.map(({ id, name, pieces }) => ({
    id,
    type: 'function',
    function: { name, arguments: pieces.join('') },
  }))
  const message = { role: 'assistant', content: text?.join('') ?? null, refusal: null }
  return {
    ...openaiFrame('chat.completion'),
    choices: [
      {
        index: 0,
        message: calls.length === 0 ? message : { ...message, tool_calls: toolCalls },
        logprobs: null,
        finish_reason: calls.length === 0 ? 'stop' : 'tool_calls',
      },
    ],
    usage: wholeUsage,
  }
}

function openaiFrame(object: string) {
  return { id: 'chatcmpl-upstream', object, created: 1_790_000_000, model: 'gpt-4o-mini-2024-07-18' }
}

export function openaiEvents({ text = [], calls = [] }: Said): string[] {
  const choice = (delta: object, finish: string | null = null) =>
    data({ ...openaiFrame('chat.completion.chunk'), choices: [{ index: 0, delta, finish_reason: finish }] })
  return [
    choice({ role: 'assistant', content: calls.length === 0 ? '' : null }),
    ...text.map(piece => choice({ content: piece })),
    ...calls.flatMap(({ id, name, pieces }, index) => [
      choice({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
      ...pieces.map(piece => choice({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
    choice({}, calls.length === 0 ? 'stop' : 'tool_calls'),
    data({ ...openaiFrame('chat.completion.chunk'), choices: [], usage: wholeUsage }),
    'data: [DONE]\n\n',
  ]
}

function data(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`
}

function anthropicWhole({ text, calls = [] }: Said) {
  return {
    ...anthropicFrame,
    content: [
      ...(text === undefined ? [] : [{ type: 'text', text: text.join('') }]),
      ...calls.map(({ id, name, pieces }) => ({ type: 'tool_use', id, name, input: JSON.parse(pieces.join('')) })),
    ],
    stop_reason: calls.length === 0 ? 'end_turn' : 'tool_use',
    usage: { input_tokens: counts.prompt, output_tokens: counts.completion },
  }
}

const anthropicFrame = {
  id: 'msg_upstream',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5-20250929',
  stop_sequence: null,
}

function anthropicEvents({ text = [], calls = [] }: Said): string[] {
  const start = { ...anthropicFrame, content: [], stop_reason: null }
  const usage = { input_tokens: counts.prompt, output_tokens: 1 }
  const texts = text.length === 0 ? [] : [{ open: { type: 'text', text: '' }, pieces: text.map(textDelta) }]
  const uses = calls.map(({ id, name, pieces }) => ({
    open: { type: 'tool_use', id, name, input: {} },
    pieces: pieces.map(partial_json => ({ type: 'input_json_delta', partial_json })),
  }))
  const stop = { stop_reason: calls.length === 0 ? 'end_turn' : 'tool_use', stop_sequence: null }
  return [
    named('message_start', { message: { ...start, usage } }),
    ...[...texts, ...uses].flatMap(({ open, pieces }, index) => [
      named('content_block_start', { index, content_block: open }),
      ...pieces.map(delta => named('content_block_delta', { index, delta })),
      named('content_block_stop', { index }),
    ]),
    named('message_delta', { delta: stop, usage: { output_tokens: counts.completion } }),
    named('message_stop', {}),
  ]
}

function textDelta(text: string) {
  return { type: 'text_delta', text }
}

function named(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
}
