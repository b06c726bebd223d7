// Reads answers of the Converse API; a whole message is read as the events of a stream.

import type { Delta, FinishReason, Usage } from '../../../domain/conversation/answer.ts'
import { redactedThinking, signedThinking } from '../../../domain/conversation/claude-reasoning.ts'
import { providerError } from '../../../domain/conversation/provider-error.ts'
import { JsonText } from '../../../domain/json/json-text.ts'
import { isJsonObject, type JsonObject } from '../../../domain/json-object.ts'
import type { ReadOptions } from '../protocol.ts'
import { readException } from './errors.ts'

interface Call {
  /** Null if the arguments are the answer's text. */
  call: number | null
}

interface Thinking {
  text: string
  signature: string
}

const choice = 0

/** Reads one answer event by event. */
export class BedrockPieces {
  readonly #jsonTool: string | null
  readonly #newToolCallId: () => string
  readonly #calls = new Map<unknown, Call>()
  readonly #thinking = new Map<unknown, Thinking>()
  #callCount = 0
  #hasBegun = false
  #isOver = false

  constructor({ jsonTool, newToolCallId }: ReadOptions) {
    this.#jsonTool = jsonTool
    this.#newToolCallId = newToolCallId
  }

  /** Whether the last event has been read: the usage, which follows the end of the message. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** `name` is the type of the event, or `exception` with its type. */
  readEvent(json: unknown, name: string): Delta[] {
    const [, exception] = /^exception:(.*)$/.exec(name) ?? []
    if (exception !== undefined) {
      return [{ type: 'error', error: readException(exception, json, !this.#hasBegun) }]
    }
    if (!isJsonObject(json)) return [{ type: 'error', error: providerError('malformed') }]
    const index = json['contentBlockIndex']
    switch (name) {
      case 'contentBlockDelta':
        return this.#begun(this.#readPiece(index, json['delta']))
      case 'contentBlockStart':
        return this.#begun(this.#startBlock(index, json['start']))
      case 'contentBlockStop':
        return this.#stopBlock(index)
      case 'messageStop':
        return this.#readFinish(json['stopReason'])
      case 'metadata':
        this.#isOver = true
        return usageDelta(json['usage'])
      default:
        // The start of the message, and event types added later.
        return []
    }
  }

  readMessage(json: unknown): Delta[] {
    const output = isJsonObject(json) ? json['output'] : null
    const message = isJsonObject(output) ? output['message'] : null
    if (!isJsonObject(json) || !isJsonObject(message) || !Array.isArray(message['content'])) {
      return [{ type: 'error', error: providerError('malformed') }]
    }
    const deltas: Delta[] = []
    for (const [index, block] of message['content'].entries()) {
      if (isJsonObject(block)) deltas.push(...this.#readBlock(index, block))
    }
    return [...deltas, ...this.#readFinish(json['stopReason']), ...usageDelta(json['usage'])]
  }

  #begun(deltas: Delta[]): Delta[] {
    if (deltas.length > 0) this.#hasBegun = true
    return deltas
  }

  #readBlock(index: number, block: JsonObject): Delta[] {
    const { text, toolUse, reasoningContent, citationsContent } = block
    if (typeof text === 'string') return textDelta(text)
    if (isJsonObject(toolUse)) {
      const started = this.#startBlock(index, { toolUse })
      const input = JsonText.of(toolUse['input']).text
      return [...started, ...this.#readPiece(index, { toolUse: { input } })]
    }
    if (isJsonObject(reasoningContent)) {
      const { reasoningText, redactedContent } = reasoningContent
      const pieces = isJsonObject(reasoningText) ? reasoningText : { redactedContent }
      return [...this.#readThinking(index, pieces), ...this.#stopBlock(index)]
    }
    const cited = isJsonObject(citationsContent) ? citationsContent['content'] : null
    const texts = Array.isArray(cited) ? cited.filter(isJsonObject) : []
    return texts.flatMap(part => textDelta(readText(part['text'])))
  }

  #startBlock(index: unknown, start: unknown): Delta[] {
    const tool = isJsonObject(start) ? start['toolUse'] : null
    // Calls of the provider's own tools are not passed on.
    if (!isJsonObject(tool) || tool['type'] === 'server_tool_use') return []
    const name = readText(tool['name'])
    const isJson = this.#jsonTool !== null && name === this.#jsonTool
    const call = isJson ? null : this.#callCount++
    this.#calls.set(index, { call })
    if (call === null) return []
    const id = readText(tool['toolUseId']) || this.#newToolCallId()
    return [{ type: 'tool_call', choice, call, id, name, arguments: '' }]
  }

  #readPiece(index: unknown, delta: unknown): Delta[] {
    if (!isJsonObject(delta)) return []
    const { text, toolUse, reasoningContent } = delta
    if (typeof text === 'string') return textDelta(text)
    if (isJsonObject(toolUse)) return this.#argumentsDelta(index, readText(toolUse['input']))
    return isJsonObject(reasoningContent) ? this.#readThinking(index, reasoningContent) : []
  }

  #argumentsDelta(index: unknown, text: string): Delta[] {
    const known = this.#calls.get(index)
    if (known === undefined || text === '') return []
    return known.call === null ? textDelta(text) : [{ type: 'tool_arguments', choice, call: known.call, text }]
  }

  #readThinking(index: unknown, { text: added, signature, redactedContent }: JsonObject): Delta[] {
    if (typeof redactedContent === 'string') {
      return [{ type: 'reasoning', choice, text: '', detail: redactedThinking(redactedContent, index) }]
    }
    const text = readText(added)
    const thinking = this.#thinking.get(index) ?? { text: '', signature: '' }
    this.#thinking.set(index, thinking)
    thinking.text += text
    thinking.signature += readText(signature)
    return text === '' ? [] : [{ type: 'reasoning', choice, text }]
  }

  #stopBlock(index: unknown): Delta[] {
    const thinking = this.#thinking.get(index)
    this.#thinking.delete(index)
    if (thinking === undefined || thinking.signature === '') return []
    return [{ type: 'reasoning', choice, text: '', detail: signedThinking(thinking, index) }]
  }

