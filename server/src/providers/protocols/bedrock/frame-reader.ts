// Splits a body of AWS's binary event stream into messages and checks both checksums of each. The layout: lengths of
// the message and of its headers, checksum of these 8 bytes, headers, payload, checksum of everything before it.
import { crc32 } from 'node:zlib'

import { EventFormatError } from '../../../http/event-reader.ts'

export interface Frame {
  /** The headers that are text, which are all that AWS uses: `:message-type`, `:event-type`, `:exception-type` … */
  headers: Record<string, string>
  payload: Buffer
}

const preludeBytes = 12
const checksumBytes = 4

/** The length of a header's value by its type; null: two bytes give the length. */
const valueLengths: readonly (number | null)[] = [0, 0, 1, 2, 4, 8, null, null, 8, 16]
const textType = 7

export class FrameReader {
  readonly #onFrame: (frame: Frame) => void
  readonly #maxBytes: number
  /** The message that is being read; only its first twelve bytes until its length is known. */
  #frame = Buffer.allocUnsafe(preludeBytes)
  #length = 0

  constructor(onFrame: (frame: Frame) => void, { maxBytes }: { maxBytes: number }) {
    this.#onFrame = onFrame
    this.#maxBytes = maxBytes
  }

  /** Whether the bytes so far end between two messages. */
  get isBetweenFrames(): boolean {
    return this.#length === 0
  }

  /** Throws EventFormatError at an invalid message, after the messages before it were handed over. */
  push(chunk: Uint8Array): void {
    let at = 0
    while (at < chunk.byteLength) {
      const taken = Math.min(chunk.byteLength - at, this.#frame.length - this.#length)
      this.#frame.set(chunk.subarray(at, at + taken), this.#length)
      this.#length += taken
      at += taken
      if (this.#length < this.#frame.length) return
      if (this.#length === preludeBytes) this.#frame = withSpace(this.#frame, this.#maxBytes)
      else {
        const frame = this.#frame
        this.#frame = Buffer.allocUnsafe(preludeBytes)
        this.#length = 0
        this.#onFrame(readFrame(frame))
      }
    }
  }
}

function withSpace(prelude: Buffer, maxBytes: number): Buffer<ArrayBuffer> {
  if (crc32(prelude.subarray(0, 8)) !== prelude.readUInt32BE(8)) throw new EventFormatError('checksum of the lengths')
  const total = prelude.readUInt32BE(0)
  const headerBytes = prelude.readUInt32BE(4)
  if (total > maxBytes || total < preludeBytes + headerBytes + checksumBytes) throw new EventFormatError('length')
  const frame = Buffer.allocUnsafe(total)
  prelude.copy(frame)
  return frame
}

function readFrame(frame: Buffer): Frame {
  const payloadEnd = frame.length - checksumBytes
  if (crc32(frame.subarray(0, payloadEnd)) !== frame.readUInt32BE(payloadEnd)) throw new EventFormatError('checksum')
  const headersEnd = preludeBytes + frame.readUInt32BE(4)
  const headers = readHeaders(frame.subarray(preludeBytes, headersEnd))
  return { headers, payload: frame.subarray(headersEnd, payloadEnd) }
}

function readHeaders(bytes: Buffer): Record<string, string> {
  const headers: Record<string, string> = Object.create(null)
  let at = 0
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new EventFormatError('headers')
    at += length
    return bytes.subarray(at - length, at)
  }
  while (at < bytes.length) {
    const name = take(take(1).readUInt8()).toString()
    const type = take(1).readUInt8()
    const fixed = valueLengths[type]
    if (fixed === undefined) throw new EventFormatError('headers')
    const value = take(fixed ?? take(2).readUInt16BE())
    if (type === textType) headers[name] = value.toString()
  }
  return headers
}
