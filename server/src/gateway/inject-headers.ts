// Makes the headers of a forwarded request: a few of the client's, then who the client is. An allow-list: what is not
// named here does not pass, so nothing a client sends can pose as ours. Knows nothing of the upstream.
import type { IncomingHttpHeaders } from 'node:http'
import type { Verified } from '../domain/verified.ts'
import { writeIdentity } from '../http/injected-identity.ts'

export type HeaderInjector = (client: IncomingHttpHeaders, verified: Verified) => Record<string, string>

const passed = new Set([
  'accept',
  'accept-language',
  'content-type',
  'idempotency-key',
  'traceparent',
  'tracestate',
  'user-agent',
])
/** What the official client libraries say about themselves. */
const passedPrefix = 'x-stainless-'

export function createHeaderInjector(internalSecret: string | null): HeaderInjector {
  return (client, verified) => {
    const headers: Record<string, string> = {}
    const droppedByName = readConnection(client.connection)
    for (const name in client) {
      if (!passed.has(name) && !name.startsWith(passedPrefix)) continue
      const value = client[name]
      if (typeof value === 'string' && !droppedByName?.includes(name)) headers[name] = value
    }
    // Last, so that what Connection lists is gone before and what is ours stays.
    writeIdentity(headers, verified)
    if (internalSecret !== null) headers['x-internal-secret'] = internalSecret
    return headers
  }
}

/** The headers that the client meant for this hop alone. */
function readConnection(value: string | undefined): readonly string[] | null {
  if (value === undefined || value === 'keep-alive' || value === 'close') return null
  return value.split(',').map(name => name.trim().toLowerCase())
}
