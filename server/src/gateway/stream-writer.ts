// Writes a streamed answer's body with its chunk framing in one piece: the runtime makes four writes of each chunk, and
// gathers them with one call more. Knows nothing of what is streamed.
import type { PlaneResponse } from '../http/plane-exchange.ts'

export interface StreamWriter {
  /** False asks for patience until the response's drain. The bytes remain the caller's. */
  write(bytes: Buffer): boolean
  end(lastWords?: string): void
}

/** What is written as text has each byte copied. */
const oneWriteBytes = 16 * 1024

/** To be made once the head is set and before anything of the body is written. */
export function createStreamWriter(response: PlaneResponse): StreamWriter {
  response.writeHead(response.statusCode)
  // Old clients get none; where the runtime would frame the body, we do.
  const isFramed = response.chunkedEncoding
  response.chunkedEncoding = false

  function write(bytes: Buffer): boolean {
    if (!isFramed) return response.write(Buffer.from(bytes))
    const size = bytes.length.toString(16)
    if (bytes.length <= oneWriteBytes) return response.write(`${size}\r\n${bytes.toString('latin1')}\r\n`, 'latin1')
    response.write(`${size}\r\n`, 'latin1')
    response.write(Buffer.from(bytes))
    return response.write('\r\n', 'latin1')
  }

  return {
    write,
    end(lastWords) {
      if (lastWords !== undefined) write(Buffer.from(lastWords))
      if (isFramed) response.end('0\r\n\r\n', 'latin1')
      else response.end()
    },
  }
}
