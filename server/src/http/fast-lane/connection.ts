// Reads one client connection for as long as its requests are plain: splits the bytes into whole requests, answers one
// at a time, and hands the connection with its unread bytes to the runtime's server at the first request that is not
// plain, too large or too slow.
import type { Socket } from 'node:net'
import { adoptSocket, type Reader } from '../../sockets/shared-read-buffer.ts'
import type { BodyMemory } from '../body-memory.ts'
import { GrowingBuffer } from '../growing-buffer.ts'
import { FastLaneRequest } from './request.ts'
import { type FastLaneHead, FastLaneHeadReader } from './request-head.ts'
import { FastLaneResponse, type FastLaneResponseOwner } from './response.ts'

export interface FastLaneConnectionOwner {
  readonly keepAliveLines: string
  readonly bodies: BodyMemory
  readonly isDraining: () => boolean
  readonly now: () => number
  /** Answers the request; returns false, and does nothing, if the runtime's server has to answer it. */
  serve(request: FastLaneRequest, respond: () => FastLaneResponse): boolean
  /** The request is incomplete: start its timeout. */
  await(connection: FastLaneConnection): void
  /**
   * Gives up the connection: the unread bytes, and the end of input if it was seen, go to the runtime's server, which
   * keeps no view of them.
   */
  release(connection: FastLaneConnection, unread: readonly Buffer[], hasEnded: boolean): void
  forget(connection: FastLaneConnection): void
}

const maxHeadBytes = 8 * 1024
const maxBodyBytes = 64 * 1024
const headEnd = Buffer.from('\r\n\r\n')

export class FastLaneConnection implements FastLaneResponseOwner, Reader {
  readonly socket: Socket
  readonly keepAliveLines: string
  /** Since when no request is in progress; null during a request. */
  idleSince: number | null
  /** Since when the connection waits for its first request or for the rest of one; null if nothing is missing. */
  waitingSince: number | null = null
  readonly #owner: FastLaneConnectionOwner
  readonly #heads = new FastLaneHeadReader()
  /** Unread bytes: a view of the current read, or of `#kept`. */
  #unread: Buffer | null = null
  /** Holds the unread bytes across reads; may hold bytes before them that were read already. */
  #kept: GrowingBuffer | null = null
  /** The head of the request whose body is incomplete, and where that body ends. */
  #head: FastLaneHead | null = null
  #wholeBytes = 0
  #response: FastLaneResponse | null = null
  /** The client has closed its half: nothing follows the unread bytes. */
  #hasEnded = false
  /** The connection ends with the current response. */
  #isLast = false

