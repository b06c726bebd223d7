// A client of /v1/messages.

import { expect } from 'vitest'
import { type Client, eventsIn, silentView } from './client.ts'
import { type Asked, type AskedTurn, image, tool, type View } from './scenes.ts'

interface Block {
  type: string
  text?: string
  thinking?: string
  name?: string
  input?: unknown
}

interface Usage {
  input_tokens?: number
  output_tokens?: number
}

interface Message {
  content: Block[]
  stop_reason: string | null
  usage: Usage
}

interface StreamEvent {
  type: string
  index?: number
  message?: Message
  content_block?: Block
  delta?: { type?: string; text?: string; thinking?: string; partial_json?: string; stop_reason?: string }
  usage?: Usage
}

export const messagesClient: Client = {
  path: '/v1/messages',
  headers: { 'anthropic-version': '2023-06-01' },
  body: ({ system, turns, tools, schema, effort, stream }: Asked) => ({
    model: 'any',
    max_tokens: 4_096,
    messages: turns.map(messageOf),
    ...(system === '' ? {} : { system }),
    ...(tools ? { tools: [{ name: tool.name, description: tool.description, input_schema: tool.schema }] } : {}),
    ...(schema ? { output_config: { format: { type: 'json_schema', schema: tool.schema } } } : {}),
    ...(effort ? { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } } : {}),
    ...(stream ? { stream } : {}),
  }),
  readWhole: body => viewOfMessage(body as Message),
  readStream: text => readEvents(eventsIn(text) as StreamEvent[]),
  readError(body) {
    const { type, error } = body as { type: string; error: { type: string; message: string } }
    expect(type).toBe('error')
    expect(error).toMatchObject({ type: expect.any(String), message: expect.any(String) })
    return error
  },
}

function messageOf(turn: AskedTurn): object {
  switch (turn.role) {
    case 'assistant': {
      const uses = turn.calls.map(({ id, name, arguments: input }) => ({ type: 'tool_use', id, name, input }))
      return { role: 'assistant', content: uses }
    }
    case 'results': {
      const results = turn.results.map(({ id, text }) => ({ type: 'tool_result', tool_use_id: id, content: text }))
      return { role: 'user', content: results }
    }
    case 'user': {
      if (!turn.image) return { role: 'user', content: turn.text }
      const source = { type: 'base64', media_type: image.type, data: image.data }
      return {
        role: 'user',
        content: [
          { type: 'text', text: turn.text },
          { type: 'image', source },
        ],
      }
    }
  }
}

const finishes: Record<string, View['finish']> = {
  end_turn: 'stop',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
}

function viewOfMessage({ content, stop_reason, usage }: Message): View {
  const textIn = (type: string, name: 'text' | 'thinking') =>
    content.map(block => (block.type === type ? (block[name] ?? '') : '')).join('')
  const calls = content.filter(({ type }) => type === 'tool_use')
  return {
    ...silentView,
    text: textIn('text', 'text'),
    reasoning: textIn('thinking', 'thinking'),
    calls: calls.map(({ name = '', input }) => ({ name, arguments: input })),
    finish: stop_reason === null ? null : (finishes[stop_reason] ?? null),
    tokens: (usage.input_tokens ?? 0) + (usage.output_tokens ?? 0),
  }
}

/** Puts the message together as the official client does, and requires the grammar of its events. */
function readEvents(events: readonly StreamEvent[]): View {
  const said = events.filter(({ type }) => type !== 'ping')
  const [first, ...others] = said
  if (first?.message === undefined) throw new Error(`the stream begins with ${first?.type}`)
  const message = structuredClone(first.message)
  const inputs = new Map<number, string>()
  for (const event of others) readEvent(event, message, inputs)
  for (const [index, input] of inputs) Object.assign(message.content[index] ?? {}, { input: JSON.parse(input) })
  const last = said.at(-1)?.type
  if (last !== 'message_stop' && last !== 'error') throw new Error(`the stream ends with ${last}`)
  return { ...viewOfMessage(message), hasFailed: last === 'error' }
}

function readEvent(
  { type, index = 0, content_block, delta = {}, usage }: StreamEvent,
  message: Message,
  inputs: Map<number, string>,
): void {
  if (type === 'content_block_start' && content_block !== undefined) {
    expect(index).toBe(message.content.length)
    message.content.push(content_block)
  }
  const block = message.content[index]
  if (type === 'content_block_delta' && block !== undefined) {
    if (delta.text !== undefined) block.text = (block.text ?? '') + delta.text
    if (delta.thinking !== undefined) block.thinking = (block.thinking ?? '') + delta.thinking
    if (delta.partial_json !== undefined) inputs.set(index, (inputs.get(index) ?? '') + delta.partial_json)
  }
  if (type === 'message_delta') {
    message.stop_reason = delta.stop_reason ?? null
    message.usage = { ...message.usage, ...usage }
  }
}
