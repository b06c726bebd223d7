// The verified identity as headers between two of our processes: one table that the gateway writes and the receiver
// reads. Must only be read with the shared secret.

import type { Verified } from '../domain/caller.ts'
import { Refusal } from '../domain/errors.ts'
import type { PlaneRequest } from '../http/exchange.ts'
import type { Incoming } from '../http/incoming.ts'
import { findOnlyHeader } from '../http/only-header.ts'

type TextField = Exclude<keyof Verified, 'tier' | 'scopes' | 'issuedAt' | 'token'>

interface TextRow {
  header: string
  field: TextField
  /** Omitted if null; the other headers are always sent. */
  isOptional?: true
  /** Differs between requests with the same token. */
  isOfRequest?: true
  grammar?: RegExp
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const texts: readonly TextRow[] = [
  { header: 'x-request-id', field: 'requestId', grammar: uuid, isOfRequest: true },
  { header: 'x-tenant-id', field: 'tenantId', grammar: uuid },
  { header: 'x-project-id', field: 'projectId', grammar: uuid },
  { header: 'x-end-user-id', field: 'userId' },
  { header: 'x-role', field: 'role' },
  { header: 'x-auth-provider', field: 'authProvider' },
  // The code that answers validates this id and reports an invalid one to the client.
  { header: 'x-session-id', field: 'sessionId', isOptional: true, isOfRequest: true },
  { header: 'x-thread-id', field: 'threadId', isOptional: true, isOfRequest: true },
]
const tierHeader = 'x-tier'
const scopesHeader = 'x-scopes'

const ofRequest = texts.filter(row => row.isOfRequest)
const ofCaller = texts.filter(row => !row.isOfRequest)

export function writeIdentity(headers: Record<string, string>, verified: Verified): void {
  writeTexts(headers, ofRequest, verified)
  writeCaller(headers, verified)
}

/**
 * The headers that belong to this request alone, as lines of a head; `encode` leaves no character that could end a
 * line.
 */
export function writeRequestLines(verified: Verified): string {
  let text = ''
  for (const { header, field } of ofRequest) {
    const value = verified[field]
    if (value !== null) text += `${header}: ${encode(value)}\r\n`
  }
  return text
}

/** The headers that all requests of one token share. */
export function writeCaller(headers: Record<string, string>, verified: Verified): void {
  writeTexts(headers, ofCaller, verified)
  headers[tierHeader] = verified.tier === null ? '' : encode(verified.tier)
  headers[scopesHeader] = encode(JSON.stringify(verified.scopes))
}

function writeTexts(headers: Record<string, string>, rows: readonly TextRow[], verified: Verified): void {
  for (const { header, field } of rows) {
    const value = verified[field]
    if (value !== null) headers[header] = encode(value)
  }
}

/** Throws 401 without the right secret, 400 if a header is not exactly as `writeIdentity` writes it. */
export function readIdentity(request: PlaneRequest, { isInternal }: Pick<Incoming, 'isInternal'>): Verified {
  if (!isInternal) throw new Refusal('invalid_internal_secret')
  const text = (field: TextField) => readText(request, texts.find(row => row.field === field)!)
  const required = (field: TextField) => text(field) ?? refuse(texts.find(row => row.field === field)!.header)
  return {
    requestId: required('requestId'),
    tenantId: required('tenantId'),
    projectId: required('projectId'),
    userId: required('userId'),
    role: required('role'),
    tier: readValue(request, tierHeader) || null,
    scopes: readScopes(readValue(request, scopesHeader)),
    authProvider: required('authProvider'),
    sessionId: text('sessionId'),
    threadId: text('threadId'),
  }
}

function readText(request: PlaneRequest, { header, isOptional, grammar }: TextRow): string | null {
  if (isOptional && request.headers[header] === undefined) return null
  const value = readValue(request, header)
  const isRefused = value === '' ? !isOptional : grammar && !grammar.test(value)
  return isRefused ? refuse(header) : value
}

function readScopes(text: string): string[] {
  let scopes: unknown
  try {
    scopes = JSON.parse(text)
  } catch {
    return refuse(scopesHeader)
  }
  return Array.isArray(scopes) && scopes.every(scope => typeof scope === 'string') ? scopes : refuse(scopesHeader)
}

/** Requires exactly one header, in the spelling that `encode` produces. */
function readValue(request: PlaneRequest, header: string): string {
  const given = findOnlyHeader(request, header)
  if (given === null) return refuse(header)
  if (given === '') return given
  try {
    const value = given.includes('%') ? decodeURIComponent(given) : given
    return encode(value) === given ? value : refuse(header)
  } catch {
    return refuse(header)
  }
}

function refuse(header: string): never {
  throw new Refusal('bad_request', { message: `${header} missing or malformed` })
}

/**
 * Excludes the percent sign: otherwise an escape and a text that looks like one would be the same user. Allows spaces
 * only inside: HTTP trims them at the ends.
 */
const plain = /^[!-$&-~](?:[ -$&-~]*[!-$&-~])?$/

/** Plain ASCII stays as it is; other text becomes percent-encoded UTF-8. */
function encode(value: string): string {
  if (value === '' || plain.test(value)) return value
  return encodeURIComponent(value.toWellFormed())
}
