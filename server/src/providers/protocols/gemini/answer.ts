// Reads answers in Gemini's format, whole ones and chunks alike.

import type { Delta, FinishReason, Usage } from '../../../domain/conversation/answer.ts'
import { JsonText } from '../../../domain/json/json-text.ts'
import { isJsonObject, type JsonObject } from '../../../domain/json-object.ts'
import { deltasOfCount } from '../counted-tokens.ts'
import type { ReadOptions } from '../protocol.ts'
import { readInbandError } from './errors.ts'
import { readLogprobs } from './logprobs.ts'
import { textDetail, thoughtDetail } from './signatures.ts'

interface Choice {
  callCount: number
  detailCount: number
  /** The last native reason. */
  native: string | null
  isBlocked: boolean
}

/** Reads one answer chunk by chunk. */
export class GeminiPieces {
  readonly #newToolCallId: () => string
  readonly #choices = new Map<number, Choice>()

  constructor({ newToolCallId }: ReadOptions) {
    this.#newToolCallId = newToolCallId
  }

  get hasBegun(): boolean {
    return this.#choices.size > 0
  }

  read(json: unknown): Delta[] {
    // A stream that was not requested as events has this form.
    if (Array.isArray(json) && json.length > 0) return json.flatMap(item => this.read(item))
    if (!isJsonObject(json) || json['error']) return [readInbandError(json, this.#choices.size === 0)]
    const { candidates, promptFeedback, usageMetadata, responseId, modelVersion } = json
    const deltas: Delta[] = []
    if (typeof responseId === 'string' || typeof modelVersion === 'string') {
      deltas.push({ type: 'origin', id: textOrNull(responseId), model: textOrNull(modelVersion), createdSeconds: null })
    }
    const usage = readUsage(usageMetadata)
    if (usage !== null) deltas.push({ type: 'usage', usage })
    const given = Array.isArray(candidates) ? candidates.filter(isJsonObject) : []
    for (const [position, candidate] of given.entries()) this.#readCandidate(candidate, position, deltas)
    const blocked = isJsonObject(promptFeedback) ? promptFeedback['blockReason'] : undefined
    if (typeof blocked === 'string') this.#block(blocked)
    // Without any of these, the body is not even an empty answer.
    const isAnswer =
      given.length > 0 || isJsonObject(promptFeedback) || isJsonObject(usageMetadata) || deltas.length > 0
    return isAnswer ? deltas : [readInbandError(json, true)]
  }

  /** The provider blocked the prompt, so there is no text. */
  #block(reason: string): void {
    const choice = this.#choiceOf(0)
    choice.native = reason
    choice.isBlocked = true
  }

  #choiceOf(index: number): Choice {
    const choice = this.#choices.get(index) ?? { callCount: 0, detailCount: 0, native: null, isBlocked: false }
    this.#choices.set(index, choice)
    return choice
  }

