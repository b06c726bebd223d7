// Tells a TLS proxy whether to request a certificate for a host: only for hosts of active projects. Only this
// machine and trusted proxies may call it; for all others the route does not exist.

import type { Kysely } from 'kysely'
import { Refusal } from '../../domain/errors.ts'
import type { RequestHandler } from '../../http/front/accept-request.ts'
import { isForwarded } from '../../http/front/client-address.ts'
import { createHostDecider, type HostConfig, parseHost } from '../../http/front/host-decision.ts'
import { refuseOtherThanGet } from '../../http/only-get.ts'
import { replyJson } from '../../http/reply.ts'
import type { Schema } from '../../storage/schema.ts'

interface TlsAllowedDependencies {
  sql: Kysely<Schema>
  hosts: HostConfig
  isNeighbour: (address: string) => boolean
  /** Whether X-Forwarded-For is followed, so that the address is the client's own. */
  trustsProxies: boolean
}

export function createTlsAllowed({ sql, hosts, isNeighbour, trustsProxies }: TlsAllowedDependencies): RequestHandler {
  const decideHost = createHostDecider(hosts)

  function findSlug(domain: string): string | null {
    const host = parseHost(domain)
    if (host === null || host.port !== null) return null
    const decision = decideHost(host.name, '/', false)
    return decision.kind === 'project' ? decision.slug : null
  }

  return async ({ headers }, response, { method, query, clientAddress }) => {
    const isFollowed = trustsProxies && headers['x-forwarded-for'] !== undefined
    if (!isNeighbour(clientAddress) || (isForwarded(headers) && !isFollowed)) throw new Refusal('not_found')
    refuseOtherThanGet(method)
    const [domain, ...more] = new URLSearchParams(query).getAll('domain')
    const slug = domain === undefined || more.length > 0 ? null : findSlug(domain)
    if (slug === null || !(await isActive(sql, slug))) throw new Refusal('unknown_host')
    replyJson(response, 200, { allowed: true })
  }
}

async function isActive(sql: Kysely<Schema>, slug: string): Promise<boolean> {
  const project = await sql
    .selectFrom('projects')
    .select('id')
    .where('slug', '=', slug)
    .where('status', '=', 'active')
    .executeTakeFirst()
  return project !== undefined
}
