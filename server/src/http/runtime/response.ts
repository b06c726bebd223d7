// An answer that the runtime's server writes, which also says whether a chunk may come next. Knows nothing of what is answered.
import { ServerResponse } from 'node:http'
import type { RuntimeRequest } from './request.ts'

export class RuntimeResponse extends ServerResponse<RuntimeRequest> {
  /** By its head: whoever writes the framing of the body himself switches the runtime's off. */
  #isFramed = false
  #hasBegun = false

  /** Whether what is written next begins with the size of a chunk. */
  get isBetweenChunks(): boolean {
    return this.#isFramed && this.#hasBegun && !this.writableEnded
  }

  override writeHead(status: number, ...more: unknown[]): this {
    Reflect.apply(super.writeHead, this, [status, ...more])
    this.#isFramed = this.chunkedEncoding
    return this
  }

  override write(chunk: unknown, ...more: unknown[]): boolean {
    const hasRoom: boolean = Reflect.apply(super.write, this, [chunk, ...more])
    this.#hasBegun = true
    return hasRoom
  }

  override flushHeaders(): void {
    super.flushHeaders()
    this.#hasBegun = true
  }
}