  #readFinish(native: unknown): Delta[] {
    if (typeof native !== 'string') return []
    return [{ type: 'finish', choice, reason: finishReason(native, this.#callCount > 0), native }]
  }
}

function textDelta(text: string): Delta[] {
  return text === '' ? [] : [{ type: 'text', choice, text }]
}

const finishReasons: Record<string, FinishReason> = {
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  guardrail_intervened: 'content_filter',
  content_filtered: 'content_filter',
}

function finishReason(native: string, hasCalls: boolean): FinishReason {
  if (native === 'tool_use') return hasCalls ? 'tool_calls' : 'stop'
  return (Object.hasOwn(finishReasons, native) ? finishReasons[native] : undefined) ?? 'stop'
}

function usageDelta(value: unknown): Delta[] {
  const usage = isJsonObject(value) ? readUsage(value) : null
  return usage === null ? [] : [{ type: 'usage', usage }]
}

function readUsage(counts: JsonObject): Usage | null {
  const input = readCount(counts['inputTokens'])
  const output = readCount(counts['outputTokens'])
  if (input === null && output === null) return null
  const cached = readCount(counts['cacheReadInputTokens'])
  const written = readCount(counts['cacheWriteInputTokens'])
  // Tokens read from or written to a cache are not part of the input count.
  const promptTokens = (input ?? 0) + (cached ?? 0) + (written ?? 0)
  const completionTokens = output ?? 0
  return {
    promptTokens,
    completionTokens,
    totalTokens: promptTokens + completionTokens,
    cachedTokens: cached,
    reasoningTokens: null,
    ...(written === null ? {} : { cacheWriteTokens: written }),
  }
}

function readCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}

function readText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
