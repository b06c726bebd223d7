// Reads answers in Cohere's format; a whole message is read as the events of a stream.

import type { Delta, FinishReason, Logprobs, Usage } from '../../../domain/conversation/answer.ts'
import { LazyList } from '../../../domain/json/lazy-list.ts'
import { isJsonObject, type JsonObject } from '../../../domain/json-object.ts'
import type { ReadOptions } from '../protocol.ts'
import { readInnerError } from './errors.ts'

interface Call {
  call: number
  hasArguments: boolean
}

const choice = 0

/** Reads one answer event by event. */
export class CoherePieces {
  readonly #newToolCallId: () => string
  /** By the provider's own index, which also counts other things. */
  readonly #calls = new Map<unknown, Call>()
  #callCount = 0
  #isOver = false

  constructor({ newToolCallId }: ReadOptions) {
    this.#newToolCallId = newToolCallId
  }

  /** Whether the last event has been read. */
  get isOver(): boolean {
    return this.#isOver
  }

  readEvent(json: unknown, name: string): Delta[] {
    if (!isJsonObject(json)) return [errorIn(json, null)]
    const delta = isJsonObject(json['delta']) ? json['delta'] : {}
    const message = isJsonObject(delta['message']) ? delta['message'] : {}
    switch (json['type'] ?? name) {
      case 'content-start':
      case 'content-delta':
        return readContent(message['content'], json['logprobs'])
      case 'tool-plan-delta':
        return reasoningDelta(message['tool_plan'])
      case 'tool-call-start':
        return this.#startCall(message['tool_calls'], json['index'])
      case 'tool-call-delta':
        return this.#continueCall(message['tool_calls'], json['index'])
      case 'message-start':
        return [originOf(json)]
      case 'message-end':
        this.#isOver = true
        return this.#endMessage(delta, delta['finish_reason'])
      default:
        // Citations, ends of blocks, and types added later; an error has only a message.
        return typeof json['message'] === 'string' ? [errorIn(json, null)] : []
    }
  }