  #readCandidate(candidate: JsonObject, position: number, deltas: Delta[]): void {
    const index = typeof candidate['index'] === 'number' ? candidate['index'] : position
    const choice = this.#choiceOf(index)
    const content = isJsonObject(candidate['content']) ? candidate['content'] : {}
    const before = deltas.length
    for (const part of Array.isArray(content['parts']) ? content['parts'] : []) {
      if (isJsonObject(part)) this.#readPart(part, index, choice, deltas)
    }
    addLogprobs(candidate['logprobsResult'], index, deltas, before)
    const native = candidate['finishReason']
    if (typeof native === 'string' && native !== 'FINISH_REASON_UNSPECIFIED') choice.native = native
  }

  #readPart(part: JsonObject, index: number, choice: Choice, deltas: Delta[]): void {
    const { text, functionCall, inlineData } = part
    const signature = typeof part['thoughtSignature'] === 'string' ? part['thoughtSignature'] : ''
    if (isJsonObject(functionCall)) {
      if (typeof functionCall['name'] === 'string') deltas.push(this.#startCall(functionCall, signature, index, choice))
      return
    }
    if (isJsonObject(inlineData)) {
      const fields = readImage(inlineData)
      if (fields !== null) deltas.push({ type: 'fields', choice: index, fields })
    }
    const written = typeof text === 'string' ? text : ''
    if (part['thought'] === true) {
      const detail = signature === '' ? {} : { detail: thoughtDetail(written, signature, choice.detailCount++) }
      if (written !== '' || signature !== '')
        deltas.push({ type: 'reasoning', choice: index, text: written, ...detail })
      return
    }
    if (written !== '') deltas.push({ type: 'text', choice: index, text: written })
    // The provider's own tools sign their parts too; those parts are not sent to clients, so they cannot come back.
    if (signature !== '' && typeof text === 'string') {
      deltas.push({ type: 'reasoning', choice: index, text: '', detail: textDetail(signature, choice.detailCount++) })
    }
  }

  #startCall({ id, name, args }: JsonObject, signature: string, index: number, choice: Choice): Delta {
    return {
      type: 'tool_call',
      choice: index,
      call: choice.callCount++,
      id: typeof id === 'string' && id !== '' ? id : this.#newToolCallId(),
      name: String(name),
      arguments: JsonText.of(args).text,
      ...(signature === '' ? {} : { signature }),
    }
  }

  /** How the choices ended: only known at the end, as text and calls may follow a finish. */
  end(): Delta[] {
    return [...this.#choices].flatMap(([choice, { native, callCount, isBlocked }]): Delta[] => {
      if (native === null) return []
      const reason = isBlocked ? 'content_filter' : finishReason(native, callCount > 0)
      return [{ type: 'finish', choice, reason, native }]
    })
  }
}

function addLogprobs(result: unknown, choice: number, deltas: Delta[], from: number): void {
  const logprobs = readLogprobs(result)
  if (logprobs === null) return
  const at = deltas.findLastIndex((delta, index) => index >= from && delta.type === 'text')
  const text = deltas[at]
  if (text?.type === 'text') deltas[at] = { ...text, logprobs }
  else deltas.push({ type: 'text', choice, text: '', logprobs })
}

function readImage({ mimeType, data }: JsonObject): JsonObject | null {
  if (typeof mimeType !== 'string' || !mimeType.startsWith('image/') || typeof data !== 'string') return null
  return { images: [{ type: 'image_url', image_url: { url: `data:${mimeType};base64,${data}` } }] }
}

const finishReasons: Record<string, FinishReason> = {
  MAX_TOKENS: 'length',
  OTHER: 'stop',
  MALFORMED_FUNCTION_CALL: 'stop',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  LANGUAGE: 'content_filter',
  MODEL_ARMOR: 'content_filter',
}

function finishReason(native: string, hasCalls: boolean): FinishReason {
  if (native === 'STOP' && hasCalls) return 'tool_calls'
  if (/IMAGE/.test(native)) return 'content_filter'
  return (Object.hasOwn(finishReasons, native) ? finishReasons[native] : undefined) ?? 'stop'
}

function readUsage(value: unknown): Usage | null {
  if (!isJsonObject(value)) return null
  const thoughts = readCount(value['thoughtsTokenCount'])
  const counts = [value['promptTokenCount'], value['candidatesTokenCount'], value['totalTokenCount'], thoughts]
  if (counts.every(count => readCount(count) === null)) return null
  const promptTokens = (readCount(value['promptTokenCount']) ?? 0) + (readCount(value['toolUsePromptTokenCount']) ?? 0)
  const completionTokens = (readCount(value['candidatesTokenCount']) ?? 0) + (thoughts ?? 0)
  return {
    promptTokens,
    completionTokens,
    totalTokens: readCount(value['totalTokenCount']) ?? promptTokens + completionTokens,
    cachedTokens: readCount(value['cachedContentTokenCount']),
    reasoningTokens: thoughts,
  }
}

export function readCountedTokens(json: unknown): Delta[] {
  const tokens = isJsonObject(json) ? readCount(json['totalTokens']) : null
  return tokens === null ? [readInbandError(json, true)] : deltasOfCount(tokens)
}

function readCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
