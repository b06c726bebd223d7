// Takes an answer apart as its bytes come, whatever the cuts: interim answers passed over, the head, the body without its
// framing, the end. Throws OutboundFailure at the first byte that breaks the grammar. Knows no sockets.
import { OutboundFailure } from './outbound-failure.ts'
import { type AnswerHead, checkBeginning, checkTrailers, maxHeadBytes, parseHead } from './outbound-head.ts'

/** Who takes it. The bytes are the caller's memory, to be read before the call returns. */
export interface AnswerSink {
  /** False where it is one of those that may not go on for ever. */
  takeInterim(): boolean
  takeHead(head: AnswerHead): void
  takeBody(bytes: Buffer, from: number, to: number): void
  /** True while no more is wanted. */
  readonly isHeld: boolean
}

const inHead = 0
const inLength = 1
const untilClose = 2
const inSize = 3
const inExtension = 4
const atSizeEnd = 5
const inChunk = 6
const atChunkReturn = 7
const atChunkEnd = 8
const inTrailers = 9
const over = 10

/** Enough for any size that can be counted exactly. */
const maxSizeDigits = 13
const maxExtensionBytes = 1_024
const maxTrailerBytes = 16 * 1024
/** Of those that nobody asked for one is usual; without a bound they could go on for ever within the time. */
const maxInterim = 100
const [cr, lf, semicolon, space, tab, del] = [0x0d, 0x0a, 0x3b, 0x20, 0x09, 0x7f]

export class AnswerParser {
  readonly #sink: AnswerSink
  #state = over
  #isHeadRequest = false
  /** What has come of a head or of trailers. */
  #text = ''
  /** Of the body or of the chunk. */
  #left = 0
  #digits = 0
  #extension = 0
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

  /** Where it stopped: before `to` once the answer is over, or while its sink wants no more. */
  read(bytes: Buffer, from: number, to: number): number {
    let at = from
    while (at < to && this.#state !== over && !this.#sink.isHeld) at = this.#step(bytes, at, to)
    return at
  }

  /** The far end has closed; true where that is how this answer ends. */
  close(): boolean {
    if (this.#state === untilClose) this.#state = over
    return this.#state === over
  }

  #step(bytes: Buffer, at: number, to: number): number {
    switch (this.#state) {
      case inHead:
        return this.#readHead(bytes, at, to)
      case inLength:
      case inChunk:
        return this.#readCounted(bytes, at, to)
      case untilClose:
        this.#sink.takeBody(bytes, at, to)
        return to
      case inTrailers:
        return this.#readTrailers(bytes, at, to)
      default:
        this.#readFraming(bytes[at]!)
        return at + 1
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

  #takeHead(head: AnswerHead): void {
    if (head.status === 101) throw new OutboundFailure('reset', { reason: 'upgrade' })
    if (head.status < 200) {
      if (!this.#sink.takeInterim() && ++this.#interim > maxInterim) throw broken('interim')
      return
    }
    this.#left = head.length
    this.#digits = 0
    if (head.framing === 'none') this.#state = over
    else if (head.framing === 'length') this.#state = inLength
    else this.#state = head.framing === 'chunked' ? inSize : untilClose
    this.#sink.takeHead(head)
  }

  #readCounted(bytes: Buffer, at: number, to: number): number {
    const end = Math.min(to, at + this.#left)
    this.#left -= end - at
    if (this.#left === 0) this.#state = this.#state === inChunk ? atChunkReturn : over
    this.#sink.takeBody(bytes, at, end)
    return end
  }

  #readFraming(byte: number): void {
    if (this.#state === inSize) this.#readSize(byte)
    else if (this.#state === inExtension) this.#readExtension(byte)
    else if (this.#state === atSizeEnd) this.#endSize(byte)
    else if (this.#state === atChunkReturn) {
      if (byte !== cr) throw broken('chunk')
      this.#state = atChunkEnd
    } else {
      if (byte !== lf) throw broken('chunk')
      this.#state = inSize
    }
  }

  #readSize(byte: number): void {
    const value = hexValue(byte)
    if (value >= 0) {
      if (++this.#digits > maxSizeDigits) throw broken('chunk_size')
      this.#left = this.#left * 16 + value
    } else if (this.#digits === 0) throw broken('chunk_size')
    else if (byte === cr) this.#state = atSizeEnd
    else if (byte === semicolon) {
      this.#state = inExtension
      this.#extension = 0
    } else throw broken('chunk_size')
  }

  #readExtension(byte: number): void {
    if (byte === cr) this.#state = atSizeEnd
    else if ((byte < space && byte !== tab) || byte === del) throw broken('chunk_extension')
    else if (++this.#extension > maxExtensionBytes) throw broken('chunk_extension')
  }

  #endSize(byte: number): void {
    if (byte !== lf) throw broken('chunk_size')
    this.#digits = 0
    if (this.#left > 0) this.#state = inChunk
    else {
      // As if it were the end of a line before: trailers, or none, end with a blank line alike.
      this.#text = '\r\n'
      this.#state = inTrailers
    }
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

function hexValue(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}

function broken(reason: string): OutboundFailure {
  return new OutboundFailure('protocol', { reason })
}
