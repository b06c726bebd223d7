// Builds the headers of a forwarded request: those of the client's that are on an allow-list, then the caller's
// identity. No other header passes, so a client cannot forge an identity header.
import type { IncomingHttpHeaders } from 'node:http'
import { cacheHeader } from '../../call/inference-port.ts'
import { writeCaller, writeRequestLines } from '../../call/injected-identity.ts'
import { agentHeaders } from '../../call/log-request.ts'
import type { Verified } from '../../domain/caller.ts'
import { type HeaderBlock, makeHeaderBlock, writeLine } from '../../outbound/head-writer.ts'

/** Throws OutboundFailure `protocol` if a header cannot be written. */
export type HeaderInjector = (client: IncomingHttpHeaders, verified: Verified) => HeaderBlock

const passed = new Set([
  'accept',
  'accept-language',
  'anthropic-beta',
  'anthropic-version',
  'content-type',
  'idempotency-key',
  'traceparent',
  'tracestate',
  'user-agent',
  ...agentHeaders,
  cacheHeader,
])
/** The official client libraries describe themselves in headers with this prefix. */
const passedPrefix = 'x-stainless-'

export function createHeaderInjector(internalSecret: string | null): HeaderInjector {
  /** The headers that all requests of a token share, by `Verified.token`, which lives while the token is cached. */
  const blocks = new WeakMap<object, { projectId: string; block: HeaderBlock }>()

  function blockOf(verified: Verified): HeaderBlock {
    const { token, projectId } = verified
    const known = token === undefined ? undefined : blocks.get(token)
    // An identity provider's token may be valid for two projects.
    if (known?.projectId === projectId) return known.block
    const headers: Record<string, string> = {}
    writeCaller(headers, verified)
    if (internalSecret !== null) headers['x-internal-secret'] = internalSecret
    const block = makeHeaderBlock(headers)
    if (token !== undefined) blocks.set(token, { projectId, block })
    return block
  }

  // Written as text at once: an object of headers would be filled by name and read by name again for each request.
  return (client, verified) => {
    let text = ''
    const droppedByName = readConnection(client.connection)
    for (const name in client) {
      if (!passed.has(name) && !name.startsWith(passedPrefix)) continue
      const value = client[name]
      if (typeof value === 'string' && !droppedByName?.includes(name)) text += writeLine(name, value)
    }
    // Ours are added last, so that the client's Connection header cannot remove them.
    return { text: text + writeRequestLines(verified) + blockOf(verified).text }
  }
}

/** The names of the headers that the client sent for this hop only. */
function readConnection(value: string | undefined): readonly string[] | null {
  if (value === undefined || value === 'keep-alive' || value === 'close') return null
  return value.split(',').map(name => name.trim().toLowerCase())
}