  constructor(accepted: Socket, owner: FastLaneConnectionOwner) {
    const socket = adoptSocket(accepted, this)
    this.socket = socket
    this.#owner = owner
    this.keepAliveLines = owner.keepAliveLines
    this.idleSince = owner.now()
    socket.on('drain', this.#onDrain).on('end', this.#onEnd)
    socket.on('error', this.#onError).on('timeout', this.#onError).on('close', this.#onClose)
    this.#await()
  }

  /** Whether there is neither a part of a request nor a response in progress. */
  isIdle(): boolean {
    return this.#response === null && this.#unread === null
  }

  /** Ends the wait for the rest of a request, or for a first one. */
  giveUp(): void {
    if (this.#response === null) this.#release()
  }

  take(bytes: Buffer): void {
    if (this.#unread === null) this.#unread = bytes
    else if (!this.#append(this.#unread, bytes)) return
    if (this.#response === null) this.#next()
    // One request at a time: most of what the client sends meanwhile waits in the kernel.
    else if (this.#unread.length > maxBodyBytes) this.socket.pause()
    if (this.#unread?.buffer === bytes.buffer) this.#keep(this.#unread)
  }

  finished(response: FastLaneResponse): void {
    this.#response = null
    this.idleSince = this.#owner.now()
    // The handler may have set a timeout for its client.
    if (this.socket.timeout) this.socket.setTimeout(0)
    const isLast = this.#isLast || !response.shouldKeepAlive || this.#owner.isDraining()
    response.close()
    if (isLast || (this.#hasEnded && this.#unread === null)) this.socket.destroySoon()
    else if (this.#unread !== null) setImmediate(this.#goOn)
  }

  readonly #goOn = (): void => {
    if (this.socket.isPaused()) this.socket.resume()
    this.#next()
  }

  readonly #onDrain = (): void => this.#response?.drained()

  readonly #onEnd = (): void => {
    this.#hasEnded = true
    // A client that has closed its half still gets its response.
    if (this.#response !== null) return
    if (this.#unread === null) this.socket.destroy()
    else this.#release()
  }

  readonly #onError = (): void => void this.socket.destroy()

  readonly #onClose = (): void => {
    this.#owner.forget(this)
    this.#forgetUnread()
    this.#response?.close()
    this.#response = null
  }

  #next(): void {
    const unread = this.#unread
    if (unread === null || this.#response !== null || this.socket.destroyed) return
    const head = this.#head ?? this.#readHead(unread)
    if (head === null) return
    if (unread.length < this.#wholeBytes) {
      this.#await()
      return
    }
    const body = Buffer.from(unread.subarray(this.#wholeBytes - head.bodyBytes, this.#wholeBytes))
    const respond = () => this.#respond(request, unread)
    const request = new FastLaneRequest(head, body, this.socket)
    if (!this.#owner.serve(request, respond)) this.#release()
  }

  #await(): void {
    if (this.#hasEnded) this.#release()
    else if (this.waitingSince === null) {
      this.waitingSince = this.#owner.now()
      this.#owner.await(this)
    }
  }

  /** From here on the fast lane answers the request. */
  #respond(request: FastLaneRequest, unread: Buffer): FastLaneResponse {
    const response = new FastLaneResponse(request, this)
    this.#response = response
    if (unread.length > this.#wholeBytes) this.#unread = unread.subarray(this.#wholeBytes)
    else this.#forgetUnread()
    this.#head = null
    this.idleSince = null
    this.waitingSince = null
    return response
  }

  /** Returns null if the head is incomplete, or if it is not plain and the connection was handed over. */
  #readHead(unread: Buffer): FastLaneHead | null {
    const length = unread.indexOf(headEnd)
    if (length < 0 && unread.length <= maxHeadBytes) {
      this.#await()
      return null
    }
    const head = length < 0 || length > maxHeadBytes ? null : this.#heads.read(unread.toString('latin1', 0, length))
    if (head === null || head.bodyBytes > maxBodyBytes) {
      this.#release()
      return null
    }
    this.#head = head
    this.#wholeBytes = length + headEnd.length + head.bodyBytes
    return head
  }

  /** Appends to the unread bytes. Returns false if there is no memory for them, and reading has stopped. */
  #append(unread: Buffer, bytes: Buffer): boolean {
    // Otherwise the bytes before it, which were read already, would be kept forever.
    if (this.#kept === null || this.#kept.length > unread.length) this.#keep(unread)
    if (this.#kept?.add(bytes) === true) {
      this.#unread = this.#kept.whole()
      return true
    }
    if (this.#response === null) this.#release(bytes)
    else this.#stopReading(this.#response)
    return false
  }

  #keep(unread: Buffer): void {
    const before = this.#kept
    this.#kept = new GrowingBuffer(Number.MAX_SAFE_INTEGER, this.#owner.bodies)
    before?.release()
    if (this.#kept.add(unread)) this.#unread = this.#kept.whole()
    else if (this.#response === null) this.#release()
    else this.#stopReading(this.#response)
  }

  #forgetUnread(): void {
    this.#unread = null
    this.#kept?.release()
    this.#kept = null
  }

  /** There is no memory for pipelined requests: the client repeats them on another connection. */
  #stopReading(response: FastLaneResponse): void {
    this.socket.pause()
    this.#forgetUnread()
    this.#isLast = true
    if (!response.headersSent) response.setHeader('connection', 'close')
  }

  /** `more` is what was read after the unread bytes and not kept. */
  #release(more?: Buffer): void {
    const { socket } = this
    socket.off('drain', this.#onDrain).off('end', this.#onEnd)
    socket.off('error', this.#onError).off('timeout', this.#onError).off('close', this.#onClose)
    const unread = [this.#unread, more].filter(bytes => bytes != null)
    const kept = this.#kept
    this.#unread = null
    this.#kept = null
    this.#owner.release(this, unread, this.#hasEnded)
    kept?.release()
  }
}
