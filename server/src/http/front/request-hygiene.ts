// Refuses requests whose headers two readers could read differently, before anything is decided about them.
// Knows the grammar of HTTP alone: no host of ours, no route.
import type { IncomingMessage } from 'node:http'
import { memoize } from '../../collections/bounded-memo.ts'
import { Refusal } from '../../domain/errors.ts'
import { type HostName, parseHost } from './host-decision.ts'
import { parseTarget, type Target } from './request-target.ts'

/**
 * Headers that mean one thing once; the runtime would take the first of two, or join them. Not the admin secret: two of
 * them, joined, are a wrong one, and answered as such.
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
/** Far below the number above which the runtime drops headers silently. */
const maxHeaders = 100
const lengthGrammar = /^[0-9]{1,15}$/

/** Which host is meant. Throws where that is not one clear name. */
export function readHost(request: IncomingMessage): HostName {
  checkHeaders(request)
  const host = parseHost(request.headers.host ?? '')
  if (!host) throw new Refusal('bad_request', { message: 'Host header missing or malformed' })
  return host
}

/** Which path is meant. Throws where the target is not canonical or names another host than the Host header. */
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
      // Some servers read `x_tenant_id` as `x-tenant-id`: it never reaches one.
      delete headers[rawHeaders[index]!.toLowerCase()]
      rawHeaders.splice(index, 2)
      index -= 2
    } else if ((seen & kind) !== 0) {
      throw new Refusal('bad_request', { message: 'Header given twice' })
    } else seen |= kind
  }
  checkFraming(request)
}

/** Of a header's name as it was sent: a bit of its own where it is singular. Clients differ little in them. */
const kindOf = memoize(rawName => {
  const name = rawName.toLowerCase()
  const place = singular.indexOf(name)
  if (place >= 0) return 1 << place
  return name.includes('_') ? underscored : ordinary
})

function checkFraming({ headers, httpVersion }: IncomingMessage): void {
  const length = headers['content-length']
  const transfer = headers['transfer-encoding']
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue') throw new Refusal('bad_request')
  if (length !== undefined && !lengthGrammar.test(length)) throw new Refusal('bad_request')
  if (transfer === undefined) return
  if (transfer.toLowerCase() !== 'chunked' || length !== undefined || httpVersion !== '1.1') {
    throw new Refusal('bad_request', { message: 'Transfer-Encoding must be chunked' })
  }
}
