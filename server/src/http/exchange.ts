// What a plane sees of a request and of its answer, whoever read the one and writes the other: the runtime's HTTP server,
// or a plain connection of ours. Knows neither of the two.
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastLaneRequest } from './fast-lane/request.ts'

export type PlaneRequest = IncomingMessage | FastLaneRequest

/** As much of the runtime's ServerResponse as the data plane uses; names and meaning are the same. */
export interface PlaneResponse {
  readonly req: PlaneRequest
  /** Null once the answer is no longer the connection's. */
  readonly socket: Socket | null
  statusCode: number
  /** Of an answer whose length is not told. Switched off by `body-writer.ts`, which frames the body itself. */
  chunkedEncoding: boolean
  readonly shouldKeepAlive: boolean
  readonly headersSent: boolean
  readonly writableEnded: boolean
  readonly writableFinished: boolean
  readonly writableNeedDrain: boolean
  readonly destroyed: boolean
  setHeader(name: string, value: string | number): unknown
  getHeader(name: string): string | number | readonly string[] | undefined
  hasHeader(name: string): boolean
  writeHead(status: number, headers?: Record<string, string | number>): unknown
  flushHeaders(): void
  /** An interim answer that says no more than that the request is worked on; before the head, to clients of HTTP/1.1. */
  writeProcessing(): unknown
  write(chunk: string | Uint8Array): boolean
  write(chunk: string, encoding: BufferEncoding): boolean
  end(): unknown
  end(chunk: string | Uint8Array): unknown
  end(chunk: string, encoding: BufferEncoding): unknown
  destroy(): unknown
  /** Closes the connection once nothing was taken of it for so long; zero: never. */
  setTimeout(ms: number): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  once(event: 'close' | 'drain', listener: () => void): unknown
  off(event: 'close' | 'drain', listener: () => void): unknown
}
