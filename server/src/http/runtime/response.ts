// A response that the runtime's server writes, which also knows whether the next write starts a chunk.
import { ServerResponse } from '../runtime-http.ts'
import type { RuntimeRequest } from './request.ts'

export class RuntimeResponse extends ServerResponse<RuntimeRequest> {
  /** Whether the head requires chunk framing; the caller switches it off to frame the body itself. */
  #isFramed = false
  #hasBegun = false

  /** Whether the next write must begin with the size of a chunk. */
  get isBetweenChunks(): boolean {
    return this.#isFramed && this.#hasBegun && !this.writableEnded
  }

  override writeHead(status: number, ...more: unknown[]): this {
    Reflect.apply(super.writeHead, this, [status, ...more])
    this.#isFramed = this.chunkedEncoding
    return this
  }

  override write(chunk: unknown, ...more: unknown[]): boolean {
    const isFlushed: boolean = Reflect.apply(super.write, this, [chunk, ...more])
    this.#hasBegun = true
    return isFlushed
  }

  override flushHeaders(): void {
    super.flushHeaders()
    this.#hasBegun = true
  }
}
