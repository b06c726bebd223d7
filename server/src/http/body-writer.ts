// Writes the body of an answer that is passed on, in as few writes as it takes: a whole one, or a stream with its chunk framing.
// Knows nothing of what it says.
import { chunkEnd, chunkOf, chunkStart, inOneWrite, lastChunk } from './body-framing.ts'
import type { PlaneResponse } from './exchange.ts'

/** A text has one character for each byte, as `shortText` makes it. */
export function endWithBody(response: PlaneResponse, whole: string | Buffer): void {
  const body = typeof whole === 'string' ? whole : inOneWrite(whole)
  if (typeof body === 'string') response.end(body, 'latin1')
  else response.end(body)
}

export interface StreamWriter {
  /** False asks for patience until the response's drain. The bytes remain the caller's. */
  write(bytes: Buffer): boolean
  end(lastWords?: string): void
}

/**
 * To be made once the head is set and before anything of the body is written. It frames chunks itself: the runtime makes four
 * writes of each, and gathers them with one call more.
 */
export function createStreamWriter(response: PlaneResponse): StreamWriter {
  response.writeHead(response.statusCode)
  // Clients of HTTP/1.0 get no chunks.
  const isFramed = response.chunkedEncoding
  response.chunkedEncoding = false

  function write(bytes: Buffer): boolean {
    if (!isFramed) return response.write(Buffer.from(bytes))
    const body = inOneWrite(bytes)
    if (typeof body === 'string') return response.write(chunkOf(body), 'latin1')
    response.write(chunkStart(bytes.length), 'latin1')
    response.write(Buffer.from(bytes))
    return response.write(chunkEnd, 'latin1')
  }

  return {
    write,
    end(lastWords) {
      if (lastWords !== undefined) write(Buffer.from(lastWords))
      if (isFramed) response.end(lastChunk, 'latin1')
      else response.end()
    },
  }
}
