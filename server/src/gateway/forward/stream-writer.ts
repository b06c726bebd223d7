// Writes a streamed answer's body with its chunk framing in one piece: the runtime makes four writes of each chunk, and
// gathers them with one call more. Knows nothing of what is streamed.
import { chunkEnd, chunkOf, chunkStart, inOneWrite, lastChunk } from '../../http/body-framing.ts'
import type { PlaneResponse } from '../../http/exchange.ts'

export interface StreamWriter {
  /** False asks for patience until the response's drain. The bytes remain the caller's. */
  write(bytes: Buffer): boolean
  end(lastWords?: string): void
}

/** To be made once the head is set and before anything of the body is written. */
export function createStreamWriter(response: PlaneResponse): StreamWriter {
  response.writeHead(response.statusCode)
  // Old clients get none; where the runtime would frame the body, we do.
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