  readMessage(json: unknown): Delta[] {
    const message = isJsonObject(json) ? json['message'] : null
    if (!isJsonObject(json) || !isJsonObject(message)) return [errorIn(json, null)]
    const { content, tool_calls, tool_plan } = message
    const blocks = Array.isArray(content) ? content : [typeof content === 'string' ? { text: content } : null]
    const deltas = [originOf(json), ...reasoningDelta(tool_plan), ...blocks.flatMap(block => readContent(block, null))]
    addLogprobs(json['logprobs'], deltas)
    for (const [index, call] of (Array.isArray(tool_calls) ? tool_calls : []).entries()) {
      deltas.push(...this.#startCall(call, index))
    }
    return [...deltas, ...this.#endMessage(json, json['finish_reason'])]
  }

  #startCall(value: unknown, index: unknown): Delta[] {
    if (!isJsonObject(value)) return []
    const called = isJsonObject(value['function']) ? value['function'] : {}
    const call = { call: this.#callCount++, hasArguments: false }
    this.#calls.set(index, call)
    const id = textIn(value['id']) || this.#newToolCallId()
    const text = argumentsIn(called, call)
    return [{ type: 'tool_call', choice, call: call.call, id, name: textIn(called['name']), arguments: text }]
  }

  #continueCall(value: unknown, index: unknown): Delta[] {
    const call = this.#calls.get(index)
    const called = isJsonObject(value) && isJsonObject(value['function']) ? value['function'] : {}
    const text = call === undefined ? '' : argumentsIn(called, call)
    return call === undefined || text === '' ? [] : [{ type: 'tool_arguments', choice, call: call.call, text }]
  }

  #endMessage(ending: JsonObject, native: unknown): Delta[] {
    const usage = readUsage(ending['usage'])
    const deltas: Delta[] = usage === null ? [] : [{ type: 'usage', usage }]
    if (native === 'ERROR' || native === 'TIMEOUT' || ending['error']) {
      return [...deltas, errorIn(ending, textIn(native))]
    }
    if (typeof native !== 'string') return deltas
    return [...deltas, { type: 'finish', choice, reason: finishReason(native, this.#callCount > 0), native }]
  }
}

function originOf({ id }: JsonObject): Delta {
  return { type: 'origin', id: typeof id === 'string' ? id : null, model: null, createdSeconds: null }
}

function readContent(block: unknown, logprobs: unknown): Delta[] {
  if (!isJsonObject(block)) return []
  const text = textIn(block['text'])
  const said = reasoningDelta(block['thinking'])
  const tokens = readLogprobs(Array.isArray(logprobs) ? logprobs : [logprobs])
  if (text !== '' || tokens !== null) {
    said.push({ type: 'text', choice, text, ...(tokens === null ? {} : { logprobs: tokens }) })
  }
  return said
}

function reasoningDelta(value: unknown): Delta[] {
  const text = textIn(value)
  return text === '' ? [] : [{ type: 'reasoning', choice, text }]
}

function addLogprobs(value: unknown, deltas: Delta[]): void {
  const logprobs = Array.isArray(value) ? readLogprobs(value) : null
  const at = deltas.findIndex(({ type }) => type === 'text')
  const text = deltas[at]
  if (logprobs !== null && text?.type === 'text') deltas[at] = { ...text, logprobs }
}

/** An item may stand for several tokens; then only their joint probability is known. */
function readLogprobs(items: readonly unknown[]): Logprobs | null {
  const all = items.filter(isJsonObject)
  const content = new LazyList(all.length, index => {
    const { text, logprobs } = all[index] ?? {}
    const token = textIn(text)
    const each = Array.isArray(logprobs) ? logprobs.filter((value): value is number => typeof value === 'number') : []
    const logprob = each.reduce((sum, value) => sum + value, 0)
    return { token, logprob, bytes: [...Buffer.from(token)], top_logprobs: [] }
  })
  return content.length === 0 ? null : { content, refusal: null }
}

function argumentsIn({ arguments: value }: JsonObject, call: Call): string {
  const text = isJsonObject(value) ? JSON.stringify(value) : textIn(value)
  // A call without parameters begins with this text; later it is an ordinary value.
  if (!call.hasArguments && text === 'null') return ''
  if (text !== '') call.hasArguments = true
  return text
}

function errorIn(json: unknown, word: string | null): Delta {
  return { type: 'error', error: readInnerError(json, word) }
}

const finishReasons: Record<string, FinishReason> = {
  MAX_TOKENS: 'length',
  ERROR_LIMIT: 'length',
  ERROR_TOXIC: 'content_filter',
}

function finishReason(native: string, hasCalls: boolean): FinishReason {
  const reason = Object.hasOwn(finishReasons, native) ? finishReasons[native] : undefined
  return reason ?? (hasCalls ? 'tool_calls' : 'stop')
}

/** The tokens that were processed, and the billed ones, which are fewer. */
function readUsage(value: unknown): Usage | null {
  if (!isJsonObject(value)) return null
  const billed = readTokens(value['billed_units'])
  const tokens = readTokens(value['tokens']) ?? billed
  if (tokens === null) return null
  return {
    ...tokens,
    totalTokens: tokens.promptTokens + tokens.completionTokens,
    cachedTokens: readCount(value['cached_tokens']),
    reasoningTokens: null,
    ...(billed === null ? {} : { billed }),
  }
}

function readTokens(counts: unknown): { promptTokens: number; completionTokens: number } | null {
  if (!isJsonObject(counts)) return null
  const input = readCount(counts['input_tokens'])
  const output = readCount(counts['output_tokens'])
  return input === null && output === null ? null : { promptTokens: input ?? 0, completionTokens: output ?? 0 }
}

function readCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
