// A client of /v1/chat/completions.

import { expect } from 'vitest'
import { type Client, eventsIn, silentView } from './client.ts'
import { type Asked, type AskedTurn, audio, image, tool, type View } from './scenes.ts'

interface Piece {
  content?: string | null
  refusal?: string | null
  reasoning_content?: string
  tool_calls?: { index?: number; function: { name?: string; arguments?: string } }[]
}

interface Chunk {
  choices?: { delta?: Piece; message?: Piece; finish_reason: View['finish'] }[]
  usage?: { total_tokens: number } | null
  error?: { message: string }
}

export const chatClient: Client = {
  path: '/v1/chat/completions',
  body: ({ system, turns, tools, schema, effort, stream }: Asked) => ({
    messages: [...(system === '' ? [] : [{ role: 'system', content: system }]), ...turns.flatMap(messagesOf)],
    ...(tools
      ? {
          tools: [
            {
              type: 'function',
              function: { name: tool.name, description: tool.description, parameters: tool.schema },
            },
          ],
        }
      : {}),
    ...(schema
      ? { response_format: { type: 'json_schema', json_schema: { name: 'place', schema: tool.schema, strict: true } } }
      : {}),
    ...(effort ? { reasoning_effort: 'high' } : {}),
    ...(stream ? { stream: true, stream_options: { include_usage: true } } : {}),
  }),
  readWhole: body => readChunks([body as Chunk]),
  readStream(text) {
    const view = readChunks(eventsIn(text) as Chunk[])
    if (view.hasFailed === text.endsWith('data: [DONE]\n\n')) throw new Error('[DONE] ends exactly the good streams')
    return view
  },
  readError(body) {
    const { error } = body as { error: { message: string; type: string } }
    expect(error).toEqual({
      message: expect.any(String),
      type: expect.any(String),
      param: expect.toSatisfy(isTextOrNull),
      code: expect.toSatisfy(isTextOrNull),
    })
    return error
  },
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === 'string'
}

function messagesOf(turn: AskedTurn): object[] {
  switch (turn.role) {
    case 'assistant': {
      const tool_calls = turn.calls.map(({ id, name, arguments: given }) => ({
        id,
        type: 'function',
        function: { name, arguments: JSON.stringify(given) },
      }))
      return [{ role: 'assistant', content: null, tool_calls }]
    }
    case 'results':
      return turn.results.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text }))
    case 'user': {
      const parts = [
        { type: 'text', text: turn.text },
        ...(turn.image ? [{ type: 'image_url', image_url: { url: `data:${image.type};base64,${image.data}` } }] : []),
        ...(turn.audio ? [{ type: 'input_audio', input_audio: { data: audio.data, format: audio.format } }] : []),
      ]
      return [{ role: 'user', content: parts.length === 1 ? turn.text : parts }]
    }
  }
}

function readChunks(chunks: readonly Chunk[]): View {
  const view: View = { ...silentView }
  const calls: { name: string; arguments: string }[] = []
  for (const { choices = [], usage, error } of chunks) {
    if (error !== undefined) view.hasFailed = true
    if (usage) view.tokens = usage.total_tokens
    const [choice] = choices
    if (choice === undefined) continue
    const piece = choice.delta ?? choice.message ?? {}
    view.text += piece.content ?? ''
    view.refusal += piece.refusal ?? ''
    view.reasoning += piece.reasoning_content ?? ''
    view.finish ??= choice.finish_reason
    for (const [position, { index = position, function: called }] of (piece.tool_calls ?? []).entries()) {
      const call = calls[index] ?? { name: '', arguments: '' }
      calls[index] = { name: call.name + (called.name ?? ''), arguments: call.arguments + (called.arguments ?? '') }
    }
  }
  return { ...view, calls: calls.map(({ name, arguments: text }) => ({ name, arguments: JSON.parse(text) })) }
}
