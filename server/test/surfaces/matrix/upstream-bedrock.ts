// Amazon Bedrock's Converse, with its binary streams.

import type { JsonObject } from '../../../src/domain/json-object.ts'
import { canonicaliseAnthropic } from '../../providers/protocols/anthropic/canonical.ts'
import { eventFrame, exceptionFrame } from '../../support/simulated/aws-event-stream.ts'
import { type Said, tokens } from './scenes.ts'
import { piecesOf, type UpstreamWire } from './upstream-wire.ts'

const usage = {
  inputTokens: tokens.prompt,
  outputTokens: tokens.completion,
  totalTokens: tokens.prompt + tokens.completion,
}

function stopReason({ refusal, calls }: Said): string {
  if (refusal !== '') return 'content_filtered'
  return calls.length === 0 ? 'end_turn' : 'tool_use'
}

function contentOf({ text, reasoning, calls }: Said): object[] {
  return [
    ...(reasoning === '' ? [] : [{ reasoningContent: { reasoningText: { text: reasoning, signature: 'c2ln' } } }]),
    ...(text === '' ? [] : [{ text }]),
    ...calls.map(({ id, name, arguments: input }) => ({ toolUse: { toolUseId: id, name, input } })),
  ]
}

/** In Latin-1, so that the bytes of the frames stay what they are. */
function eventsOf(said: Said): string[] {
  const { text, reasoning, calls } = said
  const deltas = (contentBlockIndex: number, pieces: readonly object[]) => [
    ...pieces.map(delta => frame('contentBlockDelta', { contentBlockIndex, delta })),
    frame('contentBlockStop', { contentBlockIndex }),
  ]
  const thoughts = piecesOf(reasoning).map(piece => ({ reasoningContent: { text: piece } }))
  const signed = [...thoughts, { reasoningContent: { signature: 'c2ln' } }]
  const blocks = [
    ...(reasoning === '' ? [] : [{ start: null, pieces: signed }]),
    ...(text === '' ? [] : [{ start: null, pieces: piecesOf(text).map(piece => ({ text: piece })) }]),
    ...calls.map(({ id: toolUseId, name, arguments: given }) => ({
      start: { toolUse: { toolUseId, name } },
      pieces: piecesOf(JSON.stringify(given)).map(input => ({ toolUse: { input } })),
    })),
  ]
  return [
    frame('messageStart', { role: 'assistant' }),
    ...blocks.flatMap(({ start, pieces }, contentBlockIndex) => [
      ...(start === null ? [] : [frame('contentBlockStart', { contentBlockIndex, start })]),
      ...deltas(contentBlockIndex, pieces),
    ]),
    frame('messageStop', { stopReason: stopReason(said) }),
    frame('metadata', { usage }),
  ]
}

const frame = (type: string, value: object) => eventFrame(type, value).toString('latin1')

interface ConverseBlock {
  text?: string
  image?: object
  toolUse?: { name: string; input: unknown }
  toolResult?: { content: { text?: string }[] }
}

interface ConverseBody {
  system?: { text: string }[]
  messages: { role: string; content: ConverseBlock[] }[]
  toolConfig?: { tools: { toolSpec: { name: string; inputSchema: { json: JsonObject } } }[] }
  outputConfig?: { textFormat?: unknown }
}

/** The same as a body of Anthropic's, whose blocks Converse names differently. */
function asAnthropic({ url, body }: { url: string; body: JsonObject }): JsonObject {
  const { system = [], messages, toolConfig, outputConfig } = body as unknown as ConverseBody
  return {
    system: system.map(({ text }) => ({ type: 'text', text })),
    messages: messages.map(({ role, content }) => ({ role, content: content.map(asAnthropicBlock) })),
    tools: (toolConfig?.tools ?? []).map(({ toolSpec: { name, inputSchema } }) => ({
      name,
      input_schema: inputSchema.json,
    })),
    stream: url.endsWith('/converse-stream'),
    output_format: outputConfig?.textFormat,
  }
}

function asAnthropicBlock({ text, image, toolUse, toolResult, ...other }: ConverseBlock): object {
  if (text !== undefined) return { type: 'text', text }
  if (image !== undefined) return { type: 'image' }
  if (toolUse !== undefined) return { type: 'tool_use', ...toolUse }
  if (toolResult === undefined) return { type: Object.keys(other)[0] }
  return { type: 'tool_result', content: toolResult.content.map(part => ({ type: 'text', ...part })) }
}

export const bedrockWire: UpstreamWire = {
  path: /^\/bedrock\/model\/[^/]+\/converse(?:-stream)?$/,
  whole: said => ({
    output: { message: { role: 'assistant', content: contentOf(said) } },
    stopReason: stopReason(said),
    usage,
  }),
  events: eventsOf,
  streamType: 'application/vnd.amazon.eventstream',
  lastEvents: 3,
  failure: exceptionFrame('serviceUnavailableException', 'Overloaded').toString('latin1'),
  rejection: { message: 'Too many requests' },
  canonicalise: upstream => canonicaliseAnthropic({ body: asAnthropic(upstream) }),
  asksForReasoning: body => JSON.stringify(body['additionalModelRequestFields'] ?? {}).includes('thinking'),
}
