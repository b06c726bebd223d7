// Writes messages of AWS's binary event stream, as a scripted Bedrock sends them.
import { crc32 } from 'node:zlib'

/** All headers are text. */
export function frameOf(headers: Record<string, string>, payload: string | Uint8Array): Buffer {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => textHeader(name, value)))
  const body = Buffer.from(payload)
  const prelude = Buffer.alloc(8)
  prelude.writeUInt32BE(12 + head.length + body.length + 4, 0)
  prelude.writeUInt32BE(head.length, 4)
  const unsigned = Buffer.concat([prelude, checksumOf(prelude), head, body])
  return Buffer.concat([unsigned, checksumOf(unsigned)])
}

/** An event of a stream of Converse. */
export function eventFrame(type: string, value: unknown): Buffer {
  const headers = { ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' }
  return frameOf(headers, JSON.stringify(value))
}

export function exceptionFrame(type: string, message: string): Buffer {
  const headers = { ':exception-type': type, ':content-type': 'application/json', ':message-type': 'exception' }
  return frameOf(headers, JSON.stringify({ message }))
}

function textHeader(name: string, value: string): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(Buffer.byteLength(value))
  return Buffer.concat([
    Buffer.from([Buffer.byteLength(name)]),
    Buffer.from(name),
    Buffer.from([7]),
    length,
    Buffer.from(value),
  ])
}

function checksumOf(bytes: Uint8Array): Buffer {
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(bytes))
  return checksum
}
