// The verified identity as headers between two of our processes: one table, written by the gateway, read by whoever
// stands behind it. Believes them only with the shared secret; knows neither side's routes.

import type { Verified } from '../domain/caller.ts'
import { Refusal } from '../domain/errors.ts'
import type { PlaneRequest } from './exchange.ts'
import { FastLaneRequest } from './fast-lane/request.ts'
import type { Incoming } from './incoming.ts'

type TextField = Exclude<keyof Verified, 'tier' | 'scopes' | 'token'>

interface TextRow {
  header: string
  field: TextField
  /** Left out where null; the others are always there. */
  isOptional?: true
  /** Differs from request to request of one token. */
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
  // Whether a conversation may be called so is told to the client, by whoever answers.
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

/** What of it is this request's alone, as lines of a head: `encode` leaves nothing that could end one early. */
export function writeRequestLines(verified: Verified): string {
  let text = ''
  for (const { header, field } of ofRequest) {
    const value = verified[field]
    if (value !== null) text += `${header}: ${encode(value)}\r\n`
  }
  return text
}

/** What all requests of one token have in common. */
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

/** Throws 401 without the right secret, 400 where a header is not exactly as `writeIdentity` makes it. */
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

/** Exactly one, in the one spelling that `encode` gives it. */
function readValue(request: PlaneRequest, header: string): string {
  const given = findOnly(request, header)
  if (given === null) return refuse(header)
  if (given === '') return given
  try {
    const value = given.includes('%') ? decodeURIComponent(given) : given
    return encode(value) === given ? value : refuse(header)
  } catch {
    return refuse(header)
  }
}

/** Null where it came not at all, or more than once. */
function findOnly(request: PlaneRequest, header: string): string | null {
  // Of a plain request each came once.
  const given = request instanceof FastLaneRequest ? request.headers[header] : request.headersDistinct[header]
  if (typeof given === 'string') return given
  return given?.length === 1 ? given[0]! : null
}

function refuse(header: string): never {
  throw new Refusal('bad_request', { message: `${header} missing or malformed` })
}

/**
 * Without the percent sign: it would make the text that looks like an escape and the escape one and the same user.
 * Spaces only inside: HTTP trims them at the ends.
 */
const plain = /^[!-$&-~](?:[ -$&-~]*[!-$&-~])?$/

/** As it is where it is plain ASCII, else percent-encoded UTF-8. */
function encode(value: string): string {
  if (value === '' || plain.test(value)) return value
  return encodeURIComponent(value.toWellFormed())
}
