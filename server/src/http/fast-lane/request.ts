// A complete request on the fast lane, with the property names of the runtime's IncomingMessage.
import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'

export class FastLaneRequest {
  readonly method: string
  url: string
  /** Each header occurred once. */
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  readonly socket: Socket
  readonly complete = true

  constructor(head: { method: string; url: string; headers: IncomingHttpHeaders }, body: Buffer, socket: Socket) {
    this.method = head.method
    this.url = head.url
    this.headers = head.headers
    this.body = body
    this.socket = socket
  }
}
