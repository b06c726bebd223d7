// Checks the form of a compact JWS by our own rules before any key is looked up: size, three canonical base64url parts,
// a header that all parsers read alike.
import type { JsonObject } from '../domain/json-object.ts'
import { type JsonError, readStrictObject } from './strict-json.ts'

export const maxTokenLength = 8192
const maxKidLength = 128
const maxHeaderDepth = 4
const maxPayloadDepth = 16

/** Why a token is rejected: a word for logs and metrics. Clients get the same 401 for all of them. */
export type TokenError =
  | 'too_long'
  | 'not_three_parts'
  | 'not_base64url'
  | `header_${JsonError}`
  | `payload_${JsonError}`
  | 'header_member'
  | 'alg'
  | 'typ'
  | 'kid'
  | 'unknown_kid'
  | 'signature'
  | 'iss'
  | 'aud'
  | 'exp'
  | 'expired'
  | 'nbf'
  | 'iat'
  | 'lifetime'
  | 'claims'
  | 'user_id'

export interface TokenForm {
  readonly header: JsonObject
  readonly alg: string
  readonly typ: string | null
  /** Null if the header has none. */
  readonly kid: string | null
  /** Not parsed yet: nothing may read it before the signature is verified. */
  readonly payload: Buffer
  readonly signature: Buffer
  /** The bytes that the signature covers. */
  readonly signed: Buffer
}

/** Returns the token's parts, or the reason for rejecting it. */
export function readTokenForm(token: string): TokenForm | TokenError {
  if (token.length > maxTokenLength) return 'too_long'
  const parts = token.split('.', 4)
  const [headerPart, payloadPart, signaturePart] = parts
  if (parts.length !== 3 || !headerPart || payloadPart === undefined || !signaturePart) return 'not_three_parts'
  const headerBytes = decodeCanonical(headerPart)
  const payload = decodeCanonical(payloadPart)
  const signature = decodeCanonical(signaturePart)
  if (!headerBytes || !payload || !signature) return 'not_base64url'

  const header = readStrictObject(headerBytes, maxHeaderDepth)
  if (typeof header === 'string') return `header_${header}`
  const { alg, typ, kid = null } = header
  // crit, b64 and zip change what the bytes mean; a verifier that overlooks them verifies something else.
  if ('crit' in header || 'b64' in header || 'zip' in header) return 'header_member'
  if (typeof alg !== 'string') return 'alg'
  if (typ !== undefined && typeof typ !== 'string') return 'typ'
  if (kid !== null && !isKid(kid)) return 'kid'
  const signed = Buffer.from(token.slice(0, headerPart.length + 1 + payloadPart.length), 'latin1')
  return { header, alg, typ: typ ?? null, kid, payload, signature, signed }
}

/** Returns the claims. Callers must have verified the signature. */
export function readPayload(form: TokenForm): JsonObject | TokenError {
  const payload = readStrictObject(form.payload, maxPayloadDepth)
  return typeof payload === 'string' ? `payload_${payload}` : payload
}

export function isKid(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= maxKidLength
}

/** Null unless encoding the bytes again yields the same text: no padding, white space, other alphabet or stray bits. */
export function decodeCanonical(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : null
}
