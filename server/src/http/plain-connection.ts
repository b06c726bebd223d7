// One client connection for as long as all that comes on it is plain: takes the bytes apart into whole requests, has one
// at a time answered, and hands the connection over to the runtime's server, unread bytes and all, at the first request
// that is not plain, too large or too slow. Knows no plane.
import type { Socket } from 'node:net'
import { type PlainHead, PlainHeadReader } from './plain-head.ts'
import { PlainRequest } from './plain-request.ts'
import { type PlainAnswering, PlainResponse } from './plain-response.ts'
import { acceptSharing, type Reader, readBySharing } from './shared-reading.ts'

export interface PlainKeeper {
  readonly keepAliveLines: string
  readonly isDraining: () => boolean
  readonly now: () => number
  /** Has the request answered; false, and nothing done, where it is the runtime's to answer. */
  serve(request: PlainRequest, respond: () => PlainResponse): boolean
  /** Something is missing: to be looked after. */
  await(connection: PlainConnection): void
  /** Not ours any more: what was not read yet goes on to the runtime, which keeps no view of it, and perhaps the end of it all. */
  release(connection: PlainConnection, socket: Socket, unread: Buffer | null, hasEnded: boolean): void
  forget(connection: PlainConnection): void
}

const mostHeadBytes = 8 * 1024
const mostBodyBytes = 64 * 1024
/** What still comes when the runtime has given a connection up. */
const nobody: Reader = { take: () => undefined }
const headEnd = Buffer.from('\r\n\r\n')

export class PlainConnection implements PlainAnswering, Reader {
  readonly socket: Socket
  readonly keepAliveLines: string
  /** Since when nothing was asked; null while something is. */
  idleSince: number | null
  /** Since when the rest of a request is missing, or a first one; null where nothing is missing. */
  waitingSince: number | null = null
  readonly #keeper: PlainKeeper
  readonly #heads = new PlainHeadReader()
  #unread: Buffer | null = null
  /** The head of the request whose body is still to come, and where that ends. */
  #head: PlainHead | null = null
  #wholeBytes = 0
  #response: PlainResponse | null = null

  constructor(accepted: Socket, keeper: PlainKeeper) {
    const socket = acceptSharing(accepted, this)
    this.socket = socket
    this.#keeper = keeper
    this.keepAliveLines = keeper.keepAliveLines
    this.idleSince = keeper.now()
    socket.on('drain', this.#onDrain).on('end', this.#onEnd)
    socket.on('error', this.#onError).on('timeout', this.#onError).on('close', this.#onClose)
    this.#await()
  }

  /** Whether nothing of a request is here, nor an answer under way. */
  isIdle(): boolean {
    return this.#response === null && this.#unread === null
  }

  /** The rest of the request is long in coming, or nothing ever came. */
  giveUp(): void {
    if (this.#response === null) this.#release(false)
  }

  take(bytes: Buffer): void {
    this.#unread = this.#unread === null ? bytes : Buffer.concat([this.#unread, bytes])
    if (this.#response === null) this.#next()
    // One request after another: what is asked meanwhile waits, the most of it in the kernel.
    else if (this.#unread.length > mostBodyBytes) this.socket.pause()
    if (this.#unread?.buffer === bytes.buffer) this.#unread = Buffer.from(this.#unread)
  }

  finished(response: PlainResponse): void {
    this.#response = null
    this.idleSince = this.#keeper.now()
    // Whoever answered may have bounded the client's patience.
    if (this.socket.timeout) this.socket.setTimeout(0)
    const isLast = !response.shouldKeepAlive || this.#keeper.isDraining()
    response.close()
    if (isLast) this.socket.destroySoon()
    else if (this.#unread !== null) setImmediate(this.#goOn)
  }

  readonly #goOn = (): void => {
    if (this.socket.isPaused()) this.socket.resume()
    this.#next()
  }

  readonly #onDrain = (): void => this.#response?.drained()

  readonly #onEnd = (): void => {
    if (this.#response !== null || this.#unread === null) this.socket.destroy()
    else this.#release(true)
  }

  readonly #onError = (): void => void this.socket.destroy()

  readonly #onClose = (): void => {
    this.#keeper.forget(this)
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
    const request = new PlainRequest(head, body, this.socket)
    if (!this.#keeper.serve(request, respond)) this.#release(false)
  }

  #await(): void {
    if (this.waitingSince !== null) return
    this.waitingSince = this.#keeper.now()
    this.#keeper.await(this)
  }

  /** From here on the request is ours. */
  #respond(request: PlainRequest, unread: Buffer): PlainResponse {
    const response = new PlainResponse(request, this)
    this.#response = response
    this.#unread = unread.length > this.#wholeBytes ? unread.subarray(this.#wholeBytes) : null
    this.#head = null
    this.idleSince = null
    this.waitingSince = null
    return response
  }

  /** Null where there is none yet, or there never will be and the connection is not ours any more. */
  #readHead(unread: Buffer): PlainHead | null {
    const length = unread.indexOf(headEnd)
    if (length < 0 && unread.length <= mostHeadBytes) {
      this.#await()
      return null
    }
    const head = length < 0 || length > mostHeadBytes ? null : this.#heads.read(unread.toString('latin1', 0, length))
    if (head === null || head.bodyBytes > mostBodyBytes) {
      this.#release(false)
      return null
    }
    this.#head = head
    this.#wholeBytes = length + headEnd.length + head.bodyBytes
    return head
  }

  #release(hasEnded: boolean): void {
    const { socket } = this
    readBySharing(socket, nobody)
    socket.off('drain', this.#onDrain).off('end', this.#onEnd)
    socket.off('error', this.#onError).off('timeout', this.#onError).off('close', this.#onClose)
    const unread = this.#unread
    this.#unread = null
    this.#keeper.release(this, socket, unread, hasEnded)
  }
}
