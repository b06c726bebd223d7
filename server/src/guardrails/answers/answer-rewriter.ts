// Rewrites an answer delta by delta: restores masked values and replaces what scanners find, in texts, refusals,
// reasoning, the arguments of calls, and the texts of all other items. What no scanner can read is left out while a
// scan is enforced. For each channel of each choice it holds back what may become a token of this
// request or a match, and nothing else.

import type { Delta } from '../../domain/conversation/answer.ts'
import type { ReasoningDetail } from '../../domain/conversation/prompt.ts'
import { writeJson } from '../../domain/json/json-text.ts'
import { isJsonObject, type JsonObject, omitAbsent } from '../../domain/json-object.ts'
import { createTokenReader, type TokenReader } from '../masking/read-token.ts'
import type { Vault } from '../masking/vault.ts'
import { AnswerText, type ScannerOfText } from './answer-text.ts'
import { JoinedText, type Render, TextRestorer, type TextSink } from './text-restorer.ts'
import { withoutMedia } from './without-media.ts'

type TextDelta = Extract<Delta, { type: 'text' | 'refusal' }>
type FieldsDelta = Extract<Delta, { type: 'fields' }>
type ReasoningDelta = Extract<Delta, { type: 'reasoning' }>
type Rest = (text: string) => Delta

/** One channel of one choice: its held-back text, and a delta to send the rest with. */
interface Channel {
  restorer: TextRestorer
  rest: Rest
}

/** Channels that end when another part begins. */
const orderedChannels: readonly string[] = ['text', 'refusal', 'reasoning'] satisfies Delta['type'][]

const asItIs: Render = value => value
/** Arguments are JSON, and so is a text with a JSON response format: a value goes into a JSON string. */
const inJson: Render = value => JSON.stringify(value).slice(1, -1)

interface RewriterOptions {
  /** The values to restore; null if nothing was masked. */
  vault: Vault | null
  textIsJson: boolean
  /** Null if nothing scans. */
  scanning: AnswerScanning | null
  /**
   * The client gets the parts of an answer in their order: what is held back of a part is sent before the next part
   * begins. Otherwise texts, reasoning and calls may alternate within a word.
   */
  ordersParts?: boolean
}

export interface AnswerScanning {
  /** False: all scanners only report. */
  isEnforced: boolean
  /** Creates the scanners of one text. */
  createScanners(): readonly ScannerOfText[]
}

/** Throws what a scanner throws to end the answer. */
export class AnswerRewriter {
  readonly #reader: TokenReader | null
  readonly #inText: Render
  readonly #scanning: AnswerScanning | null
  readonly #ordersParts: boolean
  readonly #choices = new Map<number, Map<string, Channel>>()

  constructor({ vault, textIsJson, scanning, ordersParts = false }: RewriterOptions) {
    this.#reader = vault && createTokenReader(vault)
    this.#inText = textIsJson ? inJson : asItIs
    this.#scanning = scanning
    this.#ordersParts = ordersParts
  }

