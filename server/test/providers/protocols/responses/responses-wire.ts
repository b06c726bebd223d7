// Answers of OpenAI's Responses API as its reference describes them, whole and as the events of a stream.

import type { JsonObject } from '../../../../src/domain/json-object.ts'

const someUsage: JsonObject = {
  input_tokens: 134,
  input_tokens_details: { cached_tokens: 64 },
  output_tokens: 28,
  output_tokens_details: { reasoning_tokens: 12 },
  total_tokens: 162,
}

export function reasoningItem(id: string, summary: readonly string[], encrypted_content?: string): JsonObject {
  const parts = summary.map(text => ({ type: 'summary_text', text }))
  return { id, type: 'reasoning', ...(encrypted_content === undefined ? {} : { encrypted_content }), summary: parts }
}

export function messageItem(id: string, text: string): JsonObject {
  const content = [{ type: 'output_text', annotations: [], logprobs: [], text }]
  return { id, type: 'message', status: 'completed', role: 'assistant', content }
}

export function callItem(id: string, call_id: string, name: string, text: string): JsonObject {
  return { id, type: 'function_call', status: 'completed', arguments: text, call_id, name }
}

export function searchItem(id: string): JsonObject {
  return { id, type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'weather' } }
}

export function answerOf(output: readonly JsonObject[], usage = someUsage): JsonObject {
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1_765_552_659,
    status: 'completed',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    model: 'gpt-5-2025-08-07',
    output,
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: 'high', summary: 'detailed' },
    safety_identifier: null,
    service_tier: 'default',
    store: false,
    temperature: 1,
    text: { format: { type: 'text' }, verbosity: 'medium' },
    tool_choice: 'auto',
    tools: [],
    top_logprobs: 0,
    top_p: 0.985,
    truncation: 'disabled',
    usage,
    user: null,
    metadata: {},
  }
}

const begun = { ...answerOf([]), status: 'in_progress', usage: null }
export const created: JsonObject = { type: 'response.created', response: begun }

export function completed(output: readonly JsonObject[], usage = someUsage): JsonObject {
  return { type: 'response.completed', response: answerOf(output, usage) }
}

export function incomplete(output: readonly JsonObject[], reason?: string): JsonObject {
  const incomplete_details = reason === undefined ? null : { reason }
  return { type: 'response.incomplete', response: { ...answerOf(output), status: 'incomplete', incomplete_details } }
}

/** All events of an answer of these items, in the order of the API. */
export function eventsOf(output: readonly JsonObject[], usage = someUsage): JsonObject[] {
  return [
    created,
    { type: 'response.in_progress', response: begun },
    ...output.flatMap((item, index) => eventsOfItem(item, index)),
    completed(output, usage),
  ].map((event, sequence_number) => ({ ...event, sequence_number }))
}

export function streamOf(events: readonly JsonObject[]): string {
  return events.map(event => `event: ${event['type']}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}

function eventsOfItem(item: JsonObject, output_index: number): JsonObject[] {
  const place = { item_id: item['id'], output_index }
  const added = (fields: JsonObject) => ({
    type: 'response.output_item.added',
    output_index,
    item: { ...item, ...('status' in item ? { status: 'in_progress' } : {}), ...fields },
  })
  const done = { type: 'response.output_item.done', output_index, item }
  switch (item['type']) {
    case 'message':
      return [added({ content: [] }), ...partEvents(item['content'] as JsonObject[], place), done]
    case 'reasoning':
      return [added({ summary: [] }), ...reasoningEvents(item, place), done]
    case 'function_call': {
      const text = String(item['arguments'])
      const deltas = piecesOf(text).map(delta => ({ type: 'response.function_call_arguments.delta', ...place, delta }))
      const all = { type: 'response.function_call_arguments.done', ...place, arguments: text }
      return [added({ arguments: '' }), ...deltas, all, done]
    }
    default:
      return [added({ action: undefined }), { type: `response.${item['type']}.searching`, ...place }, done]
  }
}

function partEvents(parts: readonly JsonObject[], of: JsonObject): JsonObject[] {
  return parts.flatMap((part, content_index) => {
    const place = { ...of, content_index }
    const [kind, name] = part['type'] === 'refusal' ? ['refusal', 'refusal'] : ['output_text', 'text']
    const logprobs = (part['logprobs'] as JsonObject[] | undefined) ?? []
    const text = String(part[name])
    const pieces = logprobs.length > 0 ? [text] : piecesOf(text)
    const annotations = (part['annotations'] as JsonObject[] | undefined) ?? []
    return [
      { type: 'response.content_part.added', ...place, part: { ...part, [name]: '' } },
      ...pieces.map(delta => ({ type: `response.${kind}.delta`, ...place, delta, logprobs, obfuscation: 'xYz' })),
      ...annotations.map((annotation, annotation_index) => ({
        type: 'response.output_text.annotation.added',
        ...place,
        annotation_index,
        annotation,
      })),
      { type: `response.${kind}.done`, ...place, [name]: text },
      { type: 'response.content_part.done', ...place, part },
    ]
  })
}

function reasoningEvents(item: JsonObject, of: JsonObject): JsonObject[] {
  const summary = item['summary'] as { text: string }[]
  const content = (item['content'] as { text: string }[] | undefined) ?? []
  return [
    ...summary.flatMap((part, summary_index) => {
      const place = { ...of, summary_index }
      return [
        { type: 'response.reasoning_summary_part.added', ...place, part: { ...part, text: '' } },
        ...piecesOf(part.text).map(delta => ({ type: 'response.reasoning_summary_text.delta', ...place, delta })),
        { type: 'response.reasoning_summary_text.done', ...place, text: part.text },
        { type: 'response.reasoning_summary_part.done', ...place, part },
      ]
    }),
    ...content.flatMap(({ text }, content_index) => {
      const place = { ...of, content_index }
      const deltas = piecesOf(text).map(delta => ({ type: 'response.reasoning_text.delta', ...place, delta }))
      return [...deltas, { type: 'response.reasoning_text.done', ...place, text }]
    }),
  ]
}

function piecesOf(text: string): string[] {
  return [...text].reduce<string[]>((pieces, character, at) => {
    if (at % 4 === 0) pieces.push('')
    pieces[pieces.length - 1] += character
    return pieces
  }, [])
}
