// Reads chat-completions answers, whole ones and chunks alike, in all dialects: reasoning under its several names,
// content in parts, calls with and without index and id.

import type { Delta, FinishReason, Logprobs, Usage } from '../../../domain/conversation/answer.ts'
import { maxCalls } from '../../../domain/conversation/answer-order.ts'
import { ObjectEnd } from '../../../domain/conversation/object-end.ts'
import type { ReasoningDetail } from '../../../domain/conversation/prompt.ts'
import { isJsonObject, type JsonObject } from '../../../domain/json-object.ts'
import type { ReadOptions } from '../protocol.ts'
import { readInnerError } from './errors.ts'

interface KnownCall {
  call: number
  id: string | null
  name: string | null
  /** Detects the end of the arguments of a call without an id. */
  end: ObjectEnd | null
}

/** How the last chunk differs from the form that our clients get. */
interface Differences {
  /** It begins a choice, so its first delta has to carry the role. */
  begins: boolean
  /** A call's index is missing or differs from ours. */
  renumbers: boolean
  /** A call lacks or repeats its id, type or name, or its arguments are not text; or the content comes in parts. */
  rewrites: boolean
}

type Origin = Extract<Delta, { type: 'origin' }>

/** Reads one answer chunk by chunk. */
export class ChatPieces {
  readonly last: Differences = { begins: false, renumbers: false, rewrites: false }
  /** The id, model and time that every chunk to the client repeats. */
  origin: Origin | null = null
  readonly #newToolCallId: () => string
  readonly #begun = new Set<number>()
  /** By choice, then by the provider's identification of the call. */
  readonly #calls = new Map<number, Map<unknown, KnownCall>>()
  readonly #callCounts = new Map<number, number>()

  constructor({ newToolCallId }: ReadOptions) {
    this.#newToolCallId = newToolCallId
  }

