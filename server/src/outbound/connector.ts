// Opens the sockets of one origin, with undici's connector. The only place where a name becomes an address to connect
// to: literals, every resolved address and the socket's remote address must all pass the given rule.
import { isIP, type LookupFunction } from 'node:net'
import type { buildConnector as BuildConnector } from 'undici'
import { sharedReading } from '../sockets/shared-read-buffer.ts'
import { buildConnector } from './build-connector.ts'
import { connectFailure, OutboundFailure } from './failure.ts'
import type { Resolve } from './resolver.ts'

interface ConnectorOptions {
  mayReach: (address: string) => boolean
  resolve: Resolve
  timeoutMs: number
  /** Called for each rejected address, to log it. */
  onBlocked: (reason: string) => void
  /** undici's own, unless a test needs to see the address. */
  build?: typeof BuildConnector | undefined
}

export function createConnector(options: ConnectorOptions): BuildConnector.connector {
  const { mayReach, timeoutMs, onBlocked, build = buildConnector } = options
  const connect = build({
    lookup: checkedLookup(options),
    timeout: timeoutMs,
    // Node ends an attempt after 250 ms if a name has several addresses: too little for distant hosts.
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 1000,
    allowH2: false,
    // Explicit, so that no environment variable disables it.
    rejectUnauthorized: true,
    onread: sharedReading,
  })
  return (target, callback) => {
    // The lookup is never called for a literal.
    if (isIP(target.hostname) && !mayReach(target.hostname)) {
      onBlocked('literal')
      callback(blocked('literal'), null)
      return
    }
    connect(target, (...[error, socket]) => {
      if (error) {
        callback(connectFailure(error), null)
      } else if (mayReach(socket.remoteAddress ?? '')) {
        callback(null, socket)
      } else {
        onBlocked('remote_address')
        socket.destroy()
        callback(blocked('remote_address'), null)
      }
    })
  }
}

/** Returns all addresses of a name; throws `blocked` if one of them is not allowed. */
export async function resolveReachable(
  host: string,
  { resolve, mayReach, onBlocked }: Pick<ConnectorOptions, 'resolve' | 'mayReach' | 'onBlocked'>,
): Promise<string[]> {
  const addresses = await resolve(host)
  if (addresses.length === 0) throw new OutboundFailure('dns', { reason: 'ENODATA', connected: false })
  if (addresses.every(mayReach)) return addresses
  onBlocked('resolved_address')
  throw blocked('resolved_address')
}

/** Returns the checked addresses themselves, so that the connection uses exactly what was checked. */
function checkedLookup(options: ConnectorOptions): LookupFunction {
  return (host, { all }, callback) => {
    resolveReachable(host, options).then(
      addresses => {
        const found = addresses.map(address => ({ address, family: isIP(address) }))
        if (all) callback(null, found)
        else callback(null, found[0]!.address, found[0]!.family)
      },
      (error: Error) => callback(error, []),
    )
  }
}

function blocked(reason: string): OutboundFailure {
  return new OutboundFailure('blocked', { reason, connected: false })
}
