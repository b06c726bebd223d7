// Resolves a name to all its addresses, within a timeout. The caller checks whether they may be reached.
import { lookup, Resolver } from 'node:dns/promises'
import { OutboundFailure } from './failure.ts'

export type Resolve = (host: string) => Promise<string[]>

interface ResolverOptions {
  timeoutMs: number
  /** Only use these name servers (`address:port`); by default the system's resolver, including its hosts file. */
  servers?: readonly string[] | undefined
}

export function createResolver({ timeoutMs, servers }: ResolverOptions): Resolve {
  const ask = servers ? askServers(servers, timeoutMs) : askSystem
  return async host => {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      const failure = new OutboundFailure('dns', { reason: 'ETIMEOUT', connected: false })
      timer = setTimeout(() => reject(failure), timeoutMs)
    })
    try {
      return await Promise.race([ask(host), late])
    } catch (error) {
      throw dnsFailure(error)
    } finally {
      clearTimeout(timer)
    }
  }
}

async function askSystem(host: string): Promise<string[]> {
  const answers = await lookup(host, { all: true, order: 'verbatim' })
  return answers.map(answer => answer.address)
}

function askServers(servers: readonly string[], timeoutMs: number): Resolve {
  return async host => {
    // One resolver per query: a shared one keeps its sockets and mixes up the failures of two queries.
    const resolver = new Resolver({ timeout: timeoutMs, tries: 1 })
    resolver.setServers(servers)
    const families = await Promise.allSettled([resolver.resolve6(host), resolver.resolve4(host)])
    const addresses = families.flatMap(family => (family.status === 'fulfilled' ? family.value : []))
    // A name with one address family returns an error for the other; that is not a failure.
    const failed = families.find(family => family.status === 'rejected')
    if (addresses.length === 0 && failed) throw failed.reason
    return addresses
  }
}

function dnsFailure(error: unknown): OutboundFailure {
  if (error instanceof OutboundFailure) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'UNKNOWN'
  return new OutboundFailure('dns', { reason: code, connected: false })
}
