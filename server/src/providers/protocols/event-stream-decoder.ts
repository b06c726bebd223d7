// Reads an answer that arrives as server-sent events, for every protocol: splits and parses the events, keeps the order
// of deltas and checks that the stream is complete.

import type { AnswerEvent, Delta } from '../../domain/conversation/answer.ts'
import { createAnswerOrder } from '../../domain/conversation/answer-order.ts'
import { type ProviderError, providerError } from '../../domain/conversation/provider-error.ts'
import { parseJson } from '../../domain/json-object.ts'
import { EventFormatError, EventReader, type ServerEvent } from '../../http/event-reader.ts'
import type { StreamDecoder } from './protocol.ts'

/** Enough for an image inside an event. */
const maxEventBytes = 8 * 1024 * 1024

export interface StreamMapping {
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
  /** Whether the event just read may be passed on unchanged to clients of this wire format. */
  mayPass?(json: unknown): boolean
  /** Called at the end of the body with the lines between events. */
  readStray?(text: string): ProviderError | null
}

export function createEventStreamDecoder(mapping: StreamMapping): StreamDecoder {
  return new EventStreamDecoder(mapping)
}

class EventStreamDecoder implements StreamDecoder {
  readonly #mapping: StreamMapping
  readonly #order = createAnswerOrder()
  readonly #reader = new EventReader(event => this.#readEvent(event), { maxEventBytes })
  #events: AnswerEvent[] = []
  #isOver = false
  /** The body has ended: an event that does not parse now was cut off. */
  #isBodyOver = false

  constructor(mapping: StreamMapping) {
    this.#mapping = mapping
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

  #readEvent(event: ServerEvent): void {
    if (event.data === this.#mapping.lastWord) {
      this.#complete()
      return
    }
    const json = parseJson(event.data)
    if (json === undefined) this.#fail(providerError(this.#isBodyOver ? 'truncated' : 'malformed'))
    else this.#readJson(json, event)
  }

  #readJson(json: unknown, { name, raw }: ServerEvent): void {
    const mapping = this.#mapping
    const read = mapping.read(json, name)
    const deltas = read.flatMap(delta => this.#order.take(delta) ?? [])
    const mayPass = deltas.length === read.length && mapping.mayPass?.(json) === true
    // An event without deltas is dropped.
    if (deltas.length > 0) this.#events.push({ deltas, raw: mayPass ? raw : null })
    if (deltas.at(-1)?.type === 'error') this.#isOver = true
    else if (mapping.isOver?.()) this.#complete()
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
    const last = (this.#mapping.atEnd?.() ?? []).flatMap(delta => this.#order.take(delta) ?? [])
    const deltas = [...last, ...this.#order.complete()]
    if (deltas.length > 0) this.#events.push({ deltas, raw: null })
  }

  #fail(error: ProviderError): void {
    this.#isOver = true
    const delta = this.#order.take({ type: 'error', error })
    if (delta !== null) this.#events.push({ deltas: [delta], raw: null })
  }
}
