// Rejects requests whose headers two readers could read differently. Must run before any decision about the request.
import type { IncomingMessage } from 'node:http'
import { memoize } from '../../collections/bounded-memo.ts'
import { Refusal } from '../../domain/errors.ts'
import { type HostName, parseHost } from './host-decision.ts'
import { parseTarget, type Target } from './request-target.ts'

/**
 * Headers that must occur once; the runtime would take the first of two, or join them. The admin secret is not listed:
 * two of them, joined, are a wrong secret and are answered as one.
 */
const singular = [
  'authorization',
  'content-encoding',
  'content-length',
  'content-type',
  'host',
  'idempotency-key',
  'origin',
  'transfer-encoding',
  'x-internal-secret',
  'x-session-id',
  'x-thread-id',
]
const ordinary = 0
const underscored = -1
/** Far below the number above which the runtime silently drops headers. */
const maxHeaders = 100
const lengthGrammar = /^[0-9]{1,15}$/

/** Returns the requested host. Throws unless it is one valid name. */
export function readHost(request: IncomingMessage): HostName {
  checkHeaders(request)
  const host = parseHost(request.headers.host ?? '')
  if (!host) throw new Refusal('bad_request', { message: 'Host header missing or malformed' })
  return host
}

/** Returns the requested path. Throws if the target is not canonical or names another host than the Host header. */
export function readTarget(request: IncomingMessage, host: HostName): Target {
  const target = parseTarget(request.url ?? '')
  if (!target) throw new Refusal('malformed_target')
  if (target.authority !== null) {
    const named = parseHost(target.authority)
    if (named?.name !== host.name || named.port !== host.port) throw new Refusal('bad_request')
  }
  return target
}

function checkHeaders(request: IncomingMessage): void {
  const { rawHeaders, headers } = request
  if (rawHeaders.length > maxHeaders * 2) throw new Refusal('headers_too_large')
  let seen = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const kind = kindOf(rawHeaders[index]!)
    if (kind === ordinary) continue
    if (kind === underscored) {
      // Some servers read `x_tenant_id` as `x-tenant-id`, so it must not reach one.
      delete headers[rawHeaders[index]!.toLowerCase()]
      rawHeaders.splice(index, 2)
      index -= 2
    } else if ((seen & kind) !== 0) {
      throw new Refusal('bad_request', { message: 'Header given twice' })
    } else seen |= kind
  }
  checkFraming(request)
}

/** Maps a header name as sent to its own bit if it is singular. A memo, since clients send few different names. */
const kindOf = memoize(rawName => {
  const name = rawName.toLowerCase()
  const place = singular.indexOf(name)
  if (place >= 0) return 1 << place
  return name.includes('_') ? underscored : ordinary
})

function checkFraming({ headers, httpVersion }: IncomingMessage): void {
  // The parser accepts a line without a version, as in HTTP/0.9, and HTTP/2.0.
  if (httpVersion !== '1.1' && httpVersion !== '1.0') throw new Refusal('bad_request')
  const length = headers['content-length']
  const transfer = headers['transfer-encoding']
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue') throw new Refusal('bad_request')
  if (length !== undefined && !lengthGrammar.test(length)) throw new Refusal('bad_request')
  if (transfer === undefined) return
  if (transfer.toLowerCase() !== 'chunked' || length !== undefined || httpVersion !== '1.1') {
    throw new Refusal('bad_request', { message: 'Transfer-Encoding must be chunked' })
  }
}
