// An answer on a plain connection: gathers its head, frames its body, and gives both to the socket in as few writes as
// can be. Named and behaving like the runtime's ServerResponse, as far as the data plane uses it.
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type Departing, departSoon } from './departures.ts'
import type { PlainRequest } from './plain-request.ts'
import type { PlaneResponse } from './plane-exchange.ts'
import { rememberHeld } from './remember.ts'

export interface PlainAnswering {
  readonly socket: Socket
  /** What every answer that keeps its connection says of it. */
  readonly keepAliveLines: string
  /** All of the answer is with the kernel. */
  finished(response: PlainResponse): void
}

const notInValue = /[^\t\x20-\x7e\x80-\xff]/
const nameGrammar = /^[A-Za-z0-9-]+$/
/** Nearly all of them stand in our sources. */
const lowerName = rememberHeld((name: string) => {
  if (!nameGrammar.test(name)) throw new TypeError('invalid character in the name of a header')
  return name.toLowerCase()
}, 500)
const noListeners: ReadonlyArray<() => void> = []
/** Up to this size a body leaves as text together with its head; as bytes it would take a gathering write, which costs more. */
const oneWriteBytes = 16 * 1024

export class PlainResponse implements PlaneResponse, Departing {
  readonly req: PlainRequest
  statusCode = 200
  chunkedEncoding = false
  shouldKeepAlive = true
  headersSent = false
  writableEnded = false
  writableFinished = false
  destroyed = false
  readonly #answering: PlainAnswering
  readonly #names: string[] = []
  readonly #values: string[] = []
  /** Some three a request: lists of our own cost a tenth of an emitter's. */
  readonly #listeners = { close: noListeners, drain: noListeners }
  #onError: ((error: Error) => void) | null = null
  /** The head, from when it is settled until it is written. */
  #head = ''
  /** The body of a small answer that is ready to leave with its head. */
  #departing = ''
  /** How long the client may take nothing of what did not leave at once; 0 for as long as it likes. */
  #patienceMs = 0

  constructor(request: PlainRequest, answering: PlainAnswering) {
    this.req = request
    this.#answering = answering
  }

  get socket(): Socket | null {
    return this.writableFinished ? null : this.#answering.socket
  }

  get writableNeedDrain(): boolean {
    return !this.destroyed && this.#answering.socket.writableNeedDrain
  }

  setHeader(name: string, value: string | number): void {
    if (this.headersSent) throw new Error('the head of this answer is settled')
    const text = String(value)
    const lowered = lowerName(name)
    if (typeof value === 'string' && notInValue.test(value)) throw new TypeError('invalid character in a header')
    const known = this.#names.indexOf(lowered)
    if (known >= 0) this.#values[known] = text
    else {
      this.#names.push(lowered)
      this.#values.push(text)
    }
  }

  getHeader(name: string): string | undefined {
    const at = this.#names.indexOf(name.toLowerCase())
    return at < 0 ? undefined : this.#values[at]
  }

  hasHeader(name: string): boolean {
    return this.#names.includes(name.toLowerCase())
  }

  writeHead(status: number, headers: Record<string, string | number> = {}): void {
    this.statusCode = status
    for (const name in headers) this.setHeader(name, headers[name]!)
    this.#settleHead()
  }

  flushHeaders(): void {
    if (!this.headersSent) this.#settleHead()
    this.#send('')
  }

