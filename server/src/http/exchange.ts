// The request and response that a plane sees, for both HTTP readers: the runtime's server and the fast lane.
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastLaneRequest } from './fast-lane/request.ts'

export type PlaneRequest = IncomingMessage | FastLaneRequest

/** The part of the runtime's ServerResponse that the data plane uses; names and meaning are the same. */
export interface PlaneResponse {
  readonly req: PlaneRequest
  /** Null once the response no longer owns the connection. */
  readonly socket: Socket | null
  statusCode: number
  /** True for a response of unknown length. `body-writer.ts` sets it to false, since it frames the body itself. */
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
  /** Sends the interim response 102; only before the head, and only to HTTP/1.1 clients. */
  writeProcessing(): unknown
  write(chunk: string | Uint8Array): boolean
  write(chunk: string, encoding: BufferEncoding): boolean
  end(): unknown
  end(chunk: string | Uint8Array): unknown
  end(chunk: string, encoding: BufferEncoding): unknown
  destroy(): unknown
  /** Closes the connection after this time without progress; zero means never. */
  setTimeout(ms: number): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  once(event: 'close' | 'drain', listener: () => void): unknown
  off(event: 'close' | 'drain', listener: () => void): unknown
}
