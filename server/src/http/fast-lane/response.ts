// An answer on a plain connection: gathers its head, frames its body, and gives both to the socket in as few writes as
// can be. Named and behaving like the runtime's ServerResponse, as far as the data plane uses it.
import type { Socket } from 'node:net'
import { type PendingWrite, writeAtEndOfTurn } from '../../sockets/end-of-turn-writes.ts'
import { AnswerHead } from '../answer-head.ts'
import { chunkEnd, chunkOf, chunkStart, inOneWrite, lastChunk } from '../body-framing.ts'
import type { PlaneResponse } from '../exchange.ts'
import type { FastLaneRequest } from './request.ts'

export interface FastLaneResponseOwner {
  readonly socket: Socket
  /** What every answer that keeps its connection says of it. */
  readonly keepAliveLines: string
  /** All of the answer is with the kernel. */
  finished(response: FastLaneResponse): void
}

/** What has become of an answer; it only ever goes down this list. */
type Phase =
  /** Its head may change. */
  | 'open'
  /** Its head is a text, which waits for the first of the body. */
  | 'settled'
  /** Its head is written, and perhaps some of its body. */
  | 'begun'
  /** All of it is one text, which leaves at the end of the turn. Not of an answer that has begun. */
  | 'departing'
  /** All of it is written. */
  | 'ended'
  /** All of it is with the kernel. */
  | 'finished'

const processing = 'HTTP/1.1 102 Processing\r\n\r\n'
const noListeners: ReadonlyArray<() => void> = []

export class FastLaneResponse implements PlaneResponse, PendingWrite {
  readonly req: FastLaneRequest
  statusCode = 200
  chunkedEncoding = false
  shouldKeepAlive = true
  /** The connection is done with it, in whatever phase it is. */
  destroyed = false
  readonly #answering: FastLaneResponseOwner
  readonly #head = new AnswerHead()
  /** Some three a request: lists of our own cost a tenth of an emitter's. */
  readonly #listeners = { close: noListeners, drain: noListeners }
  #onError: ((error: Error) => void) | null = null
  #phase: Phase = 'open'
  /** By its head: whoever writes the framing of the body himself switches ours off. */
  #isFramed = false
  /** What leaves with the next write: a settled head, or all of a departing answer. */
  #unsent = ''
  /** How long the client may take nothing of what did not leave at once; 0 for as long as it likes. */
  #patienceMs = 0

  constructor(request: FastLaneRequest, answering: FastLaneResponseOwner) {
    this.req = request
    this.#answering = answering
  }

  get socket(): Socket | null {
    return this.writableFinished ? null : this.#answering.socket
  }

  get headersSent(): boolean {
    return this.#phase !== 'open'
  }

  get writableEnded(): boolean {
    return this.#phase === 'departing' || this.#phase === 'ended' || this.#phase === 'finished'
  }

  get writableFinished(): boolean {
    return this.#phase === 'finished'
  }

  /** Whether what is written next begins with the size of a chunk. */
  get isBetweenChunks(): boolean {
    return this.#phase === 'begun' && this.#isFramed
  }

  get writableNeedDrain(): boolean {
    return !this.destroyed && this.#answering.socket.writableNeedDrain
  }

