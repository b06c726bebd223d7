// Parses a response as its bytes arrive: skips interim responses, then reads the head, the body without its framing,
// and the end. Throws OutboundFailure at the first byte that breaks the grammar.
import { ChunkReader } from '../http/chunk-reader.ts'
import { OutboundFailure } from './failure.ts'
import { checkBeginning, checkTrailers, maxHeadBytes, parseHead, type ResponseHead } from './response-head.ts'

/** Receives the parsed response. The bytes are only valid during the call; chunks are moved together in them. */
export interface AnswerSink {
  /** Returns false for a response that counts towards the limit. */
  takeInterim(): boolean
  takeHead(head: ResponseHead): void
  takeBody(bytes: Buffer, from: number, to: number): void
  /** True while the receiver is paused. */
  readonly isHeld: boolean
}

const inHead = 0
const inLength = 1
const untilClose = 2
const inChunks = 3
const inTrailers = 4
const over = 5

const maxTrailerBytes = 16 * 1024
/** Some servers send one unrequested interim response; without a limit they could continue until the timeout. */
const maxInterim = 100

export class AnswerParser {
  readonly #sink: AnswerSink
  readonly #chunks = new ChunkReader()
  #state = over
  #isHeadRequest = false
  /** The received part of a head or of trailers. */
  #text = ''
  /** Bytes left of a body with a content-length. */
  #left = 0
  #interim = 0

  constructor(sink: AnswerSink) {
    this.#sink = sink
  }

  begin(isHeadRequest: boolean): void {
    this.#state = inHead
    this.#isHeadRequest = isHeadRequest
    this.#text = ''
    this.#interim = 0
  }

  get isOver(): boolean {
    return this.#state === over
  }

  /** Returns where it stopped: before `to` once the response is complete, or while the receiver is paused. */
  read(bytes: Buffer, from: number, to: number): number {
    let at = from
    while (at < to && this.#state !== over && !this.#sink.isHeld) at = this.#step(bytes, at, to)
    return at
  }

  /** The peer has closed; returns true if that ends this response properly. */
  close(): boolean {
    if (this.#state === untilClose) this.#state = over
    return this.#state === over
  }

  #step(bytes: Buffer, at: number, to: number): number {
    switch (this.#state) {
      case inHead:
        return this.#readHead(bytes, at, to)
      case inLength:
        return this.#readCounted(bytes, at, to)
      case untilClose:
        this.#sink.takeBody(bytes, at, to)
        return to
      case inChunks:
        return this.#readChunks(bytes, at, to)
      default:
        return this.#readTrailers(bytes, at, to)
    }
  }

  #readHead(bytes: Buffer, at: number, to: number): number {
    const before = this.#text.length
    const piece = bytes.toString('latin1', at, Math.min(to, at + maxHeadBytes + 4 - before))
    const text = before === 0 ? piece : this.#text + piece
    const end = text.indexOf('\r\n\r\n', Math.max(0, before - 3))
    if (end === -1) {
      checkBeginning(text)
      if (text.length > maxHeadBytes) throw new OutboundFailure('too_large', { reason: 'head' })
      this.#text = text
      return to
    }
    this.#text = ''
    this.#takeHead(parseHead(text.slice(0, end), this.#isHeadRequest))
    return at + end + 4 - before
  }

  #takeHead(head: ResponseHead): void {
    if (head.status === 101) throw new OutboundFailure('reset', { reason: 'upgrade' })
    if (head.status < 200) {
      if (!this.#sink.takeInterim() && ++this.#interim > maxInterim) throw broken('interim')
      return
    }
    this.#left = head.length
    if (head.framing === 'none') this.#state = over
    else if (head.framing === 'length') this.#state = inLength
    else if (head.framing === 'chunked') {
      this.#chunks.begin()
      this.#state = inChunks
    } else this.#state = untilClose
    this.#sink.takeHead(head)
  }

  #readCounted(bytes: Buffer, at: number, to: number): number {
    const end = Math.min(to, at + this.#left)
    this.#left -= end - at
    if (this.#left === 0) this.#state = over
    this.#sink.takeBody(bytes, at, end)
    return end
  }

  /** Reports all chunks of a read at once: a call for each chunk would cost more than its bytes. */
  #readChunks(bytes: Buffer, at: number, to: number): number {
    const chunks = this.#chunks
    const end = chunks.read(bytes, at, to)
    if (chunks.isOver) {
      // As if it followed a line end: trailers, empty or not, end with a blank line.
      this.#text = '\r\n'
      this.#state = inTrailers
    }
    // Data before a framing error still counts.
    if (chunks.dataTo > chunks.dataFrom) this.#sink.takeBody(bytes, chunks.dataFrom, chunks.dataTo)
    if (chunks.error !== null) throw broken(chunks.error)
    return end
  }

  #readTrailers(bytes: Buffer, at: number, to: number): number {
    const before = this.#text.length
    const text = this.#text + bytes.toString('latin1', at, Math.min(to, at + maxTrailerBytes + 4 - before))
    const end = text.indexOf('\r\n\r\n', Math.max(0, before - 3))
    if (end === -1) {
      if (text.length > maxTrailerBytes) throw new OutboundFailure('too_large', { reason: 'trailers' })
      this.#text = text
      return to
    }
    checkTrailers(text.slice(0, end))
    this.#text = ''
    this.#state = over
    return at + end + 4 - before
  }
}

function broken(reason: string): OutboundFailure {
  return new OutboundFailure('protocol', { reason })
}
