// Serves the inference role to gateways in other processes: over HTTP with the shared secret, beside the management
// plane.

import type { InferencePort } from '../call/inference-port.ts'
import type { Config } from '../config/config.ts'
import type { ConfigCache } from '../gateway/config-cache.ts'
import { findRoute, isRoute } from '../gateway/routes.ts'
import type { RequestHandler, RuntimeRequestHandler } from '../http/front/accept-request.ts'
import { createHeartbeat } from '../inference/heartbeat.ts'
import { createInternalPlane } from '../inference/internal-plane.ts'
import type { FindVersion } from '../surfaces/named-prompt.ts'
import type { ProcessDependencies } from './dependencies.ts'

export interface InternalHosts {
  /** Handles the data plane's paths of requests with the secret, and passes all others to the host's owner. */
  before(owner: RuntimeRequestHandler): RuntimeRequestHandler
  /** The handler of a fast-lane request; null if the host's owner must answer it. */
  findPlain(path: string): RequestHandler | null
  stop(): Promise<void>
}

export function createInternalHosts(
  config: Config,
  { now, log, requests }: ProcessDependencies,
  { configs, findVersion }: { configs: ConfigCache; findVersion: FindVersion },
  inference: InferencePort | null,
): InternalHosts {
  if (inference === null || !config.roles.has('inference')) {
    return { before: owner => owner, findPlain: () => null, stop: () => Promise.resolve() }
  }
  const heartbeat = createHeartbeat(config.upstream.times.timeoutMs)
  const internal = createInternalPlane({
    port: inference,
    findRoute,
    async resolve({ projectId, tenantId, tier }) {
      const project = await configs.get({ projectId, tenantId })
      return { live: project.live, resolved: project.resolve(tier, now) }
    },
    findVersion,
    bodyLimitBytes: config.listener.bodyLimitBytes,
    now,
    requests,
    heartbeat,
    log,
  })
  // With a gateway in this process, a request without the secret goes to the management host, which has no such paths.
  // Without one it is rejected: the inference role may be reached under any name, one below the projects' domain too.
  const isApart = !config.roles.has('gateway')
  return {
    before: owner => (request, response, incoming) => {
      const isForInference = isRoute(incoming.path) && (isApart || incoming.isInternal)
      return (isForInference ? internal : owner)(request, response, incoming)
    },
    findPlain: path => (isRoute(path) ? internal : null),
    async stop() {
      heartbeat.stop()
    },
  }
}
