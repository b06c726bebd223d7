// Writes the body of a relayed response in as few writes as possible: whole, or as a stream with its chunk framing.
import { chunkEnd, chunkOf, chunkStart, inOneWrite, lastChunk } from './body-framing.ts'
import type { PlaneResponse } from './exchange.ts'

/** A text must have one character per byte, as `shortText` returns it. */
export function endWithBody(response: PlaneResponse, whole: string | Buffer): void {
  const body = typeof whole === 'string' ? whole : inOneWrite(whole)
  if (typeof body === 'string') response.end(body, 'latin1')
  else response.end(body)
}

export interface StreamWriter {
  /** Returns false until the response's drain event. Does not keep the bytes: they belong to the caller. */
  write(bytes: Buffer): boolean
  end(lastEvent?: string): void
}

/**
 * Must be called after the headers are set and before the first write of the body. Frames the chunks itself: the
 * runtime makes four writes of each chunk, and one more call to gather them.
 */
export function createStreamWriter(response: PlaneResponse): StreamWriter {
  response.writeHead(response.statusCode)
  // HTTP/1.0 clients cannot read chunks.
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
    end(lastEvent) {
      if (lastEvent !== undefined) write(Buffer.from(lastEvent))
      if (isFramed) response.end(lastChunk, 'latin1')
      else response.end()
    },
  }
}
