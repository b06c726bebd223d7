// Removes the framing from a chunked body as its bytes arrive, up to the line of the last chunk. Limits the framing in
// proportion to the body.

const inSize = 0
const inExtension = 1
const atSizeEnd = 2
const inChunk = 3
const atChunkReturn = 4
const atChunkEnd = 5
const over = 6

/** Enough for any size up to Number.MAX_SAFE_INTEGER. */
const maxSizeDigits = 13
/** A chunk of one byte needs five bytes of framing; a client that sends far more does so on purpose. */
const framingPerByte = 64
const freeFramingBytes = 16 * 1024
const [cr, lf, semicolon, space, tab, del] = [0x0d, 0x0a, 0x3b, 0x20, 0x09, 0x7f]

export type ChunkError = 'chunk' | 'chunk_size' | 'chunk_extension' | 'chunk_overhead'

export class ChunkReader {
  /** Where the data of the last read begins: it is moved together within the bytes that were read. */
  dataFrom = 0
  dataTo = 0
  /** Set if the last read stopped at a framing error. */
  error: ChunkError | null = null
  #state = over
  /** Bytes left of the current chunk. */
  #left = 0
  #digits = 0
  /** How much more framing is allowed before the next byte of the body. */
  #framingLeft = 0

  begin(): void {
    this.error = null
    this.#state = inSize
    this.#left = 0
    this.#digits = 0
    this.#framingLeft = freeFramingBytes
  }

  /** The line of the last chunk has been read. */
  get isOver(): boolean {
    return this.#state === over
  }

  /**
   * Returns where it stopped: at the end, after the line of the last chunk, or at an error. Moves the data within
   * `bytes`.
   */
  read(bytes: Buffer, from: number, to: number): number {
    this.dataFrom = from
    this.dataTo = from
    let at = from
    while (at < to && this.#state !== over) {
      if (this.#state === inChunk) at = this.#readData(bytes, at, to)
      else {
        this.error = this.#framingLeft-- > 0 ? this.#readFraming(bytes[at]!) : 'chunk_overhead'
        if (this.error !== null) return at
        at++
      }
    }
    return at
  }

  #readData(bytes: Buffer, at: number, to: number): number {
    const end = Math.min(to, at + this.#left)
    const size = end - at
    if (this.dataTo === this.dataFrom) {
      this.dataFrom = at
      this.dataTo = at
    } else if (size === 1) bytes[this.dataTo] = bytes[at]!
    else bytes.copyWithin(this.dataTo, at, end)
    this.dataTo += size
    this.#framingLeft += size * framingPerByte
    this.#left -= size
    if (this.#left === 0) this.#state = atChunkReturn
    return end
  }

  #readFraming(byte: number): ChunkError | null {
    switch (this.#state) {
      case inSize:
        return this.#readSize(byte)
      case inExtension:
        return this.#readExtension(byte)
      case atSizeEnd:
        return this.#endSize(byte)
      case atChunkReturn:
        this.#state = atChunkEnd
        return byte === cr ? null : 'chunk'
      default:
        this.#state = inSize
        return byte === lf ? null : 'chunk'
    }
  }

  #readSize(byte: number): ChunkError | null {
    const value = hexValue(byte)
    if (value >= 0) {
      this.#left = this.#left * 16 + value
      return ++this.#digits > maxSizeDigits ? 'chunk_size' : null
    }
    if (this.#digits === 0) return 'chunk_size'
    if (byte === cr) this.#state = atSizeEnd
    else if (byte === semicolon) this.#state = inExtension
    else return 'chunk_size'
    return null
  }

  #readExtension(byte: number): ChunkError | null {
    if (byte === cr) this.#state = atSizeEnd
    else if ((byte < space && byte !== tab) || byte === del) return 'chunk_extension'
    return null
  }

  #endSize(byte: number): ChunkError | null {
    if (byte !== lf) return 'chunk_size'
    this.#digits = 0
    this.#state = this.#left > 0 ? inChunk : over
    return null
  }
}

function hexValue(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}
