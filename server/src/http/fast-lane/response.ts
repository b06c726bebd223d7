// A response on the fast lane: builds its head, frames its body and writes both in as few writes as possible. Named and
// behaving like the runtime's ServerResponse, as far as the data plane uses it.
import type { Socket } from 'node:net'
import { type PendingWrite, writeAtEndOfTurn } from '../../sockets/end-of-turn-writes.ts'
import { AnswerHead } from '../answer-head.ts'
import { chunkEnd, chunkOf, chunkStart, inOneWrite, lastChunk } from '../body-framing.ts'
import type { PlaneResponse } from '../exchange.ts'
import type { FastLaneRequest } from './request.ts'

export interface FastLaneResponseOwner {
  readonly socket: Socket
  /** The header lines of every response that keeps its connection open. */
  readonly keepAliveLines: string
  /** The kernel has taken all of the response. */
  finished(response: FastLaneResponse): void
}

/** The phases of a response, in order; it never goes back. */
type Phase =
  /** The head may still change. */
  | 'open'
  /** The head is a text and waits for the first part of the body. */
  | 'settled'
  /** The head, and perhaps part of the body, is written. */
  | 'begun'
  /** The whole response is one text, to be written at the end of the turn. Skipped by a response that has begun. */
  | 'departing'
  /** The whole response is written. */
  | 'ended'
  /** The kernel has taken the whole response. */
  | 'finished'

const processing = 'HTTP/1.1 102 Processing\r\n\r\n'
const noListeners: ReadonlyArray<() => void> = []

export class FastLaneResponse implements PlaneResponse, PendingWrite {
  readonly req: FastLaneRequest
  statusCode = 200
  /** Whether the body needs chunk framing; the caller switches it off to frame the body itself. */
  chunkedEncoding = false
  shouldKeepAlive = true
  /** The connection no longer uses this response, regardless of its phase. */
  destroyed = false
  readonly #answering: FastLaneResponseOwner
  readonly #head = new AnswerHead()
  /** A response has about three listeners: these lists cost a tenth of an EventEmitter. */
  readonly #listeners = { close: noListeners, drain: noListeners }
  #onError: ((error: Error) => void) | null = null
  #phase: Phase = 'open'
  /** To be prepended to the next write: a settled head, or a whole departing response. */
  #unsent = ''
  /** How long the client may take nothing of the unsent rest; 0 means without limit. */
  #timeoutMs = 0

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

  /** Writes a whole small response at the end of the turn. */
  flush(): void {
    if (this.destroyed) return
    const { socket } = this.#answering
    this.#send('')
    if (this.#timeoutMs > 0 && socket.writableLength > 0) socket.setTimeout(this.#timeoutMs)
    this.#finishWhenSent()
  }

  /** A no-op after the connection has released the response: the connection may be serving the next one. */
  destroy(): void {
    if (!this.destroyed) this.#answering.socket.destroy()
  }

  setTimeout(ms: number): void {
    if (this.destroyed) return
    if (this.#phase === 'departing') this.#timeoutMs = ms
    else this.#answering.socket.setTimeout(ms)
  }

  /** The connection releases the response, complete or not. */
  close(): void {
    if (this.destroyed) return
    this.destroyed = true
    this.#notify('close')
  }

  /** The socket can take more data. */
  drained(): void {
    this.#notify('drain')
  }

  /** A later listener replaces an earlier one. */
  on(_event: 'error', listener: (error: Error) => void): void {
    this.#onError = listener
  }

  once(event: 'close' | 'drain', listener: () => void): void {
    this.#listeners[event] = [...this.#listeners[event], listener]
  }

  off(event: 'close' | 'drain', listener: () => void): void {
    this.#listeners[event] = this.#listeners[event].filter(each => each !== listener)
  }

  #notify(event: 'close' | 'drain'): void {
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
    if (!this.writableEnded) return this.destroyed
    this.#onError?.(new Error('written after the end of the answer'))
    return true
  }

  #hasBody(): boolean {
    return this.statusCode !== 204 && this.statusCode !== 304
  }

  #settle(): void {
    if (this.#head.get('connection') === 'close') this.shouldKeepAlive = false
    this.chunkedEncoding = this.#hasBody() && !this.#head.has('content-length')
    const ofConnection = this.shouldKeepAlive ? this.#answering.keepAliveLines : ''
    const ofBody = this.chunkedEncoding ? 'Transfer-Encoding: chunked\r\n' : ''
    this.#unsent = this.#head.text(this.statusCode, ofConnection + ofBody)
    this.#phase = 'settled'
  }

  /** Writes after what was not sent yet. */
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
    const isFlushed = socket.write(body)
    socket.uncork()
    return isFlushed
  }
}

/** Text with one character per byte if it is short, otherwise bytes. */
function bodyOf(chunk: string | Uint8Array, encoding: BufferEncoding): string | Buffer {
  if (typeof chunk !== 'string') return inOneWrite(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))
  if (encoding === 'latin1' || Buffer.byteLength(chunk, encoding) === chunk.length) return chunk
  return inOneWrite(Buffer.from(chunk, encoding))
}
