// Follows the request framing on a connection that the runtime's parser reads: stops what that parser accepts and our
// own reader does not, and joins the chunks of each read into one, because the runtime allocates a hundred bytes or
// more for each chunk. To stop the parser it feeds it a byte that the parser rejects.
import { chunkEnd, chunkStart } from '../body-framing.ts'
import { ChunkReader } from '../chunk-reader.ts'

type State =
  /** Before a request line, where empty lines are allowed. */
  | 'between'
  | 'head'
  | 'body'
  | 'chunks'
  | 'trailers'
  /**
   * The head's statement about the body makes the runtime or the listener reject the request, or the request is the
   * connection's last.
   */
  | 'unfollowed'
  | 'stopped'

const [cr, lf] = [0x0d, 0x0a]
const headEnd = '\r\n\r\n'
const lastChunkLine = Buffer.from('0\r\n')
const lineEnd = Buffer.from(chunkEnd)
/** Invalid at every position except in a body. */
const refusedByte = Buffer.from([0])
/** More than the parser allows, which does not count the blanks around values. */
const maxHeadBytes = 64 * 1024
/** The parser accepts any number of blanks as one. */
const requestLineGrammar = /^[^ ]+ [^ ]+ HTTP\/[0-9]\.[0-9]$/
const loneLineEnd = /\r[^\n]|[^\r]\n/
const framingHeader = /\r\n(content-length|transfer-encoding):[\t ]*([^\r]*?)[\t ]*(?=\r\n)/gi
const lengthGrammar = /^[0-9]{1,15}$/

export class RequestFraming {
  readonly #chunks = new ChunkReader()
  #state: State = 'between'
  /** The received part of an incomplete head. */
  #head = ''
  /** Bytes missing of a body with a content-length. */
  #left = 0
  /** How many bytes of the expected line end (in trailers: of two line ends) have arrived. */
  #matched = 0
  /** What the parser gets in place of this read's bytes up to `#replacedTo`. */
  #given: Buffer[] = []
  #replacedTo = 0
  #chunksRead = 0

  /** Returns what to feed the parser for these bytes, which may be changed. Empty once the connection was stopped. */
  read(bytes: Buffer): Buffer {
    this.#chunksRead = 0
    if (this.#state === 'stopped') return bytes.subarray(0, 0)
    this.#replacedTo = 0
    let at = 0
    while (at < bytes.length && !this.#isStopped()) at = this.#step(bytes, at)
    if (this.#isStopped()) this.#replace(bytes, at, bytes.length, [refusedByte])
    if (this.#replacedTo === 0 && this.#given.length === 0) return bytes
    this.#given.push(bytes.subarray(this.#replacedTo))
    const given = Buffer.concat(this.#given)
    this.#given = []
    return given
  }

  /** In the last read. */
  get chunksRead(): number {
    return this.#chunksRead
  }

  #isStopped(): boolean {
    return this.#state === 'stopped'
  }

  #step(bytes: Buffer, at: number): number {
    switch (this.#state) {
      case 'between':
        return this.#readEmptyLine(bytes[at]!, at)
      case 'head':
        return this.#readHead(bytes, at)
      case 'body':
        return this.#readBody(bytes, at)
      case 'chunks':
        return this.#readChunks(bytes, at)
      case 'trailers':
        return this.#readTrailer(bytes[at]!, at)
      default:
        return bytes.length
    }
  }

  #readEmptyLine(byte: number, at: number): number {
    const isReturn = byte === cr && this.#matched === 0
    const isFeed = byte === lf && this.#matched === 1
    if (isReturn || isFeed) {
      this.#matched = isReturn ? 1 : 0
      return at + 1
    }
    if (this.#matched === 1 || byte === lf) this.#state = 'stopped'
    else this.#state = 'head'
    return at
  }

  #readHead(bytes: Buffer, at: number): number {
    const before = this.#head.length
    const endInBytes = before === 0 ? bytes.indexOf(headEnd, at, 'latin1') : -1
    const pieceEnd = endInBytes < 0 ? Math.min(bytes.length, at + maxHeadBytes) : endInBytes + headEnd.length
    const text = this.#head + bytes.toString('latin1', at, pieceEnd)
    const end = text.indexOf(headEnd, Math.max(0, before - headEnd.length))
    const head = end < 0 ? text : text.slice(0, end + 2)
    if (!isSound(head, before) || head.length > maxHeadBytes) {
      this.#state = 'stopped'
      return at
    }
    if (end < 0) {
      this.#head = text
      return pieceEnd
    }
    this.#head = ''
    this.#beginBody(head)
    return at + end + headEnd.length - before
  }

  #beginBody(head: string): void {
    const framing = [...head.matchAll(framingHeader)]
    const [, name = '', value = ''] = framing[0] ?? []
    if (framing.length > 1 || head.startsWith('CONNECT ')) this.#state = 'unfollowed'
    else if (name === '') this.#state = 'between'
    else if (name.toLowerCase() === 'content-length' && lengthGrammar.test(value)) {
      this.#left = Number(value)
      this.#state = this.#left > 0 ? 'body' : 'between'
    } else if (value.toLowerCase() === 'chunked') {
      this.#chunks.begin()
      this.#state = 'chunks'
    } else this.#state = 'unfollowed'
  }

  #readBody(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#left)
    this.#left -= end - at
    if (this.#left === 0) this.#state = 'between'
    return end
  }

  #readChunks(bytes: Buffer, at: number): number {
    const chunks = this.#chunks
    const end = chunks.read(bytes, at, bytes.length)
    const { dataFrom, dataTo } = chunks
    this.#chunksRead += chunks.chunksRead
    const size = dataTo - dataFrom
    const chunk = size === 0 ? [] : [Buffer.from(chunkStart(size)), bytes.subarray(dataFrom, dataTo), lineEnd]
    this.#replace(bytes, at, end, chunks.isOver ? [...chunk, lastChunkLine] : chunk)
    if (chunks.error !== null) this.#state = 'stopped'
    else if (chunks.isOver) {
      this.#matched = 2
      this.#state = 'trailers'
    }
    return end
  }

  /** Trailers are passed on unchanged: the parser limits them. */
  #readTrailer(byte: number, at: number): number {
    const isNext = byte === (this.#matched % 2 === 0 ? cr : lf)
    this.#matched = isNext ? this.#matched + 1 : byte === cr ? 1 : 0
    if (this.#matched === 4) {
      this.#matched = 0
      this.#state = 'between'
    }
    return at + 1
  }

  #replace(bytes: Buffer, from: number, to: number, by: Buffer[]): void {
    if (from > this.#replacedTo) this.#given.push(bytes.subarray(this.#replacedTo, from))
    this.#given.push(...by)
    this.#replacedTo = to
  }
}

/** Checks a head, or the beginning of one; the first `checked` characters are known to be valid. */
function isSound(head: string, checked: number): boolean {
  const end = head.indexOf('\r\n')
  if (end >= 0 && end + 2 > checked && !requestLineGrammar.test(head.slice(0, end))) return false
  return !loneLineEnd.test(head.slice(Math.max(0, checked - 1)))
}