  setHeader(name: string, value: string | number): void {
    if (this.#phase !== 'open') throw new Error('the head of this answer is settled')
    this.#head.set(name, value)
  }

  getHeader(name: string): string | undefined {
    return this.#head.get(name)
  }

  hasHeader(name: string): boolean {
    return this.#head.has(name)
  }

  writeHead(status: number, headers: Record<string, string | number> = {}): void {
    if (this.#phase !== 'open') throw new Error('the head of this answer is settled')
    this.statusCode = status
    for (const name in headers) this.#head.set(name, headers[name]!)
    this.#settle()
  }

  flushHeaders(): void {
    if (this.#phase === 'open') this.#settle()
    if (this.#phase === 'settled') this.#send('')
  }

  writeProcessing(): void {
    if (this.#phase === 'open' && !this.destroyed) this.#answering.socket.write(processing, 'latin1')
  }

  write(chunk: string | Uint8Array, encoding: BufferEncoding = 'utf8'): boolean {
    if (this.#isTooLate()) return false
    if (this.#phase === 'open') this.#settle()
    const body = bodyOf(chunk, encoding)
    if (body.length === 0) return true
    if (!this.chunkedEncoding) return this.#send(body)
    if (typeof body === 'string') return this.#send(chunkOf(body))
    this.#send(chunkStart(body.length))
    this.#send(body)
    return this.#send(chunkEnd)
  }

  end(chunk: string | Uint8Array = '', encoding: BufferEncoding = 'utf8'): void {
    if (this.#isTooLate()) return
    const body = bodyOf(chunk, encoding)
    if (this.#phase === 'open') {
      if (this.#hasBody() && !this.#head.has('content-length')) this.#head.set('content-length', body.length)
      this.#settle()
    }
    if (this.#phase === 'settled' && !this.chunkedEncoding && typeof body === 'string') {
      this.#phase = 'departing'
      if (this.#hasBody()) this.#unsent += body
      writeAtEndOfTurn(this)
      return
    }
    if (body.length > 0 && this.#hasBody()) this.write(body, 'latin1')
    this.#send(this.chunkedEncoding ? lastChunk : '')
    this.#finishWhenSent()
  }

  /** A whole small answer, in its turn. */
  depart(): void {
    if (this.destroyed) return
    const { socket } = this.#answering
    this.#send('')
    if (this.#patienceMs > 0 && socket.writableLength > 0) socket.setTimeout(this.#patienceMs)
    this.#finishWhenSent()
  }

  /** Once the connection is done with it, it may be under the next answer already. */
  destroy(): void {
    if (!this.destroyed) this.#answering.socket.destroy()
  }

  setTimeout(ms: number): void {
    if (this.destroyed) return
    if (this.#phase === 'departing') this.#patienceMs = ms
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
    this.#phase = 'ended'
    if (socket.writableLength === 0) this.#finish()
    else socket.write('', () => this.#finish())
  }

  #finish(): void {
    if (this.destroyed || this.#answering.socket.destroyed) return
    this.#phase = 'finished'
    this.#answering.finished(this)
  }

  #isTooLate(): boolean {
    if (this.writableEnded) this.#onError?.(new Error('written after the end of the answer'))
    return this.writableEnded || this.destroyed
  }

  #hasBody(): boolean {
    return this.statusCode !== 204 && this.statusCode !== 304
  }

  #settle(): void {
    if (this.#head.get('connection') === 'close') this.shouldKeepAlive = false
    this.#isFramed = this.#hasBody() && !this.#head.has('content-length')
    this.chunkedEncoding = this.#isFramed
    const ofConnection = this.shouldKeepAlive ? this.#answering.keepAliveLines : ''
    const ofBody = this.#isFramed ? 'Transfer-Encoding: chunked\r\n' : ''
    this.#unsent = this.#head.text(this.statusCode, ofConnection + ofBody)
    this.#phase = 'settled'
  }

  /** Behind what was not sent yet. */
  #send(body: string | Buffer): boolean {
    const { socket } = this.#answering
    const unsent = this.#unsent
    this.#unsent = ''
    if (this.#phase === 'settled') this.#phase = 'begun'
    if (typeof body === 'string') {
      const text = unsent + body
      return text === '' || socket.write(text, 'latin1')
    }
    if (unsent === '') return socket.write(body)
    socket.cork()
    socket.write(unsent, 'latin1')
    const hasRoom = socket.write(body)
    socket.uncork()
    return hasRoom
  }
}

/** As a text with one character for each byte where it is short, else as bytes. */
function bodyOf(chunk: string | Uint8Array, encoding: BufferEncoding): string | Buffer {
  if (typeof chunk !== 'string') return inOneWrite(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))
  if (encoding === 'latin1' || Buffer.byteLength(chunk, encoding) === chunk.length) return chunk
  return inOneWrite(Buffer.from(chunk, encoding))
}
