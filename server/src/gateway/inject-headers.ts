// Makes the headers of a forwarded request: a few of the client's, then who the client is. An allow-list: what is not
// named here does not pass, so nothing a client sends can pose as ours. Knows nothing of the upstream.
import type { IncomingHttpHeaders } from 'node:http'
import type { Verified } from '../domain/verified.ts'
import { writeCaller, writeRequest } from '../http/injected-identity.ts'
import { type HeaderBlock, makeHeaderBlock } from '../http/outbound-head-writer.ts'

export interface InjectedHeaders {
  /** The client's own, and those of this request alone. */
  headers: Record<string, string>
  /** Those that all requests of a token share. */
  block: HeaderBlock
}

export type HeaderInjector = (client: IncomingHttpHeaders, verified: Verified) => InjectedHeaders

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
  /** By what stands for the token, which lives as long as it is remembered. */
  const blocks = new WeakMap<object, { projectId: string; block: HeaderBlock }>()

  function blockOf(verified: Verified): HeaderBlock {
    const { token, projectId } = verified
    const known = token === undefined ? undefined : blocks.get(token)
    // An identity provider's token may be good for two projects.
    if (known?.projectId === projectId) return known.block
    const headers: Record<string, string> = {}
    writeCaller(headers, verified)
    if (internalSecret !== null) headers['x-internal-secret'] = internalSecret
    const block = makeHeaderBlock(headers)
    if (token !== undefined) blocks.set(token, { projectId, block })
    return block
  }

  return (client, verified) => {
    const headers: Record<string, string> = {}
    const droppedByName = readConnection(client.connection)
    for (const name in client) {
      if (!passed.has(name) && !name.startsWith(passedPrefix)) continue
      const value = client[name]
      if (typeof value === 'string' && !droppedByName?.includes(name)) headers[name] = value
    }
    // Last, so that what Connection lists is gone before and what is ours stays.
    writeRequest(headers, verified)
    return { headers, block: blockOf(verified) }
  }
}

/** The headers that the client meant for this hop alone. */
function readConnection(value: string | undefined): readonly string[] | null {
  if (value === undefined || value === 'keep-alive' || value === 'close') return null
  return value.split(',').map(name => name.trim().toLowerCase())
}
