// The inference role as gateways in other processes reach it: over HTTP with the shared secret, beside the management plane.
// Knows the names on both sides; decides nothing.

import type { Config } from '../config/config.ts'
import type { ConfigCache } from '../gateway/config-cache.ts'
import { findRoute, isRoute } from '../gateway/routes.ts'
import type { RequestHandler, RuntimeRequestHandler } from '../http/front/accept-request.ts'
import type { InferencePort } from '../http/inference-port.ts'
import { createHeartbeat } from '../inference/heartbeat.ts'
import { createInternalPlane } from '../inference/internal-plane.ts'
import type { World } from './world.ts'

export interface InternalHosts {
  /** Takes the data plane's paths from whoever brings the secret, and leaves all others to whom the host belongs. */
  before(owner: RuntimeRequestHandler): RuntimeRequestHandler
  /** Who answers what the runtime did not read; null for what the host's owner has to answer. */
  findPlain(path: string): RequestHandler | null
  stop(): Promise<void>
}

export function createInternalHosts(
  config: Config,
  { now, log }: World,
  configs: ConfigCache,
  inference: InferencePort | null,
): InternalHosts {
  if (inference === null || !config.roles.has('inference')) {
    return { before: owner => owner, findPlain: () => null, stop: () => Promise.resolve() }
  }
  const lifeSigns = createHeartbeat(config.upstream.times.timeoutMs)
  const internal = createInternalPlane({
    port: inference,
    findRoute,
    async resolve({ projectId, tenantId, tier }) {
      const project = await configs.get({ projectId, tenantId })
      return { live: project.live, resolved: project.resolve(tier, now) }
    },
    bodyLimitBytes: config.listener.bodyLimitBytes,
    now,
    lifeSigns,
    log,
  })
  // With the gateway beside it, who brings no secret is a client of the management host, which has no such paths. Without,
  // nobody is: the inference role may be reached under any name, one below the projects' domain too.
  const isApart = !config.roles.has('gateway')
  return {
    before: owner => (request, response, incoming) => {
      const isForInference = isRoute(incoming.path) && (isApart || incoming.isInternal)
      return (isForInference ? internal : owner)(request, response, incoming)
    },
    findPlain: path => (isRoute(path) ? internal : null),
    async stop() {
      lifeSigns.stop()
    },
  }
}
