// Reads one JSON body of the data plane: its size, type, encoding, time and depth bounded before anybody sees it.
// Knows nothing about what the JSON means.
import { isAscii, isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { Refusal } from '../domain/errors.ts'
import { oneWriteBytes } from './body-framing.ts'
import { PlainRequest } from './plain-request.ts'
import type { PlaneRequest } from './plane-exchange.ts'

export interface BodyLimits {
  maxBytes: number
  /** For the whole of it. */
  timeoutMs?: number
}

export interface JsonBody {
  value: unknown
  bytes: Buffer
  /** The same where it is plain ASCII and goes on in one write, so that nobody has to make a text of it again. */
  text?: string
}

/** JSON.parse takes a million levels; whoever writes or clones such a value later overflows the stack. */
const maxDepth = 64
const usualTimeoutMs = 30_000
const jsonType = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?;?\s*$/i

/** At once where the body is there; a fault is thrown then, and a rejection else. */
export function readBody(request: PlaneRequest, limits: BodyLimits): JsonBody | Promise<JsonBody> {
  const { headers } = request
  const type = headers['content-type'] ?? ''
  if (type !== 'application/json' && !jsonType.test(type)) throw new Refusal('unsupported_media_type')
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new Refusal('unsupported_media_type', { message: 'Content-Encoding is not supported' })
  }
  const bytes = readBytes(request, limits)
  return bytes instanceof Promise ? bytes.then(parseBody) : parseBody(bytes)
}

function parseBody(bytes: Buffer): JsonBody {
  // Of ASCII each byte is a character, in whatever way it is read.
  const text = bytes.length <= oneWriteBytes && isAscii(bytes) ? bytes.toString('latin1') : null
  if (text !== null) return { value: parseJson(text), bytes, text }
  return { value: parseJson(readUtf8(bytes)), bytes }
}

/** The bytes as they are, for whoever passes them on. */
export function readBytes(request: PlaneRequest, limits: BodyLimits): Buffer | Promise<Buffer> {
  const { maxBytes } = limits
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > maxBytes) throw new Refusal('payload_too_large')
  if (request instanceof PlainRequest) return request.body
  // What is there already needs neither a timer nor listeners. A small body comes with its head, and lies there whole a
  // moment before the parser calls the request complete.
  const { readableLength } = request
  const isThere = request.complete || (readableLength > 0 && readableLength === announced)
  if (isThere && !request.destroyed && request.readableFlowing === null && readableLength <= maxBytes) {
    // By its length: without one, only the first of several pieces is given.
    const bytes: Buffer | null = readableLength === 0 ? null : request.read(readableLength)
    return bytes ?? Buffer.alloc(0)
  }
  return collect(request, limits)
}

function collect(request: IncomingMessage, { maxBytes, timeoutMs = usualTimeoutMs }: BodyLimits): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let received = 0
    const timer = setTimeout(
      () => fail(new Refusal('request_timeout', { headers: { connection: 'close' } })),
      timeoutMs,
    )

    const onData = (chunk: Buffer) => {
      received += chunk.length
      if (received > maxBytes) return fail(new Refusal('payload_too_large'))
      chunks.push(chunk)
    }
    const onEnd = () => {
      stop()
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, received))
    }
    const onGone = (cause?: unknown) => fail(new Refusal('bad_request', { cause }))
    function stop() {
      clearTimeout(timer)
      request.off('data', onData).off('end', onEnd).off('close', onGone)
    }
    function fail(refusal: Refusal) {
      stop()
      // Dropped, not kept: what still comes is for nobody.
      request.resume()
      reject(refusal)
    }
    // The error listener stays: the connection may still break after the outcome is decided.
    request.on('data', onData).once('end', onEnd).once('error', onGone).once('close', onGone)
    if (request.destroyed) onGone()
  })
}

function readUtf8(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new Refusal('invalid_json')
  return bytes.toString('utf8')
}

function parseJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // Its message quotes the body.
    throw new Refusal('invalid_json')
  }
  if (!isAcceptable(value, maxDepth)) throw new Refusal('invalid_json')
  return value
}

/** Not too deep, and no `__proto__` member, which a later copy would turn into a prototype. */
function isAcceptable(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (levels === 0) return false
  if (Array.isArray(value)) return value.every(each => isAcceptable(each, levels - 1))
  for (const name in value) {
    if (name === '__proto__' || !isAcceptable(value[name as keyof typeof value], levels - 1)) return false
  }
  return true
}
