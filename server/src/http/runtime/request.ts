// A request whose head the runtime's server has read: collects its body in bounded memory from the first byte, before a
// handler reads it. As a stream it has no data, only an end; when resumed, it drops the rest.
import { Refusal } from '../../domain/errors.ts'
import { waitForTurn } from '../../sockets/read-turns.ts'
import type { BodyMemory } from '../body-memory.ts'
import { GrowingBuffer } from '../growing-buffer.ts'
import { IncomingMessage } from '../runtime-http.ts'

export interface BodyLimits {
  maxBytes: number
  /** The timeout for the whole body. */
  timeoutMs?: number
}

interface Reading {
  readonly maxBytes: number
  resolve(body: Buffer): void
  reject(refusal: Refusal): void
}

const usualTimeoutMs = 30_000
/** Reading pauses at this size until a handler reads the body. */
const maxUnreadBytes = 64 * 1024
/** A body in smaller chunks than this on average is rejected: each costs more than a microsecond. */
const minPieceBytes = 16
const freePieces = 4_096
/** After so many, other connections are read first. */
const piecesPerTurn = 512
const noBody = Buffer.alloc(0)

export class RuntimeRequest extends IncomingMessage {
  /** Null before the body is wanted, and after it was released. */
  #memory: BodyMemory | null = null
  #body: GrowingBuffer | null = null
  #reading: Reading | null = null
  #pieces = 0
  #pieceBytes = 0
  /** Why the body cannot be read. */
  #refusal: Refusal | null = null

  /** Starts to collect the body; without this call it is dropped as it arrives. */
  gatherBody(memory: BodyMemory): void {
    this.#memory = memory
  }

  /** The runtime calls this for each piece of the body, and with null at its end. Returning false pauses the input. */
  override push(piece: Buffer | null): boolean {
    if (piece === null) {
      this.#reading?.resolve(this.#wholeBody())
      return super.push(null)
    }
    if (this.#isTooFine(piece.length)) {
      if (this.#refusal === null) this.#refuse('bad_request', { headers: { connection: 'close' } })
      return false
    }
    // A flowing stream drops what is not read here.
    const isFlowing = this.readableFlowing === true
    if (this.#memory === null || (isFlowing && this.#reading === null)) return true
    if (this.#refusal === null) this.#gather(this.#memory, piece)
    return isFlowing || (this.#refusal === null && this.#gatheredBytes < maxUnreadBytes)
  }

  /**
   * Returns the body itself if it is complete. An error that is known by then is thrown; a later one rejects the
   * promise.
   */
  readBody({ maxBytes, timeoutMs = usualTimeoutMs }: BodyLimits): Buffer | Promise<Buffer> {
    const gathered = this.#gatheredBytes
    if (Math.max(this.#announcedBytes, gathered) > maxBytes) throw new Refusal('payload_too_large')
    if (this.#refusal !== null) throw this.#refusal
    if (this.complete || (gathered > 0 && gathered === this.#announcedBytes)) return this.#wholeBody()
    if (this.destroyed) throw new Refusal('bad_request')
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
    const timer = setTimeout(() => this.#refuse('request_timeout', { headers: { connection: 'close' } }), timeoutMs)
    const onClose = () => this.#refuse('bad_request')
    const settle = () => {
      clearTimeout(timer)
      this.off('close', onClose)
      this.#reading = null
    }
    this.#reading = {
      maxBytes,
      resolve(body) {
        settle()
        resolve(body)
      },
      reject(refusal) {
        settle()
        reject(refusal)
      },
    }
    this.once('close', onClose)
    this.resume()
    return promise
  }

  /** The body is no longer needed. */
  freeBody(): void {
    this.#body?.release()
    this.#body = null
    this.#memory = null
  }

  get #announcedBytes(): number {
    return Number(this.headers['content-length'] ?? 0)
  }

  get #gatheredBytes(): number {
    return this.#body?.length ?? 0
  }

  #wholeBody(): Buffer {
    return this.#body?.whole() ?? noBody
  }

  /** Counts the chunks, as which the runtime passes on a chunked body. */
  #isTooFine(bytes: number): boolean {
    this.#pieceBytes += bytes
    this.#pieces++
    if (this.#pieces % piecesPerTurn === 0 && !this.socket.isPaused()) waitForTurn(this.socket)
    const isMany = this.#pieces > freePieces + this.#pieceBytes / minPieceBytes
    return isMany && this.headers['transfer-encoding'] !== undefined
  }

  #gather(memory: BodyMemory, piece: Buffer): void {
    this.#body ??= new GrowingBuffer(this.#announcedBytes || Number.MAX_SAFE_INTEGER, memory)
    const maxBytes = this.#reading?.maxBytes
    if (maxBytes !== undefined && this.#body.length + piece.length > maxBytes) this.#refuse('payload_too_large')
    else if (!this.#body.add(piece)) this.#refuse('too_many_bodies', { retryAfterSeconds: 1 })
  }

  #refuse(...what: ConstructorParameters<typeof Refusal>): void {
    this.#refusal = new Refusal(...what)
    this.#body?.release()
    this.#reading?.reject(this.#refusal)
  }
}
