// The formats of Anthropic, Google and Cohere.

import type { JsonObject } from '../../../src/domain/json-object.ts'
import { canonicaliseAnthropic } from '../../providers/protocols/anthropic/canonical.ts'
import { canonicaliseCohere } from '../../providers/protocols/cohere/canonical.ts'
import { canonicaliseGemini } from '../../providers/protocols/gemini/canonical.ts'
import { type Call, type Said, tokens } from './scenes.ts'
import { data, named, piecesOf, type UpstreamWire } from './upstream-wire.ts'

const claude = { id: 'msg_upstream', type: 'message', role: 'assistant', model: 'claude-upstream', stop_sequence: null }
const signature = 'c2lnbmVk'

function stopReason({ refusal, calls }: Said): string {
  if (refusal !== '') return 'refusal'
  return calls.length === 0 ? 'end_turn' : 'tool_use'
}

type Block =
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: JsonObject }

function claudeBlocks({ text, reasoning, refusal, calls }: Said): Block[] {
  const said = text || refusal
  const blocks: Block[] = calls.map(({ id, name, arguments: input }) => ({ type: 'tool_use', id, name, input }))
  if (said !== '') blocks.unshift({ type: 'text', text: said })
  if (reasoning !== '') blocks.unshift({ type: 'thinking', thinking: reasoning, signature })
  return blocks
}

function claudeEvents(said: Said): string[] {
  const usage = { input_tokens: tokens.prompt, output_tokens: 1 }
  return [
    named('message_start', { message: { ...claude, content: [], stop_reason: null, usage } }),
    named('ping', {}),
    ...claudeBlocks(said).flatMap((block, index) => [
      named('content_block_start', { index, content_block: emptied(block) }),
      ...deltasOf(block).map(delta => named('content_block_delta', { index, delta })),
      named('content_block_stop', { index }),
    ]),
    named('message_delta', {
      delta: { stop_reason: stopReason(said), stop_sequence: null },
      usage: { output_tokens: tokens.completion },
    }),
    named('message_stop', {}),
  ]
}

function emptied(block: Block): JsonObject {
  if (block.type === 'tool_use') return { ...block, input: {} }
  return block.type === 'thinking' ? { ...block, thinking: '', signature: '' } : { ...block, text: '' }
}

function deltasOf(block: Block): JsonObject[] {
  switch (block.type) {
    case 'tool_use':
      return piecesOf(JSON.stringify(block.input)).map(partial_json => ({ type: 'input_json_delta', partial_json }))
    case 'text':
      return piecesOf(block.text).map(text => ({ type: 'text_delta', text }))
    case 'thinking': {
      const thoughts = piecesOf(block.thinking).map(thinking => ({ type: 'thinking_delta', thinking }))
      return [...thoughts, { type: 'signature_delta', signature }]
    }
  }
}

export const anthropicWire: UpstreamWire = {
  path: /^\/anthropic\/v1\/messages$/,
  whole: said => ({
    ...claude,
    content: claudeBlocks(said),
    stop_reason: stopReason(said),
    usage: { input_tokens: tokens.prompt, output_tokens: tokens.completion },
  }),
  events: claudeEvents,
  lastEvents: 3,
  failure: named('error', { error: { type: 'overloaded_error', message: 'Overloaded' } }),
  rejection: { type: 'error', error: { type: 'rate_limit_error', message: 'Slow down' } },
  canonicalise: canonicaliseAnthropic,
  asksForReasoning: ({ thinking }) => ['enabled', 'adaptive'].includes(String((thinking as JsonObject)?.['type'])),
}

function gemini(parts: object[], finishReason: string | null, { reasoning }: Said) {
  const thoughts = reasoning === '' ? {} : { thoughtsTokenCount: 3 }
  const counts = {
    promptTokenCount: tokens.prompt,
    candidatesTokenCount: tokens.completion - (reasoning === '' ? 0 : 3),
    totalTokenCount: tokens.prompt + tokens.completion,
    ...thoughts,
  }
  return {
    candidates: [{ content: { role: 'model', parts }, index: 0, ...(finishReason === null ? {} : { finishReason }) }],
    ...(finishReason === null ? {} : { usageMetadata: counts }),
    modelVersion: 'gemini-upstream',
    responseId: 'r1',
  }
}

