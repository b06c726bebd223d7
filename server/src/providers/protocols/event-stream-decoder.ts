// Reads an answer that arrives as events, for every protocol: splits and parses the events, keeps the order
// of deltas and checks that the stream is complete.

import type { AnswerEvent, Delta } from '../../domain/conversation/answer.ts'
import { createAnswerOrder } from '../../domain/conversation/answer-order.ts'
import { type ProviderError, providerError } from '../../domain/conversation/provider-error.ts'
import type { TextCarrier } from '../../domain/json/carry-texts.ts'
import { parseJson } from '../../domain/json-object.ts'
import { fewAnswerBytes, hasTooManyAnswerValues } from '../../domain/json-values.ts'
import { EventFormatError, EventReader, type ServerEvent } from '../../http/event-reader.ts'
import type { StreamDecoder } from './protocol.ts'

/** Enough for an image inside an event. */
const maxEventBytes = 8 * 1024 * 1024

export interface StreamMapping {
  /** Puts the arguments of calls into an event as texts. */
  texts?: TextCarrier
  /**
   * Returns the deltas of one event, in any order and as often as the provider repeats them: `answer-order.ts` puts
   * them in order.
   */
  read(json: unknown, name: string): Delta[]
  /** A text other than JSON that ends the stream, such as `[DONE]`. */
  lastWord?: string
  /** Called after each event: whether it was the provider's last. */
  isOver?(): boolean
  /** The stream has no last event: with a finish for each choice it is complete when its body ends. */
  endsWithBody?: true
  /** Returns the deltas that are only known at the end. */
  atEnd?(): Delta[]
  /**
   * For clients of this wire format: whether the event just read may be passed on unchanged. Its finish and usage are
   * rendered at the end.
   */
  mayPass?(json: unknown): boolean
  /** For clients of this wire format: every event is passed on unchanged, also those without deltas, but no error. */
  passesAll?: boolean
  /** Called at the end of the body with the lines between events. */
  readStray?(text: string): ProviderError | null
  /** For streams that are not server-sent events. Throws EventFormatError as EventReader does. */
  createReader?(onEvent: (event: ServerEvent) => void, limits: { maxEventBytes: number }): EventSource
}

export type EventSource = Pick<EventReader, 'push' | 'end' | 'strayText'>

export function createEventStreamDecoder(mapping: StreamMapping): StreamDecoder {
  return new EventStreamDecoder(mapping)
}

class EventStreamDecoder implements StreamDecoder {
  readonly #mapping: StreamMapping
  readonly #order = createAnswerOrder()
  readonly #reader: EventSource
  #events: AnswerEvent[] = []
  #isOver = false
  /** The body has ended: an event that does not parse now was cut off. */
  #isBodyOver = false

  constructor(mapping: StreamMapping) {
    this.#mapping = mapping
    const limits = { maxEventBytes }
    this.#reader = mapping.createReader?.(this.#readEvent, limits) ?? new EventReader(this.#readEvent, limits)
  }

  get isOver(): boolean {
    return this.#isOver
  }

  push(bytes: Uint8Array): AnswerEvent[] {
    return this.#during(() => this.#reader.push(bytes))
  }

  end(): AnswerEvent[] {
    return this.#during(() => this.#endBody())
  }

  breakOff(error: ProviderError): AnswerEvent[] {
    return this.#during(() => this.#fail(error))
  }

  #during(step: () => void): AnswerEvent[] {
    try {
      if (!this.#isOver) step()
    } catch (error) {
      if (!(error instanceof EventFormatError)) throw error
      if (!this.#isOver) this.#fail(providerError('malformed'))
    }
    const read = this.#events
    this.#events = []
    return read
  }

  readonly #readEvent = (event: ServerEvent): void => {
    if (event.data === this.#mapping.lastWord) {
      this.#complete()
      return
    }
    const isTooLarge = event.raw.length > fewAnswerBytes && hasTooManyAnswerValues(event.raw)
    const json = isTooLarge ? undefined : parseJson(event.data)
    if (json === undefined) this.#fail(providerError(this.#isBodyOver ? 'truncated' : 'malformed'))
    else this.#readJson(this.#mapping.texts?.carry(event.data, json) ?? json, event)
  }

  #readJson(json: unknown, { name, raw }: ServerEvent): void {
    const mapping = this.#mapping
    const read = mapping.read(json, name)
    const deltas = read.flatMap(delta => this.#order.take(delta) ?? [])
    const hasFailed = deltas.at(-1)?.type === 'error'
    const isOver = !hasFailed && mapping.isOver?.() === true
    if (mapping.passesAll && !hasFailed) this.#passEvent(deltas, raw, isOver)
    else {
      const mayPass = deltas.length === read.length && mapping.mayPass?.(json) === true
      this.#add(deltas, mayPass ? raw : null)
      if (hasFailed) this.#isOver = true
      else if (isOver) this.#complete()
    }
  }

  /** The last event carries what was held back, unless the answer turns out to be incomplete. */
  #passEvent(deltas: Delta[], raw: Uint8Array, isLast: boolean): void {
    if (!isLast) {
      this.#events.push({ deltas, raw })
      return
    }
    this.#isOver = true
    const rest = this.#takeRest()
    const isBroken = rest.at(-1)?.type === 'error'
    this.#events.push({ deltas: [...deltas, ...rest], raw: isBroken ? null : raw })
  }

  /** An event without deltas is dropped. */
  #add(deltas: Delta[], raw: Uint8Array | null): void {
    if (deltas.length > 0) this.#events.push({ deltas, raw })
  }

  #endBody(): void {
    this.#isBodyOver = true
    this.#reader.end()
    if (this.#isOver) return
    const stray = this.#reader.strayText()
    const error = stray === '' ? null : (this.#mapping.readStray?.(stray) ?? null)
    if (error !== null) this.#fail(error)
    else if (this.#mapping.endsWithBody) this.#complete()
    else this.#fail(providerError('truncated'))
  }

  #complete(): void {
    this.#isOver = true
    this.#add(this.#takeRest(), null)
  }

  #takeRest(): Delta[] {
    const last = (this.#mapping.atEnd?.() ?? []).flatMap(delta => this.#order.take(delta) ?? [])
    return [...last, ...this.#order.complete()]
  }

  #fail(error: ProviderError): void {
    this.#isOver = true
    const delta = this.#order.take({ type: 'error', error })
    if (delta !== null) this.#events.push({ deltas: [delta], raw: null })
  }
}
