// Creates the handlers of project hosts: the gateway if this process has that role, the mint, and the inference port.

import type { InferencePort } from '../call/inference-port.ts'
import type { Config } from '../config/config.ts'
import { keySetDocument } from '../crypto/keys/signing-key.ts'
import { deriveKey } from '../crypto/secrets/derive-key.ts'
import { Refusal } from '../domain/errors.ts'
import type { OwnKeysOrigin } from '../gateway/caller/own-keys.ts'
import { createKeySetPlane } from '../gateway/caller/publish-key-set.ts'
import type { ConfigCache } from '../gateway/config-cache.ts'
import { createForwarder } from '../gateway/forward/forward.ts'
import { createMintForwarder } from '../gateway/forward/forward-mint.ts'
import { mintPaths } from '../gateway/routes.ts'
import { createGateway } from '../gateway/serve.ts'
import type { RequestHandler, RuntimeRequestHandler } from '../http/front/accept-request.ts'
import type { HostDecision } from '../http/front/host-decision.ts'
import { createInference, type Inference } from '../inference/create-inference.ts'
import type { FindVersion } from '../surfaces/named-prompt.ts'
import type { ProcessDependencies } from './dependencies.ts'
import type { InternalHosts } from './internal-hosts.ts'
import { carryTraces, readGateway } from './telemetry.ts'

interface ProjectHosts {
  plane: RuntimeRequestHandler
  /** The handler of a fast-lane request on any host; null if management must answer it. */
  findPlain(host: HostDecision, path: string): RequestHandler | null
  /** The handler of hosts that belong to no project. */
  unknown: RuntimeRequestHandler
  stop(): Promise<void>
}

/** Null in a process without a role that needs it; the api role needs it for its playground. */
export function createInferenceRole(config: Config, dependencies: ProcessDependencies): Inference | null {
  const isNeeded = config.roles.has('inference') || config.roles.has('api')
  if (!isNeeded) return null
  const maskingKey = deriveKey(dependencies.secrets.encryptionKey, ['masking'])
  return createInference({ ...dependencies, maskingKey, settings: giveInferenceSettings(config) })
}

/**
 * `management` is null in a process without the api role, which forwards requests that mint tokens to one that has it.
 * `internalHosts` is the first handler if this process has no gateway.
 */
export function createProjectHosts(
  config: Config,
  dependencies: ProcessDependencies,
  { configs, findVersion }: { configs: ConfigCache; findVersion: FindVersion },
  management: RuntimeRequestHandler | null,
  inference: InferencePort | null,
  internalHosts: Pick<InternalHosts, 'before' | 'findPlain'>,
): ProjectHosts {
  const { outbound, log } = dependencies
  if (!config.roles.has('gateway')) {
    const plane = internalHosts.before(onlyMint(management))
    const unknown = internalHosts.before(refuseUnknown)
    const findPlain: ProjectHosts['findPlain'] = ({ kind }, path) =>
      kind === 'project' || kind === 'internal' ? internalHosts.findPlain(path) : null
    return { plane, findPlain, unknown, stop: () => Promise.resolve() }
  }
  const { apiUrl } = config.addresses
  const { internalSecret } = config.secrets
  const mint = management ?? createMintForwarder({ outbound, apiUrl, internalSecret, log })
  const port = givePort(config, dependencies, inference)
  const gateway = createGateway({
    ...dependencies,
    configs,
    port,
    findVersion,
    settings: giveSettings(config, dependencies),
  })
  readGateway(dependencies.telemetry, gateway)
  const anonymous = gateway.beforeAnonymous(mint)
  const minting = new Map(mintPaths.map(path => [path, path === '/v1/auth/mint' ? mint : anonymous] as const))
  return {
    plane: (request, response, incoming) => (minting.get(incoming.path) ?? gateway.plane)(request, response, incoming),
    findPlain({ kind }, path) {
      if (kind === 'project') return isMint(path) ? null : gateway.plane
      return kind === 'internal' ? internalHosts.findPlain(path) : null
    },
    unknown: internalHosts.before(gateway.plane),
    stop: gateway.stop,
  }
}

/**
 * The handler of the management host in a process without the api role. A gateway still publishes the key set there.
 */
export function standInForManagement(config: Config, { signingKey }: ProcessDependencies): RuntimeRequestHandler {
  if (config.roles.has('gateway')) return createKeySetPlane(keySetDocument(signingKey, config.tokens.previousKeys))
  return () => {
    throw new Refusal('not_found')
  }
}

const refuseUnknown: RuntimeRequestHandler = () => {
  throw new Refusal('unknown_host')
}

const isMint = (path: string): boolean => mintPaths.includes(path)

function onlyMint(management: RuntimeRequestHandler | null): RuntimeRequestHandler {
  return (request, response, incoming) => {
    if (management !== null && isMint(incoming.path)) return management(request, response, incoming)
    throw new Refusal('not_found')
  }
}

/** Forwards to another process if its address is configured, otherwise calls the inference role of this one. */
function givePort(
  config: Config,
  { outbound, log, telemetry }: ProcessDependencies,
  inference: InferencePort | null,
): InferencePort {
  const { inferenceUrl } = config.addresses
  if (inferenceUrl === null) return inference ?? unavailable
  const { times } = config.upstream
  const { internalSecret } = config.secrets
  const forwarder = createForwarder({ outbound, inferenceUrl, internalSecret, ...times, log })
  return carryTraces(forwarder, telemetry.tracer)
}

const unavailable: InferencePort = {
  checkRequest: () => undefined,
  async answer() {
    throw new Refusal('inference_unavailable')
  },
}

function giveInferenceSettings({ providers, platformDefaultModel, platformBounds, recogniserUrl, upstream }: Config) {
  return {
    providers,
    platformDefaultModel,
    platformBounds,
    recogniserUrl,
    ...upstream.times,
  }
}

function giveSettings({ tokens, configCacheTtlMs, listener }: Config, { signingKey }: ProcessDependencies) {
  const ownKeys: OwnKeysOrigin =
    tokens.jwksUrl === null
      ? { kind: 'document', text: JSON.stringify(keySetDocument(signingKey, tokens.previousKeys)) }
      : { kind: 'address', url: tokens.jwksUrl, cacheTtlSeconds: tokens.jwksCacheTtlMs / 1000 }
  return {
    tokenIssuer: tokens.issuer,
    tokenAudience: tokens.audience,
    ownKeys,
    ownKids: new Set([tokens.keyId, ...tokens.previousKeys.map(({ kid }) => kid)]),
    configCacheTtlMs,
    bodyLimitBytes: listener.bodyLimitBytes,
  }
}
