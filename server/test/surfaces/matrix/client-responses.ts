// A client of /v1/responses.

import { expect } from 'vitest'
import { type Client, eventsIn, silentView } from './client.ts'
import { chatClient } from './client-chat.ts'
import { type Asked, type AskedTurn, audio, image, tool, type View } from './scenes.ts'

interface Item {
  type: string
  content?: { type: string; text?: string; refusal?: string }[]
  summary?: { text: string }[]
  name?: string
  arguments?: string
}

interface ResponseObject {
  status: string
  incomplete_details: { reason: string } | null
  output: Item[]
  usage: { total_tokens: number } | null
}

interface StreamEvent {
  type: string
  sequence_number: number
  response?: ResponseObject
  delta?: string
}

export const responsesClient: Client = {
  path: '/v1/responses',
  body: ({ system, turns, tools, schema, effort, stream }: Asked) => ({
    store: false,
    input: turns.flatMap(itemsOf),
    ...(system === '' ? {} : { instructions: system }),
    ...(tools
      ? {
          tools: [
            { type: 'function', name: tool.name, description: tool.description, parameters: tool.schema, strict: true },
          ],
        }
      : {}),
    ...(schema ? { text: { format: { type: 'json_schema', name: 'place', schema: tool.schema, strict: true } } } : {}),
    ...(effort ? { reasoning: { effort: 'high', summary: 'auto' } } : {}),
    ...(stream ? { stream } : {}),
  }),
  readWhole: body => viewOfResponse(body as ResponseObject),
  readStream: text => readEvents(eventsIn(text) as StreamEvent[]),
  readError: chatClient.readError,
}

function itemsOf(turn: AskedTurn): object[] {
  switch (turn.role) {
    case 'assistant':
      return turn.calls.map(({ id, name, arguments: given }) => ({
        type: 'function_call',
        call_id: id,
        name,
        arguments: JSON.stringify(given),
      }))
    case 'results':
      return turn.results.map(({ id, text }) => ({ type: 'function_call_output', call_id: id, output: text }))
    case 'user': {
      const parts = [
        { type: 'input_text', text: turn.text },
        ...(turn.image
          ? [{ type: 'input_image', image_url: `data:${image.type};base64,${image.data}`, detail: 'auto' }]
          : []),
        ...(turn.audio ? [{ type: 'input_audio', input_audio: { data: audio.data, format: audio.format } }] : []),
      ]
      return [{ role: 'user', content: parts.length === 1 ? turn.text : parts }]
    }
  }
}

function viewOfResponse({ status, incomplete_details, output, usage }: ResponseObject): View {
  const parts = output.flatMap(({ type, content = [] }) => (type === 'message' ? content : []))
  const calls = output.filter(({ type }) => type === 'function_call')
  const finish = calls.length > 0 ? 'tool_calls' : 'stop'
  return {
    ...silentView,
    text: parts.map(({ text = '' }) => text).join(''),
    refusal: parts.map(({ refusal = '' }) => refusal).join(''),
    reasoning: output.flatMap(({ summary = [] }) => summary.map(({ text }) => text)).join(''),
    calls: calls.map(({ name = '', arguments: text = '' }) => ({ name, arguments: JSON.parse(text) })),
    finish: incomplete_details?.reason === 'content_filter' ? 'content_filter' : status === 'completed' ? finish : null,
    tokens: usage?.total_tokens ?? null,
  }
}

/** Requires that the pieces say the same as the response at the end. */
function readEvents(events: readonly StreamEvent[]): View {
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at))
  expect(events[0]?.type).toBe('response.created')
  const joined = (type: string) =>
    events.map(event => (event.type === `response.${type}.delta` ? (event.delta ?? '') : '')).join('')
  const pieces = {
    text: joined('output_text'),
    refusal: joined('refusal'),
    reasoning: joined('reasoning_summary_text'),
  }
  const last = events.at(-1)
  if (last?.type !== 'response.completed' && last?.type !== 'response.incomplete') {
    expect(last?.type).toMatch(/^(?:error|response\.failed)$/)
    return { ...silentView, ...pieces, hasFailed: true }
  }
  if (last.response === undefined) throw new Error('the last event has no response')
  const view = viewOfResponse(last.response)
  expect(view).toMatchObject(pieces)
  return view
}