  /** Returns the deltas that can be sent now. */
  rewrite(deltas: readonly Delta[]): Delta[] {
    if (!this.#ordersParts) return deltas.flatMap(delta => this.#rewriteOne(delta))
    return deltas.flatMap(delta => [...this.#flushEnded(delta), ...this.#rewriteOne(delta)])
  }

  /** Arguments are not flushed: the calls of one answer may arrive side by side. */
  #flushEnded(next: Delta): Delta[] {
    if (!('choice' in next)) return []
    const { choice, type } = next
    // A signature follows the whole text that it signs.
    const goesOn = type === 'reasoning' && next.text === '' && next.detail?.signature ? null : type
    const ended = orderedChannels.filter(name => name !== goesOn)
    return ended.flatMap(name => this.#flushChannel(choice, name))
  }

  #flushChannel(choice: number, name: string): Delta[] {
    const channels = this.#choices.get(choice)
    const channel = channels?.get(name)
    if (channels === undefined || channel === undefined) return []
    channels.delete(name)
    const left = channel.restorer.flush()
    return left === '' ? [] : [channel.rest(left)]
  }

  /** The answer breaks off: returns what was held back. An unfinished token is unchanged. */
  flush(): Delta[] {
    return [...this.#choices.keys()].flatMap(choice => this.#flushChoice(choice))
  }

  #rewriteOne(delta: Delta): Delta[] {
    switch (delta.type) {
      case 'text':
      case 'refusal':
        return this.#rewriteTextDelta(delta)
      case 'reasoning':
        return this.#rewriteReasoning(delta)
      case 'tool_call': {
        const text = this.#rewriteArguments(delta.choice, delta.call, delta.arguments)
        return [text === delta.arguments ? delta : { ...delta, arguments: text }]
      }
      case 'tool_arguments': {
        const text = this.#rewriteArguments(delta.choice, delta.call, delta.text)
        if (text === delta.text) return [delta]
        return text === '' ? [] : [{ ...delta, text }]
      }
      case 'finish':
        return [...this.#flushChoice(delta.choice), delta]
      case 'error':
        return [...this.flush(), delta]
      case 'native':
        return [{ ...delta, value: this.#rewriteValue(delta.value) }]
      case 'fields':
        return this.#rewriteFields(delta)
      case 'origin':
      case 'usage':
      case 'result':
        return [delta]
    }
  }

  /** The transcript of audio arrives in pieces, everything else as a whole. */
  #rewriteFields({ type, choice, fields }: FieldsDelta): Delta[] {
    const { audio, ...others } = fields
    const rewritten = this.#rewriteValue(others)
    if (isJsonObject(audio)) rewritten['audio'] = this.#rewriteAudio(choice, audio)
    else if (audio !== undefined && !this.#isEnforced) rewritten['audio'] = audio
    return Object.keys(rewritten).length === 0 ? [] : [{ type, choice, fields: rewritten }]
  }

  #rewriteAudio(choice: number, { transcript, data, ...others }: JsonObject): JsonObject {
    const rewritten = this.#rewriteValue(others)
    if (data !== undefined && !this.#isEnforced) rewritten['data'] = data
    if (typeof transcript !== 'string') return rewritten
    const rest: Rest = left => ({ type: 'fields', choice, fields: { audio: { transcript: left } } })
    return { ...rewritten, transcript: this.#push(choice, 'transcript', transcript, rest) }
  }

  /** As arguments of a call that arrive at once. */
  #rewriteValue(value: JsonObject): JsonObject {
    const readable = this.#isEnforced ? withoutMedia(value) : value
    const json = writeJson(readable)
    const restorer = new TextRestorer(this.#reader, inJson, this.#createParts(inJson))
    const text = restorer.push(json) + restorer.flush()
    return text === json ? readable : (JSON.parse(text) as JsonObject)
  }

  get #isEnforced(): boolean {
    return this.#scanning?.isEnforced === true
  }

  #rewriteTextDelta(delta: TextDelta): Delta[] {
    const { type, choice } = delta
    const render = type === 'text' ? this.#inText : asItIs
    const text = this.#push(choice, type, delta.text, rest => ({ type, choice, text: rest }), render)
    // Log probabilities contain the text as the model wrote it, even what is held back now.
    const hasOthers = delta.logprobs !== undefined && this.#isEnforced
    if (text === delta.text && !hasOthers) return [delta]
    return text === '' ? [] : [{ type, choice, text }]
  }

  #rewriteReasoning(delta: ReasoningDelta): Delta[] {
    const { choice, detail } = delta
    const text = this.#push(choice, 'reasoning', delta.text, rest => ({ type: 'reasoning', choice, text: rest }))
    const rewritten = detail === undefined || isProvidersOwn(detail) ? detail : this.#rewriteDetail(choice, detail)
    if (text === delta.text && rewritten === detail) return [delta]
    if (rewritten !== undefined) return [{ type: 'reasoning', choice, text, detail: rewritten }]
    return text === '' ? [] : [{ type: 'reasoning', choice, text }]
  }

  #rewriteDetail(choice: number, detail: ReasoningDetail): ReasoningDetail {
    const rewritten = this.#isEnforced ? readDetail(detail) : { ...detail }
    for (const field of ['text', 'summary'] as const) {
      const text = detail[field]
      if (typeof text !== 'string' || text === '') continue
      const rest: Rest = left => ({ type: 'reasoning', choice, text: '', detail: { ...detail, [field]: left } })
      rewritten[field] = this.#push(choice, `${field} ${detail.type} ${detail.index ?? ''}`, text, rest)
    }
    const isSame = rewritten.text === detail.text && rewritten.summary === detail.summary
    return isSame && Object.keys(rewritten).length === Object.keys(detail).length ? detail : rewritten
  }

  #rewriteArguments(choice: number, call: number, text: string): string {
    const rest: Rest = left => ({ type: 'tool_arguments', choice, call, text: left })
    return this.#push(choice, `call ${call}`, text, rest, inJson)
  }

  #push(choice: number, name: string, text: string, rest: Rest, render = asItIs): string {
    const channels = this.#choices.get(choice) ?? new Map<string, Channel>()
    this.#choices.set(choice, channels)
    const restorer = channels.get(name)?.restorer ?? new TextRestorer(this.#reader, render, this.#createParts(render))
    channels.set(name, { restorer, rest })
    return restorer.push(text)
  }

  #createParts(render: Render): TextSink {
    if (this.#scanning === null) return new JoinedText()
    return new AnswerText(this.#scanning.createScanners(), { isJson: render === inJson })
  }

  #flushChoice(choice: number): Delta[] {
    const flushed: Delta[] = []
    for (const { restorer, rest } of this.#choices.get(choice)?.values() ?? []) {
      const left = restorer.flush()
      if (left !== '') flushed.push(rest(left))
    }
    this.#choices.delete(choice)
    return flushed
  }
}

/** Its texts, and what names it: nothing else of it is scanned. */
function readDetail({ type, text, summary, format, id, index }: ReasoningDetail): ReasoningDetail {
  return omitAbsent<ReasoningDetail>({ type, text, summary, format, id, index })
}

/**
 * For formats that sign their blocks, even if the signature has not arrived yet: the provider rejects a changed block.
 */
function isProvidersOwn({ format, signature, data }: ReasoningDetail): boolean {
  const isKnownFormat = typeof format === 'string' && format !== 'unknown'
  return isKnownFormat || typeof signature === 'string' || typeof data === 'string'
}
