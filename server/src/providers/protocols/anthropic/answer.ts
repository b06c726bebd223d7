// Reads answers in Anthropic's format; a whole message is read as the events of a stream.

import type { Delta, Finish, FinishReason, Usage } from '../../../domain/conversation/answer.ts'
import { redactedThinking, signedThinking } from '../../../domain/conversation/claude-reasoning.ts'
import { JsonText } from '../../../domain/json/json-text.ts'
import { isJsonObject, type JsonObject, parseJson } from '../../../domain/json-object.ts'
import { deltasOfCount } from '../counted-tokens.ts'
import type { ReadOptions } from '../protocol.ts'
import { readInbandError } from './errors.ts'

type Block =
  | { kind: 'text' }
  | { kind: 'thinking'; text: string; signature: string }
  /** `call` is null if the arguments are the answer's text. */
  | { kind: 'call'; call: number | null; input: JsonText; hasArguments: boolean }
  /** A block of the provider's own tools. `json` is the input that came in pieces. */
  | { kind: 'native'; block: JsonObject; json: string }

const choice = 0

/** Reads one answer event by event. */
export class AnthropicPieces {
  readonly #jsonTool: string | null
  readonly #newToolCallId: () => string
  readonly #blocks = new Map<unknown, Block>()
  #counts: JsonObject = {}
  #callCount = 0
  #isOver = false

  constructor({ jsonTool, newToolCallId }: ReadOptions) {
    this.#jsonTool = jsonTool
    this.#newToolCallId = newToolCallId
  }

  /** Whether the last event has been read. */
  get isOver(): boolean {
    return this.#isOver
  }

  readEvent(json: unknown): Delta[] {
    if (!isJsonObject(json)) return [readInbandError(json)]
    switch (json['type']) {
      case 'content_block_delta':
        return this.#readPiece(json['index'], json['delta'])
      case 'content_block_start':
        return this.#startBlock(json['index'], json['content_block'])
      case 'content_block_stop':
        return this.#stopBlock(json['index'])
      case 'message_start':
        return this.#startMessage(json['message'])
      case 'message_delta':
        return this.#endMessage(json['delta'], json['usage'])
      case 'message_stop':
        this.#isOver = true
        return []
      case 'error':
        return [readInbandError(json)]
      default:
        // Pings, and event types added later.
        return []
    }
  }

  readMessage(json: unknown): Delta[] {
    if (!isJsonObject(json) || !Array.isArray(json['content'])) return [readInbandError(json)]
    const deltas = this.#startMessage(json)
    for (const [index, block] of json['content'].entries()) {
      for (const delta of this.#startBlock(index, block)) deltas.push(delta)
      for (const delta of this.#stopBlock(index)) deltas.push(delta)
    }
    deltas.push(...this.#endMessage(json, undefined))
    return deltas
  }

  #startMessage(message: unknown): Delta[] {
    if (!isJsonObject(message)) return []
    this.#count(message['usage'])
    const { id, model } = message
    const name = (value: unknown) => (typeof value === 'string' ? value : null)
    return [{ type: 'origin', id: name(id), model: name(model), createdSeconds: null }, ...this.#usageDelta()]
  }

  #startBlock(index: unknown, block: unknown): Delta[] {
    if (!isJsonObject(block)) return []
    switch (block['type']) {
      case 'text':
        this.#blocks.set(index, { kind: 'text' })
        return [...textDelta(readText(block['text'])), ...citationDeltas(block['citations'])]
      case 'thinking': {
        const text = readText(block['thinking'])
        this.#blocks.set(index, { kind: 'thinking', text, signature: readText(block['signature']) })
        return text === '' ? [] : [{ type: 'reasoning', choice, text }]
      }
      case 'redacted_thinking':
        return [{ type: 'reasoning', choice, text: '', detail: redactedThinking(readText(block['data']), index) }]
      case 'tool_use':
        return this.#startCall(index, block)
      default:
        this.#blocks.set(index, { kind: 'native', block, json: '' })
        return []
    }
  }

  #startCall(index: unknown, { id, name, input }: JsonObject): Delta[] {
    const isJson = this.#jsonTool !== null && name === this.#jsonTool
    const call = isJson ? null : this.#callCount++
    this.#blocks.set(index, { kind: 'call', call, input: JsonText.of(input), hasArguments: false })
    if (call === null) return []
    const givenId = readText(id)
    return [
      { type: 'tool_call', choice, call, id: givenId || this.#newToolCallId(), name: readText(name), arguments: '' },
    ]
  }

  #readPiece(index: unknown, delta: unknown): Delta[] {
    const block = this.#blocks.get(index)
    if (block === undefined || !isJsonObject(delta)) return []
    switch (delta['type']) {
      case 'text_delta':
        return textDelta(readText(delta['text']))
      case 'citations_delta':
        return citationDeltas([delta['citation']])
      case 'input_json_delta': {
        const json = readText(delta['partial_json'])
        if (block.kind === 'native') block.json += json
        return block.kind === 'call' ? this.#argumentsDelta(block, json) : []
      }
      case 'thinking_delta': {
        const text = readText(delta['thinking'])
        if (block.kind === 'thinking') block.text += text
        return text === '' ? [] : [{ type: 'reasoning', choice, text }]
      }
      case 'signature_delta':
        if (block.kind === 'thinking') block.signature += readText(delta['signature'])
        return []
      default:
        return []
    }
  }

  #stopBlock(index: unknown): Delta[] {
    const block = this.#blocks.get(index)
    this.#blocks.delete(index)
    if (block?.kind === 'thinking' && block.signature !== '') {
      return [{ type: 'reasoning', choice, text: '', detail: signedThinking(block, index) }]
    }
    if (block?.kind === 'native') return [nativeDelta(withInput(block))]
    // Some models send the arguments at once; a call without any must still report empty arguments.
    if (block?.kind !== 'call' || block.hasArguments) return []
    const { call, input } = block
    return input.isEmpty && call !== null ? [] : this.#argumentsDelta(block, input.text)
  }