function geminiParts({ text, reasoning, calls }: Said): object[] {
  return [
    ...piecesOf(reasoning).map(piece => ({ text: piece, thought: true })),
    ...piecesOf(text).map(piece => ({ text: piece })),
    ...calls.map(({ id, name, arguments: args }) => ({ functionCall: { id, name, args } })),
  ]
}

/** The last chunk has no content, so that a failure can replace it. */
function geminiEvents(said: Said): string[] {
  const chunks = geminiParts(said).map(part => data(gemini([part], null, said)))
  return [...chunks, data(gemini([], said.refusal === '' ? 'STOP' : 'SAFETY', said))]
}

export const geminiWire: UpstreamWire = {
  path: /^\/google\/v1beta\/models\/[^:]+:(?:generateContent|streamGenerateContent)$/,
  whole: said => gemini(geminiParts(said), said.refusal === '' ? 'STOP' : 'SAFETY', said),
  events: geminiEvents,
  lastEvents: 1,
  failure: data({ error: { code: 503, message: 'Overloaded', status: 'UNAVAILABLE' } }),
  rejection: { error: { code: 429, message: 'Slow down', status: 'RESOURCE_EXHAUSTED' } },
  canonicalise: canonicaliseGemini,
  asksForReasoning: body =>
    ((body['generationConfig'] as JsonObject)?.['thinkingConfig'] as JsonObject)?.['includeThoughts'] === true,
}

export const vertexWire: UpstreamWire = {
  ...geminiWire,
  path: /^\/vertex\/v1\/projects\/my-project\/locations\/europe-west4\/publishers\/google\/models\/[^:]+:(?:generateContent|streamGenerateContent)$/,
}

const cohereUsage = { tokens: { input_tokens: tokens.prompt, output_tokens: tokens.completion } }
const cohereCall = ({ id, name, arguments: given }: Call) => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(given) },
})

function cohereContent({ text, reasoning }: Said) {
  const said = [
    { type: 'thinking', said: reasoning },
    { type: 'text', said: text },
  ]
  return said.filter(part => part.said !== '').map(part => ({ type: part.type, [part.type]: part.said }))
}

function cohereEvents(said: Said): string[] {
  const of = (type: string, index: number, message: object) => data({ type, index, delta: { message } })
  const contents = cohereContent(said)
  return [
    data({ type: 'message-start', id: 'c1', delta: { message: { role: 'assistant' } } }),
    ...contents.flatMap((content, index) => {
      const { type, [type]: text = '' } = content
      return [
        of('content-start', index, { content: { type, [type]: '' } }),
        ...piecesOf(text).map(piece => of('content-delta', index, { content: { [type]: piece } })),
        data({ type: 'content-end', index }),
      ]
    }),
    ...said.calls.flatMap((call, at) => {
      const { function: called, ...start } = cohereCall(call)
      const index = contents.length + at
      const begun = { ...start, function: { name: called.name, arguments: '' } }
      return [
        of('tool-call-start', index, { tool_calls: begun }),
        ...piecesOf(called.arguments).map(piece =>
          of('tool-call-delta', index, { tool_calls: { function: { arguments: piece } } }),
        ),
        data({ type: 'tool-call-end', index }),
      ]
    }),
    data({ type: 'message-end', delta: { finish_reason: cohereFinish(said), usage: cohereUsage } }),
  ]
}

function cohereFinish({ calls }: Said): string {
  return calls.length === 0 ? 'COMPLETE' : 'TOOL_CALL'
}

export const cohereWire: UpstreamWire = {
  path: /^\/cohere\/v2\/chat$/,
  whole: said => ({
    id: 'c1',
    finish_reason: cohereFinish(said),
    message: {
      role: 'assistant',
      content: cohereContent(said),
      ...(said.calls.length === 0 ? {} : { tool_calls: said.calls.map(cohereCall) }),
    },
    usage: cohereUsage,
  }),
  events: cohereEvents,
  lastEvents: 2,
  failure: data({ type: 'message-end', delta: { finish_reason: 'ERROR', error: 'Overloaded' } }),
  rejection: { message: 'You are limited to 40 API calls / minute.' },
  canonicalise: canonicaliseCohere,
  asksForReasoning: ({ thinking }) => (thinking as JsonObject | undefined)?.['type'] === 'enabled',
}