  /** Returns the deltas of a chunk or of a whole answer, in the provider's order. */
  readonly read = (json: unknown): Delta[] => {
    const { last } = this
    last.begins = last.renumbers = last.rewrites = false
    if (!isJsonObject(json)) return [this.#errorIn(json)]
    const deltas: Delta[] = []
    // Some providers first send chunks of their own without an id; an answer that begins without one keeps ours.
    const isNamed = typeof json['id'] === 'string' && json['id'] !== ''
    if (isNamed && this.origin === null && this.#begun.size === 0) {
      this.origin = readOrigin(json)
      deltas.push(this.origin)
    }
    // Most chunks have neither usage nor log probabilities nor reasoning nor further fields, or null in their place.
    const usage = json['usage'] ? readUsage(json['usage']) : null
    if (usage !== null) deltas.push({ type: 'usage', usage })
    const { choices } = json
    if (Array.isArray(choices)) for (const choice of choices) this.#readChoice(choice, deltas)
    const isError = Boolean(json['error']) || json['object'] === 'error' || !Array.isArray(choices)
    if (isError) deltas.push(this.#errorIn(json))
    return deltas
  }

  /** Before any answer, the provider rejected the request; in the middle of an answer, the provider itself failed. */
  #errorIn(json: unknown): Delta {
    return { type: 'error', error: readInnerError(json, this.#begun.size === 0) }
  }

  #readChoice(value: unknown, deltas: Delta[]): void {
    if (!isJsonObject(value)) return
    const choice = typeof value['index'] === 'number' ? value['index'] : 0
    const before = deltas.length
    const piece = value['delta'] ?? value['message']
    if (isJsonObject(piece))
      this.#readPiece(piece, choice, value['logprobs'] ? readLogprobs(value['logprobs']) : null, deltas)
    // A finish comes last in a chunk and does not begin a choice.
    const hasSaid = deltas.length > before
    const native = value['finish_reason']
    if (value['error'] || native === 'error') deltas.push(this.#errorIn(value))
    else if (typeof native === 'string') deltas.push(readFinish(value, choice, native))
    if (!hasSaid || this.#begun.has(choice)) return
    this.#begun.add(choice)
    this.last.begins = true
  }

  #readPiece(piece: JsonObject, choice: number, logprobs: Logprobs | null, deltas: Delta[]): void {
    const { content, refusal, tool_calls, reasoning_content, reasoning, reasoning_details } = piece
    if (reasoning_content || reasoning || reasoning_details) readReasoning(piece, choice, deltas)
    const withLogprobs = logprobs === null ? {} : { logprobs }
    const hasRefusal = typeof refusal === 'string' && refusal !== ''
    if (Array.isArray(content)) {
      this.last.rewrites = true
      readParts(content, choice, deltas)
    } else if (typeof content === 'string' && (content !== '' || (logprobs !== null && !hasRefusal))) {
      deltas.push({ type: 'text', choice, text: content, ...withLogprobs })
    }
    if (hasRefusal) deltas.push({ type: 'refusal', choice, text: refusal, ...withLogprobs })
    if (Array.isArray(tool_calls)) {
      // One more than `answer-order.ts` lets pass, so that it ends the answer.
      for (const [position, call] of tool_calls.slice(0, maxCalls + 1).entries())
        this.#readToolCall(call, position, choice, deltas)
    }
    const fields = piece['annotations'] || piece['audio'] || piece['images'] ? readFields(piece) : null
    if (fields !== null) deltas.push({ type: 'fields', choice, fields })
  }

  #readToolCall(value: unknown, position: number, choice: number, deltas: Delta[]): void {
    if (!isJsonObject(value)) return
    const called = isJsonObject(value['function']) ? value['function'] : {}
    const id = typeof value['id'] === 'string' && value['id'] !== '' ? value['id'] : null
    const name = typeof called['name'] === 'string' && called['name'] !== '' ? called['name'] : null
    const text = readArguments(called['arguments'])
    if (called['arguments'] !== text) this.last.rewrites = true
    const calls = this.#calls.get(choice) ?? new Map<unknown, KnownCall>()
    this.#calls.set(choice, calls)
    const known = calls.get(value['index'] ?? position)
    const isKnown = known !== undefined && !isAnother(known, id, name, text)
    const call = isKnown ? known.call : (this.#callCounts.get(choice) ?? 0)
    if (call !== value['index']) this.last.renumbers = true
    if (isKnown) {
      if (value['id'] !== undefined || value['type'] !== undefined || called['name'] !== undefined) {
        this.last.rewrites = true
      }
      known.end?.push(text)
      deltas.push({ type: 'tool_arguments', choice, call, text })
      return
    }
    if (id === null || name === null || value['type'] !== 'function') this.last.rewrites = true
    const end = id === null ? new ObjectEnd() : null
    end?.push(text)
    calls.set(value['index'] ?? position, { call, id, name, end })
    this.#callCounts.set(choice, call + 1)
    const signature = readSignature(value['extra_content'])
    const start = { choice, call, id: id ?? this.#newToolCallId(), name: name ?? '', arguments: text }
    deltas.push({ type: 'tool_call', ...start, ...(signature === null ? {} : { signature }) })
  }
}

/**
 * Some providers number every call 0, so a new id with a name starts another call. Without ids, a name starts another
 * call only if the arguments so far are complete, because some providers repeat the name with every piece.
 */
function isAnother(known: KnownCall, id: string | null, name: string | null, text: string): boolean {
  if (name === null) return false
  if (id !== null) return known.id !== id
  return known.end?.isReached === true && (name !== known.name || text.trim() !== '')
}

function readOrigin({ id, model, created }: JsonObject): Origin {
  return {
    type: 'origin',
    id: typeof id === 'string' ? id : null,
    model: typeof model === 'string' && model !== '' ? model : null,
    createdSeconds: typeof created === 'number' && created > 0 ? created : null,
  }
}

function readReasoning(piece: JsonObject, choice: number, deltas: Delta[]): void {
  const reasoning = piece['reasoning_content'] ?? piece['reasoning']
  const text = typeof reasoning === 'string' ? reasoning : ''
  const listed = piece['reasoning_details']
  const details = Array.isArray(listed) ? listed.filter(isDetail) : []
  const [first, ...others] = details
  if (first === undefined) {
    if (text !== '') deltas.push({ type: 'reasoning', choice, text })
    return
  }
  deltas.push({ type: 'reasoning', choice, text, detail: first })
  for (const detail of others) deltas.push({ type: 'reasoning', choice, text: '', detail })
}

function isDetail(value: unknown): value is ReasoningDetail {
  return isJsonObject(value) && typeof value['type'] === 'string'
}

function readParts(parts: readonly unknown[], choice: number, deltas: Delta[]): void {
  for (const part of parts) {
    if (!isJsonObject(part)) continue
    const { text, thinking } = part
    if (part['type'] === 'text' && typeof text === 'string' && text !== '') deltas.push({ type: 'text', choice, text })
    if (part['type'] !== 'thinking') continue
    const thought = Array.isArray(thinking) ? thinking.map(readText).join('') : readText({ text: thinking })
    if (thought !== '') deltas.push({ type: 'reasoning', choice, text: thought })
  }
}

function readText(part: unknown): string {
  return isJsonObject(part) && typeof part['text'] === 'string' ? part['text'] : ''
}

function readArguments(value: unknown): string {
  if (typeof value === 'string') return value
  return isJsonObject(value) ? JSON.stringify(value) : ''
}

function readSignature(extraContent: unknown): string | null {
  const google = isJsonObject(extraContent) ? extraContent['google'] : null
  const signature = isJsonObject(google) ? google['thought_signature'] : null
  return typeof signature === 'string' ? signature : null
}

function readLogprobs(value: unknown): Logprobs | null {
  return isJsonObject(value) ? { content: value['content'] ?? null, refusal: value['refusal'] ?? null } : null
}

function readFields({ annotations, audio, images }: JsonObject): JsonObject | null {
  const fields: JsonObject = {}
  if (Array.isArray(annotations) && annotations.length > 0) fields['annotations'] = annotations
  if (isJsonObject(audio)) fields['audio'] = audio
  if (Array.isArray(images) && images.length > 0) fields['images'] = images
  return Object.keys(fields).length === 0 ? null : fields
}

const finishReasons: Record<string, FinishReason> = {
  stop: 'stop',
  length: 'length',
  model_length: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'content_filter',
}

function readFinish({ native_finish_reason: native }: JsonObject, choice: number, word: string): Delta {
  const reason = Object.hasOwn(finishReasons, word) ? finishReasons[word] : undefined
  return { type: 'finish', choice, reason: reason ?? 'stop', native: typeof native === 'string' ? native : word }
}

function readUsage(value: unknown): Usage | null {
  if (!isJsonObject(value)) return null
  const promptCount = readCount(value['prompt_tokens'])
  const completionCount = readCount(value['completion_tokens'])
  const totalCount = readCount(value['total_tokens'])
  // A usage object without counts is ignored; Sallyport then estimates the tokens.
  if (promptCount === null && completionCount === null && totalCount === null) return null
  const promptTokens = promptCount ?? 0
  const prompt = isJsonObject(value['prompt_tokens_details']) ? value['prompt_tokens_details'] : {}
  const completion = isJsonObject(value['completion_tokens_details']) ? value['completion_tokens_details'] : {}
  const reasoningTokens = readCount(completion['reasoning_tokens'])
  // Some servers, such as xAI's, count reasoning in the total but not in the completion.
  const isApart = totalCount === promptTokens + (completionCount ?? 0) + (reasoningTokens ?? 0)
  const completionTokens = (completionCount ?? 0) + (isApart ? (reasoningTokens ?? 0) : 0)
  const cacheWriteTokens = readCount(prompt['cache_write_tokens'])
  const cost = value['cost']
  return {
    promptTokens,
    completionTokens,
    totalTokens: totalCount ?? promptTokens + completionTokens,
    cachedTokens:
      readCount(prompt['cached_tokens']) ??
      readCount(value['num_cached_tokens']) ??
      readCount(value['prompt_cache_hit_tokens']),
    reasoningTokens,
    ...(cacheWriteTokens === null ? {} : { cacheWriteTokens }),
    ...(typeof cost === 'number' && cost >= 0 ? { cost } : {}),
  }
}

function readCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}
