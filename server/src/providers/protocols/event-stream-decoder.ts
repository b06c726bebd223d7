// Reads an answer that comes as server-sent events, for every protocol alike: splits the events, parses them, keeps
// the order of deltas and finds out whether the stream was whole. What an event means is the protocol's to say.

import type { AnswerEvent, Delta } from '../../domain/conversation/answer.ts'
import { createAnswerOrder } from '../../domain/conversation/answer-order.ts'
import { type ProviderFault, providerFault } from '../../domain/conversation/provider-fault.ts'
import { parseJson } from '../../domain/json-object.ts'
import { EventFormatError, EventReader, type ServerEvent } from '../../http/event-reader.ts'
import type { StreamDecoder } from './protocol.ts'

/** Room for an image inside of an event. */
const maxEventBytes = 8 * 1024 * 1024

export interface StreamMapping {
  /** The deltas of one event, in any order and as often as the provider says it: answer-order.ts sorts that out. */
  read(json: unknown, name: string): Delta[]
  /** A text that is no JSON and ends the stream, as `[DONE]`. */
  lastWord?: string
  /** Asked after each event: whether that was the provider's last word. */
  isOver?(): boolean
  /** No last word: a stream with a finish for each choice is whole when its body is over. */
  endsWithBody?: true
  /** What can be told only when the provider has said all. */
  atEnd?(): Delta[]
  /** Whether the event just read, which gave these deltas, may go to a client of this wire format as it came. */
  mayPass?(json: unknown): boolean
  /** What lines beside the events mean, asked when the body is over. */
  readStray?(text: string): ProviderFault | null
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
  /** The body is over: an event that does not parse now was cut. */
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

  breakOff(fault: ProviderFault): AnswerEvent[] {
    return this.#during(() => this.#fail(fault))
  }

  #during(step: () => void): AnswerEvent[] {
    try {
      if (!this.#isOver) step()
    } catch (error) {
      if (!(error instanceof EventFormatError)) throw error
      if (!this.#isOver) this.#fail(providerFault('malformed'))
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
    if (json === undefined) this.#fail(providerFault(this.#isBodyOver ? 'truncated' : 'malformed'))
    else this.#readJson(json, event)
  }

  #readJson(json: unknown, { name, raw }: ServerEvent): void {
    const mapping = this.#mapping
    const read = mapping.read(json, name)
    const deltas = read.flatMap(delta => this.#order.take(delta) ?? [])
    const mayPass = deltas.length === read.length && mapping.mayPass?.(json) === true
    // An event that says nothing goes nowhere.
    if (deltas.length > 0) this.#events.push({ deltas, raw: mayPass ? raw : null })
    if (deltas.at(-1)?.type === 'fault') this.#isOver = true
    else if (mapping.isOver?.()) this.#complete()
  }

  #endBody(): void {
    this.#isBodyOver = true
    this.#reader.end()
    if (this.#isOver) return
    const stray = this.#reader.strayText()
    const fault = stray === '' ? null : (this.#mapping.readStray?.(stray) ?? null)
    if (fault !== null) this.#fail(fault)
    else if (this.#mapping.endsWithBody) this.#complete()
    else this.#fail(providerFault('truncated'))
  }

  #complete(): void {
    this.#isOver = true
    const last = (this.#mapping.atEnd?.() ?? []).flatMap(delta => this.#order.take(delta) ?? [])
    const deltas = [...last, ...this.#order.complete()]
    if (deltas.length > 0) this.#events.push({ deltas, raw: null })
  }

  #fail(fault: ProviderFault): void {
    this.#isOver = true
    const delta = this.#order.take({ type: 'fault', fault })
    if (delta !== null) this.#events.push({ deltas: [delta], raw: null })
  }
}
