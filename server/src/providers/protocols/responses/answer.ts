// Reads answers of the Responses API. A whole response is read as the events of a stream, and an item that a stream
// brings at once as its pieces.

import type { Delta, FinishReason, Logprobs, Usage } from '../../../domain/conversation/answer.ts'
import { providerError } from '../../../domain/conversation/provider-error.ts'
import { isJsonObject, type JsonObject } from '../../../domain/json-object.ts'
import { readInnerError } from '../chat/errors.ts'
import type { ReadOptions } from '../protocol.ts'
import { detailOfItem, textOfItem } from './reasoning-items.ts'

/** An item of the answer, as far as it has been read. */
interface Item {
  /** Null for anything but a call of one of the client's functions. */
  call: number | null
  /** Whether pieces of its text or arguments have been read. */
  hasPieces: boolean
  isDone: boolean
}

const choice = 0

/** Reads one answer event by event. */
export class ResponsePieces {
  readonly #newToolCallId: () => string
  /** By the item's position: some servers give one item several ids. */
  readonly #items = new Map<unknown, Item>()
  /** Held back until the model begins: until then, the provider may still reject the request. */
  #origin: Delta[] = []
  #callCount = 0
  #isOver = false

  constructor({ newToolCallId }: ReadOptions) {
    this.#newToolCallId = newToolCallId
  }

  /** Whether the last event has been read. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Whether the model has begun to answer: an error before that is a rejection of the request. */
  get hasBegun(): boolean {
    return this.#items.size > 0
  }

  readEvent(json: unknown): Delta[] {
    const hadBegun = this.hasBegun
    const deltas = isJsonObject(json) ? this.#readEvent(json) : [this.#failure(json)]
    return this.hasBegun && !hadBegun ? [...this.#origin, ...deltas] : deltas
  }

  #readEvent(json: JsonObject): Delta[] {
    switch (json['type']) {
      case 'response.output_text.delta':
        return this.#said(json, { type: 'text', choice, text: readText(json['delta']), ...readLogprobs(json) })
      case 'response.refusal.delta':
        return this.#said(json, { type: 'refusal', choice, text: readText(json['delta']) })
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return this.#said(json, { type: 'reasoning', choice, text: readText(json['delta']) })
      case 'response.reasoning_summary_part.added':
        return json['summary_index'] === 0 ? [] : this.#said(json, { type: 'reasoning', choice, text: '\n\n' })
      case 'response.function_call_arguments.delta':
        return this.#argue(json['output_index'], readText(json['delta']))
      case 'response.output_text.annotation.added':
        return fieldsOf([json['annotation']])
      case 'response.output_item.added':
        return this.#startItem(json['output_index'], json['item'])
      case 'response.output_item.done':
        return this.#endItem(json['output_index'], json['item'])
      default:
        return this.#readOwnEvent(json)
    }
  }

  /** A whole response, which the last event of a stream brings as well. */
  readResponse(json: unknown): Delta[] {
    if (!isJsonObject(json) || !Array.isArray(json['output'])) return [this.#failure(json)]
    const deltas = readOrigin(json)
    for (const [index, item] of json['output'].entries()) deltas.push(...this.#endItem(index, item))
    deltas.push(...readUsage(json['usage']))
    const { status } = json
    if (status === 'failed' || status === 'cancelled') deltas.push(this.#failure(json))
    else if (status === 'completed' || status === 'incomplete') deltas.push(this.#finish(json, status))
    return deltas
  }

  /** The events of the response itself; all others repeat what is read elsewhere, or are of a later version. */
  #readOwnEvent(json: JsonObject): Delta[] {
    const { type, response } = json
    if (type === 'error' || type === undefined) return [this.#failure(json)]
    if (!isJsonObject(response)) return []
    switch (type) {
      case 'response.created':
      case 'response.queued':
      case 'response.in_progress':
        this.#origin = readOrigin(response)
        return []
      case 'response.completed':
      case 'response.incomplete':
        this.#isOver = true
        return this.readResponse(response)
      case 'response.failed':
      case 'response.cancelled':
        return [...readUsage(response['usage']), this.#failure(response)]
      default:
        return []
    }
  }

  #failure(json: unknown): Delta {
    if (isJsonObject(json) && json['status'] === 'cancelled') {
      return { type: 'error', error: providerError('server_error') }
    }
    return { type: 'error', error: readInnerError(json, !this.hasBegun) }
  }

  #said(json: JsonObject, delta: Extract<Delta, { type: 'text' | 'refusal' | 'reasoning' }>): Delta[] {
    this.#itemAt(json['output_index']).hasPieces = true
    return delta.text === '' ? [] : [delta]
  }

  #argue(index: unknown, text: string): Delta[] {
    const item = this.#items.get(index)
    if (item === undefined || item.call === null || text === '') return []
    item.hasPieces = true
    return [{ type: 'tool_arguments', choice, call: item.call, text }]
  }

  #itemAt(index: unknown): Item {
    let item = this.#items.get(index)
    if (item === undefined) {
      item = { call: null, hasPieces: false, isDone: false }
      this.#items.set(index, item)
    }
    return item
  }

  #startItem(index: unknown, value: unknown): Delta[] {
    const item = this.#itemAt(index)
    if (!isJsonObject(value) || value['type'] !== 'function_call' || item.call !== null) return []
    const call = this.#callCount++
    item.call = call
    const id = readText(value['call_id']) || this.#newToolCallId()
    const given = readText(value['arguments'])
    if (given !== '') item.hasPieces = true
    return [{ type: 'tool_call', choice, call, id, name: readText(value['name']), arguments: given }]
  }