  write(chunk: string | Uint8Array, encoding: BufferEncoding = 'utf8'): boolean {
    if (this.#isTooLate()) return false
    if (!this.headersSent) this.#settleHead()
    const body = asText(chunk, encoding)
    if (body.length === 0) return true
    if (!this.chunkedEncoding) return this.#send(body)
    const size = body.length.toString(16)
    if (typeof body === 'string') return this.#send(`${size}\r\n${body}\r\n`)
    this.#send(`${size}\r\n`)
    this.#send(body)
    return this.#send('\r\n')
  }

  end(chunk: string | Uint8Array = '', encoding: BufferEncoding = 'utf8'): void {
    if (this.#isTooLate()) return
    const body = asText(chunk, encoding)
    if (!this.headersSent) {
      if (this.#hasBody() && !this.hasHeader('content-length')) this.setHeader('content-length', body.length)
      this.#settleHead()
    }
    if (this.#head !== '' && !this.chunkedEncoding && typeof body === 'string') {
      this.writableEnded = true
      this.#departing = this.#hasBody() ? body : ''
      departSoon(this)
      return
    }
    if (body.length > 0 && this.#hasBody()) this.write(body, 'latin1')
    this.#send(this.chunkedEncoding ? '0\r\n\r\n' : '')
    this.writableEnded = true
    this.#finishWhenSent()
  }

  /** A whole small answer, in its turn. */
  depart(): void {
    if (this.destroyed) return
    const { socket } = this.#answering
    this.#send(this.#departing)
    if (this.#patienceMs > 0 && socket.writableLength > 0) socket.setTimeout(this.#patienceMs)
    this.#finishWhenSent()
  }

  /** Once it is over, the connection may be under the next answer already. */
  destroy(): void {
    if (!this.destroyed) this.#answering.socket.destroy()
  }

  setTimeout(ms: number): void {
    if (this.destroyed) return
    const isStillToDepart = this.writableEnded && this.#head !== ''
    if (isStillToDepart) this.#patienceMs = ms
    else this.#answering.socket.setTimeout(ms)
  }

  /** The connection is done with it, well or not. */
  close(): void {
    if (this.destroyed) return
    this.destroyed = true
    this.#tell('close')
  }

  /** There is room again for what is written. */
  drained(): void {
    this.#tell('drain')
  }

  /** A later one takes the place of an earlier one. */
  on(_event: 'error', listener: (error: Error) => void): void {
    this.#onError = listener
  }

  once(event: 'close' | 'drain', listener: () => void): void {
    this.#listeners[event] = [...this.#listeners[event], listener]
  }

  off(event: 'close' | 'drain', listener: () => void): void {
    this.#listeners[event] = this.#listeners[event].filter(each => each !== listener)
  }

  #tell(event: 'close' | 'drain'): void {
    const listeners = this.#listeners[event]
    this.#listeners[event] = noListeners
    for (const listener of listeners) listener()
  }

  #finishWhenSent(): void {
    const { socket } = this.#answering
    if (socket.writableLength === 0) this.#finish()
    else socket.write('', () => this.#finish())
  }

  #finish(): void {
    if (this.destroyed || this.#answering.socket.destroyed) return
    this.writableFinished = true
    this.#answering.finished(this)
  }

  #isTooLate(): boolean {
    if (this.writableEnded) this.#onError?.(new Error('written after the end of the answer'))
    return this.writableEnded || this.destroyed
  }

  #hasBody(): boolean {
    return this.statusCode !== 204 && this.statusCode !== 304
  }

  #settleHead(): void {
    if (this.getHeader('connection') === 'close') this.shouldKeepAlive = false
    this.chunkedEncoding = this.#hasBody() && !this.hasHeader('content-length')
    let head = `HTTP/1.1 ${this.statusCode} ${STATUS_CODES[this.statusCode] ?? 'Unknown'}\r\n`
    for (let at = 0; at < this.#names.length; at++) head += `${this.#names[at]}: ${this.#values[at]}\r\n`
    head += dateLine()
    if (this.shouldKeepAlive) head += this.#answering.keepAliveLines
    this.#head = `${head}${this.chunkedEncoding ? 'Transfer-Encoding: chunked\r\n\r\n' : '\r\n'}`
    this.headersSent = true
  }

  #send(body: string | Buffer): boolean {
    const { socket } = this.#answering
    const head = this.#head
    this.#head = ''
    if (typeof body === 'string') {
      const text = head + body
      return text === '' || socket.write(text, 'latin1')
    }
    if (head === '') return socket.write(body)
    socket.cork()
    socket.write(head, 'latin1')
    const hasRoom = socket.write(body)
    socket.uncork()
    return hasRoom
  }
}

/** As a text with one character for each byte where it is short, else as bytes. */
function asText(chunk: string | Uint8Array, encoding: BufferEncoding): string | Buffer {
  if (typeof chunk === 'string') {
    if (encoding === 'latin1' || Buffer.byteLength(chunk, encoding) === chunk.length) return chunk
    return asText(Buffer.from(chunk, encoding), encoding)
  }
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  return bytes.length <= oneWriteBytes ? bytes.toString('latin1') : bytes
}

let dateAt = 0
let dateText = ''

function dateLine(): string {
  const now = Date.now()
  if (now - dateAt >= 1_000 || now < dateAt) {
    dateAt = now - (now % 1_000)
    dateText = `Date: ${new Date(now).toUTCString()}\r\n`
  }
  return dateText
}
