// Follows the requests on a connection whose bytes the runtime's parser gets: stops what that parser takes and our own reader
// does not, and joins the chunks of each reading into one, because the runtime makes objects of a hundred bytes and more for
// each. Knows no socket and answers nothing: at what is stopped here, the parser is given a byte that it refuses.
import { chunkEnd, chunkStart } from '../body-framing.ts'
import { ChunkReader } from '../chunk-reader.ts'

type State =
  /** Before a request line, where empty lines may stand. */
  | 'between'
  | 'head'
  | 'body'
  | 'chunks'
  | 'trailers'
  /** The runtime or the listener refuses the request for what its head says of the body, or it is the last one in HTTP. */
  | 'unfollowed'
  | 'stopped'

const [cr, lf] = [0x0d, 0x0a]
const headEnd = '\r\n\r\n'
const lastChunkLine = Buffer.from('0\r\n')
const lineEnd = Buffer.from(chunkEnd)
/** An error wherever it stands, except in a body. */
const refusedByte = Buffer.from([0])
/** Above what the parser allows, which does not count the blanks around values. */
const maxHeadBytes = 64 * 1024
/** The parser takes any number of blanks for one. */
const requestLineGrammar = /^[^ ]+ [^ ]+ HTTP\/[0-9]\.[0-9]$/
const loneLineEnd = /\r[^\n]|[^\r]\n/
const framingHeader = /\r\n(content-length|transfer-encoding):[\t ]*([^\r]*?)[\t ]*(?=\r\n)/gi
const lengthGrammar = /^[0-9]{1,15}$/

export class RequestFraming {
  readonly #chunks = new ChunkReader()
  #state: State = 'between'
  /** What has come of a head that is not complete. */
  #head = ''
  /** Bytes that are missing of a body whose length was told. */
  #left = 0
  /** How many bytes of the end of a line, or in trailers of two, have just come. */
  #matched = 0
  /** What the parser gets instead of the bytes of this reading up to `#replacedTo`. */
  #given: Buffer[] = []
  #replacedTo = 0
  #chunksRead = 0

  /** What the parser is to be given for these bytes, which may be changed. Empty behind what was stopped. */
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

  /** Of the last reading. */
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
    if (chunks.fault !== null) this.#state = 'stopped'
    else if (chunks.isOver) {
      this.#matched = 2
      this.#state = 'trailers'
    }
    return end
  }

  /** They go on as they are: the parser bounds them. */
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

/** Of a head, or of its beginning, of which the first `checked` characters were sound. */
function isSound(head: string, checked: number): boolean {
  const end = head.indexOf('\r\n')
  if (end >= 0 && end + 2 > checked && !requestLineGrammar.test(head.slice(0, end))) return false
  return !loneLineEnd.test(head.slice(Math.max(0, checked - 1)))
}
