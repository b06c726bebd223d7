// Makes the headers of a forwarded request: a few of the client's, then who the client is. An allow-list: what is not
// named here does not pass, so nothing a client sends can pose as ours. Knows nothing of the upstream.
import type { IncomingHttpHeaders } from 'node:http'
import type { Verified } from '../../domain/caller.ts'
import { writeCaller, writeRequestLines } from '../../http/injected-identity.ts'
import { type HeaderBlock, makeHeaderBlock, writeLine } from '../../outbound/head-writer.ts'

/** Throws OutboundFailure `protocol` where one cannot be written. */
export type HeaderInjector = (client: IncomingHttpHeaders, verified: Verified) => HeaderBlock

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
  /** What all requests of a token share, by what stands for it, which lives as long as it is remembered. */
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

  // As text from the start: an object of headers would be filled by name and emptied by name for each request.
  return (client, verified) => {
    let text = ''
    const droppedByName = readConnection(client.connection)
    for (const name in client) {
      if (!passed.has(name) && !name.startsWith(passedPrefix)) continue
      const value = client[name]
      if (typeof value === 'string' && !droppedByName?.includes(name)) text += writeLine(name, value)
    }
    // Last, so that what Connection lists is gone before and what is ours stays.
    return { text: text + writeRequestLines(verified) + blockOf(verified).text }
  }
}

/** The headers that the client meant for this hop alone. */
function readConnection(value: string | undefined): readonly string[] | null {
  if (value === undefined || value === 'keep-alive' || value === 'close') return null
  return value.split(',').map(name => name.trim().toLowerCase())
}
