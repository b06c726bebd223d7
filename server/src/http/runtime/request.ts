// A request whose head the runtime's server has read: gathers its body in memory of bounded size from the first byte on,
// whether somebody waits for it yet or not. As a stream it has no data, only an end: resumed, it drops what still comes. Knows
// nothing of what the body says.
import { IncomingMessage } from 'node:http'
import { Refusal } from '../../domain/errors.ts'
import type { BodyMemory } from '../body-memory.ts'
import { GrowingBuffer } from '../growing-buffer.ts'

export interface BodyLimits {
  maxBytes: number
  /** For the whole of it. */
  timeoutMs?: number
}

interface Reading {
  readonly maxBytes: number
  resolve(body: Buffer): void
  reject(refusal: Refusal): void
}

const usualTimeoutMs = 30_000
/** Of a body that nobody has asked for no more is read. */
const unaskedBytes = 64 * 1024
const noBody = Buffer.alloc(0)

export class RuntimeRequest extends IncomingMessage {
  /** Null while nobody may want the body, and once nobody does. */
  #memory: BodyMemory | null = null
  #body: GrowingBuffer | null = null
  #reading: Reading | null = null
  /** Why nobody gets the body. */
  #refusal: Refusal | null = null

  /** From here on the body is gathered; without it, it is dropped as it comes. */
  gatherBody(memory: BodyMemory): void {
    this.#memory = memory
  }

  /** The runtime calls it for each piece of the body, and with null at its end. False asks it to read no more for now. */
  override push(piece: Buffer | null): boolean {
    if (piece === null) {
      this.#reading?.resolve(this.#wholeBody())
      return super.push(null)
    }
    // What flows and is not read here is dropped.
    const isFlowing = this.readableFlowing === true
    if (this.#memory === null || (isFlowing && this.#reading === null)) return true
    if (this.#refusal === null) this.#gather(this.#memory, piece)
    return isFlowing || (this.#refusal === null && this.#gatheredBytes < unaskedBytes)
  }

  /** At once where all of it is there. What is wrong with it by then is thrown, and what is later, rejected. */
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

  /** Nobody wants the body any more. */
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