  /** Returns what no piece has brought yet. */
  #endItem(index: unknown, value: unknown): Delta[] {
    const started = this.#startItem(index, value)
    const item = this.#itemAt(index)
    if (item.isDone || !isJsonObject(value)) return started
    item.isDone = true
    switch (value['type']) {
      case 'function_call':
        return item.hasPieces ? started : [...started, ...this.#argue(index, readText(value['arguments']))]
      case 'message':
        return item.hasPieces ? [] : readContent(value['content'])
      case 'reasoning': {
        const text = item.hasPieces ? '' : textOfItem(value)
        const detail = detailOfItem(value, index)
        if (detail !== null) return [{ type: 'reasoning', choice, text, detail }]
        return text === '' ? [] : [{ type: 'reasoning', choice, text }]
      }
      default:
        return [{ type: 'native', choice, format: 'responses', value }]
    }
  }

  #finish(response: JsonObject, status: 'completed' | 'incomplete'): Delta {
    if (status === 'completed') {
      return { type: 'finish', choice, reason: this.#callCount > 0 ? 'tool_calls' : 'stop', native: status }
    }
    const details = response['incomplete_details']
    const native = isJsonObject(details) ? readText(details['reason']) : ''
    const reason: FinishReason = native === 'content_filter' ? native : 'length'
    return { type: 'finish', choice, reason, native: native || status }
  }
}

function readOrigin({ id, model, created_at: created }: JsonObject): Delta[] {
  return [
    {
      type: 'origin',
      id: readText(id) || null,
      model: readText(model) || null,
      createdSeconds: typeof created === 'number' && created > 0 ? created : null,
    },
  ]
}

/** The content of a message that came at once. */
function readContent(content: unknown): Delta[] {
  if (!Array.isArray(content)) return []
  return content.filter(isJsonObject).flatMap((part): Delta[] => {
    if (part['type'] === 'refusal') return saidOf({ type: 'refusal', choice, text: readText(part['refusal']) })
    if (part['type'] !== 'output_text') return []
    const said = saidOf({ type: 'text', choice, text: readText(part['text']), ...readLogprobs(part) })
    return [...said, ...fieldsOf(part['annotations'])]
  })
}

function saidOf(delta: Extract<Delta, { type: 'text' | 'refusal' }>): Delta[] {
  return delta.text === '' ? [] : [delta]
}

function fieldsOf(listed: unknown): Delta[] {
  const annotations = Array.isArray(listed) ? listed.filter(isJsonObject) : []
  return annotations.length === 0 ? [] : [{ type: 'fields', choice, fields: { annotations } }]
}

/** An empty list means that the client asked for none. */
function readLogprobs({ logprobs }: JsonObject): { logprobs?: Logprobs } {
  return Array.isArray(logprobs) && logprobs.length > 0 ? { logprobs: { content: logprobs, refusal: null } } : {}
}

function readUsage(value: unknown): Delta[] {
  if (!isJsonObject(value)) return []
  const input = readCount(value['input_tokens'])
  const output = readCount(value['output_tokens'])
  if (input === null && output === null) return []
  const promptTokens = input ?? 0
  const completionTokens = output ?? 0
  const cacheWriteTokens = readCountIn(value['input_tokens_details'], 'cache_write_tokens')
  const usage: Usage = {
    promptTokens,
    completionTokens,
    totalTokens: readCount(value['total_tokens']) ?? promptTokens + completionTokens,
    cachedTokens: readCountIn(value['input_tokens_details'], 'cached_tokens'),
    reasoningTokens: readCountIn(value['output_tokens_details'], 'reasoning_tokens'),
    ...(cacheWriteTokens === null ? {} : { cacheWriteTokens }),
  }
  return [{ type: 'usage', usage }]
}

function readCountIn(details: unknown, name: string): number | null {
  return isJsonObject(details) ? readCount(details[name]) : null
}

function readCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}

function readText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
