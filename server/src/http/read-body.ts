// Reads one body of the data plane, and limits its size, type and encoding. One row for each kind of body; that of JSON
// limits its depth and its values, too.
import { isUtf8 } from 'node:buffer'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { BodyKind } from '../domain/conversation/operations.ts'
import { Refusal } from '../domain/errors.ts'
import { largeLength } from '../domain/json/json-text.ts'
import { hasTooManyValues, maxValues } from '../domain/json-values.ts'
import { shortText } from './body-framing.ts'
import type { PlaneRequest } from './exchange.ts'
import { FastLaneRequest } from './fast-lane/request.ts'
import { type BodyLimits, RuntimeRequest } from './runtime/request.ts'

export interface RequestBody {
  /** As its kind parses it. */
  value: unknown
  bytes: Buffer
  /** The body as text, if it is plain ASCII and short enough to be forwarded in one write. */
  text?: string
}

/** JSON.parse accepts a million levels; writing or cloning such a value later would overflow the stack. */
const maxDepth = 64
/** Objects of more names outgrow the processor's caches: each copy of one takes longer than its share. */
export const maxNames = 10_000
const tooManyValues = `The body has more than ${maxValues} texts, names, lists and objects`
const jsonGrammar = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?;?\s*$/i

interface BodyReader {
  /** Without parameters. */
  mediaType: string
  accepts(contentType: string): boolean
  parse(bytes: Buffer, contentType: string): RequestBody | Promise<RequestBody>
}

const jsonType = 'application/json'
export const bodyReaders: Readonly<Record<BodyKind, BodyReader>> = {
  json: { mediaType: jsonType, accepts: type => type === jsonType || jsonGrammar.test(type), parse: parseJsonBody },
}

/** Returns the value itself if the body is already there, and then throws its errors; otherwise returns a promise. */
export function readBody(
  request: PlaneRequest,
  limits: BodyLimits,
  kind: BodyKind = 'json',
): RequestBody | Promise<RequestBody> {
  const { headers } = request
  const reader = bodyReaders[kind]
  const type = headers['content-type'] ?? ''
  if (!reader.accepts(type))
    throw new Refusal('unsupported_media_type', { message: `Content-Type must be ${reader.mediaType}` })
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new Refusal('unsupported_media_type', { message: 'Content-Encoding is not supported' })
  }
  const bytes = readBytes(request, limits)
  return bytes instanceof Promise ? bytes.then(late => reader.parse(late, type)) : reader.parse(bytes, type)
}

function parseJsonBody(bytes: Buffer): RequestBody | Promise<RequestBody> {
  const text = shortText(bytes)
  if (text !== null) return { value: parseJson(text), bytes, text }
  if (bytes.length >= largeLength) return parseInTurns(bytes)
  checkValues(bytes)
  return { value: parseJson(readUtf8(bytes)), bytes }
}

async function parseInTurns(bytes: Buffer): Promise<RequestBody> {
  checkValues(bytes)
  await nextTurn()
  const value = parseJson(readUtf8(bytes))
  await nextTurn()
  return { value, bytes }
}

function checkValues(bytes: Buffer): void {
  if (hasTooManyValues(bytes, maxValues)) throw new Refusal('payload_too_large', { message: tooManyValues })
}

/** Returns the bytes unchanged, for forwarding. */
export function readBytes(request: PlaneRequest, limits: BodyLimits): Buffer | Promise<Buffer> {
  if (request instanceof RuntimeRequest) return request.readBody(limits)
  if (!(request instanceof FastLaneRequest)) throw new Error('the request did not come through the listener')
  if (request.body.length > limits.maxBytes) throw new Refusal('payload_too_large')
  return request.body
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

/**
 * Rejects values that are too deep or have too many names, and `__proto__` members, which a later copy would turn into
 * a prototype.
 */
function isAcceptable(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (levels === 0) return false
  if (Array.isArray(value)) return value.every(each => isAcceptable(each, levels - 1))
  let names = 0
  for (const name in value) {
    if (++names > maxNames) return false
    if (name === '__proto__' || !isAcceptable(value[name as keyof typeof value], levels - 1)) return false
  }
  return true
}