  #argumentsDelta(block: Extract<Block, { kind: 'call' }>, text: string): Delta[] {
    if (text === '') return []
    block.hasArguments = true
    return block.call === null ? textDelta(text) : [{ type: 'tool_arguments', choice, call: block.call, text }]
  }

  #endMessage(ending: unknown, usage: unknown): Delta[] {
    this.#count(usage)
    const deltas: Delta[] = []
    const native = isJsonObject(ending) ? ending['stop_reason'] : null
    if (typeof native === 'string') {
      const finish: Finish = { type: 'finish', choice, reason: finishReason(native, this.#callCount > 0), native }
      const stop = isJsonObject(ending) ? ending['stop_sequence'] : null
      deltas.push(typeof stop === 'string' ? { ...finish, stopSequence: stop } : finish)
    }
    return [...deltas, ...this.#usageDelta()]
  }

  #usageDelta(): Delta[] {
    const usage = readUsage(this.#counts)
    return usage === null ? [] : [{ type: 'usage', usage }]
  }

  /** The provider repeats counts as they grow, but not every count each time. */
  #count(usage: unknown): void {
    if (!isJsonObject(usage)) return
    for (const name of countNames)
      if (usage[name] !== null && usage[name] !== undefined) this.#counts[name] = usage[name]
  }
}

function textDelta(text: string): Delta[] {
  return text === '' ? [] : [{ type: 'text', choice, text }]
}

/** The answer of a count: its usage is the prompt alone. */
export function readCountedTokens(json: unknown): Delta[] {
  const tokens = isJsonObject(json) ? readCount(json['input_tokens']) : null
  return tokens === null ? [readInbandError(json)] : deltasOfCount(tokens)
}

function nativeDelta(value: JsonObject): Delta {
  return { type: 'native', choice, format: 'messages', value }
}

function withInput({ block, json }: Extract<Block, { kind: 'native' }>): JsonObject {
  const input = json === '' ? undefined : parseJson(json)
  return input === undefined ? block : { ...block, input: isJsonObject(input) ? new JsonText(json) : input }
}

/** What a text is based on, as the events of a stream that say so. */
function citationDeltas(citations: unknown): Delta[] {
  const cited = Array.isArray(citations) ? citations.filter(isJsonObject) : []
  return cited.map(citation => nativeDelta({ type: 'citations_delta', citation }))
}

const finishReasons: Record<string, FinishReason> = {
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'content_filter',
}

function finishReason(native: string, hasCalls: boolean): FinishReason {
  if (native === 'tool_use') return hasCalls ? 'tool_calls' : 'stop'
  return (Object.hasOwn(finishReasons, native) ? finishReasons[native] : undefined) ?? 'stop'
}

const countNames = [
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'output_tokens_details',
]

function readUsage(counts: JsonObject): Usage | null {
  const input = readCount(counts['input_tokens'])
  const output = readCount(counts['output_tokens'])
  if (input === null && output === null) return null
  const cached = readCount(counts['cache_read_input_tokens'])
  const written = readCount(counts['cache_creation_input_tokens'])
  const details = counts['output_tokens_details']
  // Tokens read from or written to a cache are not part of the input count.
  const promptTokens = (input ?? 0) + (cached ?? 0) + (written ?? 0)
  const completionTokens = output ?? 0
  return {
    promptTokens,
    completionTokens,
    totalTokens: promptTokens + completionTokens,
    cachedTokens: cached,
    reasoningTokens: isJsonObject(details) ? readCount(details['thinking_tokens']) : null,
    ...(written === null ? {} : { cacheWriteTokens: written }),
  }
}

function readCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}

function readText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
