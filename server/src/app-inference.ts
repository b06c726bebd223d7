// The inference role as gateways in other processes reach it: over HTTP with the shared secret, beside the management plane.
// Knows the names on both sides; decides nothing.
import type { World } from './app-world.ts'
import type { Config } from './config.ts'
import { Refusal } from './domain/errors.ts'
import { createConfigCache } from './gateway/config-cache.ts'
import { findRoute, isRoute } from './gateway/routes.ts'
import type { Plane, RuntimePlane } from './http/accept-request.ts'
import type { InferencePort } from './http/inference-port.ts'
import { createInternalPlane } from './inference/internal-plane.ts'

interface InternalHosts {
  /** Takes the data plane's paths from whoever brings the secret, and leaves all others to management. */
  plane: RuntimePlane
  /** Who answers what the runtime did not read; null for what management has to answer. */
  findPlain(path: string): Plane | null
  stop(): Promise<void>
}

export function createInternalHosts(
  config: Config,
  { sql, kv, now, log }: World,
  inference: InferencePort | null,
  management: RuntimePlane,
): InternalHosts {
  if (inference === null || !config.roles.has('inference')) {
    return { plane: management, findPlain: () => null, stop: () => Promise.resolve() }
  }
  const configs = createConfigCache({ kv, sql, now, log, cacheTtlMs: config.configCacheTtlMs })
  const internal = createInternalPlane({
    port: inference,
    findRoute,
    async resolve({ projectId, tenantId, tier }) {
      const project = await configs.get({ projectId, tenantId })
      return { live: project.live, resolved: project.resolve(tier, now) }
    },
    bodyLimitBytes: config.listener.bodyLimitBytes,
    log,
  })
  // With the gateway beside it, who brings no secret is a client of the management host, which has no such paths.
  const isApart = !config.roles.has('gateway')
  return {
    plane: (request, response, incoming) => {
      if (!isRoute(incoming.path)) return management(request, response, incoming)
      if (incoming.isInternal) return internal(request, response, incoming)
      if (isApart) throw new Refusal('invalid_internal_secret')
      return management(request, response, incoming)
    },
    findPlain: path => (isRoute(path) ? internal : null),
    stop: async () => configs.stop(),
  }
}
