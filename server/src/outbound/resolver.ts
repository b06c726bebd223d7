// From a name to all its addresses, within a time. Knows no policy: what may be reached is judged by who asks.
import { lookup, Resolver } from 'node:dns/promises'
import { OutboundFailure } from './failure.ts'

export type Resolve = (host: string) => Promise<string[]>

interface ResolverOptions {
  timeoutMs: number
  /** Ask these name servers (`address:port`) and nothing else; absent: the system's way, its hosts file included. */
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
    // One resolver a question: a shared one keeps its sockets and tells two questions' failures apart badly.
    const resolver = new Resolver({ timeout: timeoutMs, tries: 1 })
    resolver.setServers(servers)
    const families = await Promise.allSettled([resolver.resolve6(host), resolver.resolve4(host)])
    const addresses = families.flatMap(family => (family.status === 'fulfilled' ? family.value : []))
    // A name with one family only answers the other question with an error; that is no failure.
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
