// The data plane of project hosts. `serve` runs the steps of a request in order: project, CORS, route, credential,
// restrictions, body, admission, answer. Each step is in a file of its own; the inference role is passed in as `port`.

import type { Kysely } from 'kysely'
import { AdmittedCall } from '../call/admitted-call.ts'
import type { InferencePort } from '../call/inference-port.ts'
import type { RequestRecorder } from '../call/log-request.ts'
import { RequestNotes } from '../call/request-notes.ts'
import { createTokenVerifier } from '../crypto/tokens/token-verifier.ts'
import type { Verified } from '../domain/caller.ts'
import type { TokenEstimate } from '../domain/conversation/token-estimate.ts'
import { checkUserId } from '../domain/end-users/user-id.ts'
import { Refusal } from '../domain/errors.ts'
import type { Log } from '../domain/log.ts'
import type { Metrics } from '../domain/metrics.ts'
import type { ErrorFormat } from '../http/error-formats.ts'
import type { PlaneRequest, PlaneResponse } from '../http/exchange.ts'
import type { RequestHandler, RuntimeRequestHandler } from '../http/front/accept-request.ts'
import type { Incoming } from '../http/incoming.ts'
import type { Store } from '../kv/store.ts'
import type { Outbound } from '../outbound/outbound.ts'
import type { Schema } from '../storage/schema.ts'
import type { FindVersion } from '../surfaces/named-prompt.ts'
import { createActivityNotes } from './activity.ts'
import { type Admitted, createAdmit, showLimits } from './admission/admit.ts'
import { createCallsInFlight } from './admission/calls-in-flight.ts'
import type { LocalAdmissions } from './admission/local-admissions.ts'
import { createProjectTallies } from './admission/project-tally.ts'
import { createSettlements, ReservationAccount, type Settlements } from './admission/settle.ts'
import { beforeAnonymous } from './before-anonymous.ts'
import { createAuthenticate } from './caller/authenticate.ts'
import { createExternalProviders } from './caller/external-providers.ts'
import { noteUnknownHost } from './caller/note-unknown-host.ts'
import { createOwnKeys, type OwnKeysOrigin } from './caller/own-keys.ts'
import { createCheckTier } from './check-tier.ts'
import type { ConfigCache } from './config-cache.ts'
import { answerOptions, answerPreflight, applyCors, isPreflight } from './cors.ts'
import { createDiagnosticNotes } from './diagnostics.ts'
import { createProjectFinder } from './find-project.ts'
import { createKillSwitchState } from './kill-switches.ts'
import { createRequestLog } from './log-requests.ts'
import { createLocalAdmissions } from './outage/admit-locally.ts'
import { createBudgetReader } from './outage/read-budget.ts'
import { createReplicas, type Replicas } from './outage/replicas.ts'
import { createSeenWindows } from './outage/seen-windows.ts'
import type { ProjectConfig } from './project-config.ts'
import { findKnownConfig, getConfig } from './read-config.ts'
import { refuse } from './refuse.ts'
import { createRestrictionState, refuseIfRestricted } from './restrictions.ts'
import { findRoute, type GatewayRoute, gatewayErrorsOf } from './routes.ts'
import { type BodyAndEstimate, createTakeBody } from './take-body.ts'

export interface GatewayDependencies {
  sql: Kysely<Schema>
  kv: Store
  outbound: Outbound
  now: () => number
  randomId: () => string
  /** This process's name among all that share the store. */
  replicaId: string
  log: Log
  metrics?: Pick<Metrics, 'killSwitchesSeen' | 'requestRows'>
  /** Writes the rows of the request log. */
  requests: RequestRecorder
  /** Shared with the inference role of this process; stopped by its creator. */
  configs: ConfigCache
  port: InferencePort
  /** Shared, too. */
  findVersion: FindVersion
  settings: GatewaySettings
}

export interface GatewaySettings {
  tokenIssuer: string
  tokenAudience: string
  ownKeys: OwnKeysOrigin
  /** The ids of our own signing keys. External key sets must not use them. */
  ownKids: ReadonlySet<string>
  configCacheTtlMs: number
  bodyLimitBytes: number
}

export interface Gateway {
  plane: RequestHandler
  /** What must happen before management answers its routes for anonymous users. */
  beforeAnonymous(next: RuntimeRequestHandler): RuntimeRequestHandler
  /** For metrics: admissions during store outages, and settlements by outcome. */
  readonly counters: { local: LocalAdmissions['counters']; settlements: Settlements['counters'] }
  readonly replicas: Pick<Replicas, 'count'>
  stop(): Promise<void>
}

export function createGateway(dependencies: GatewayDependencies): Gateway {
  const steps = assemble(dependencies)
  return {
    plane: (request, response, incoming) => serve(steps, request, response, incoming),
    beforeAnonymous: next =>
      beforeAnonymous(
        {
          ...steps,
          getConfig: async incoming => findKnownConfig(steps, incoming) ?? (await getConfig(steps, incoming)),
        },
        next,
      ),
    counters: steps.counters,
    replicas: steps.replicas,
    stop: steps.stop,
  }
}

type Steps = ReturnType<typeof assemble>

function assemble(dependencies: GatewayDependencies) {
  const { kv, sql, now, log, settings, configs, port, findVersion, metrics, replicaId } = dependencies
  const { configCacheTtlMs: cacheTtlMs, ownKids } = settings
  const externals = createExternalProviders({ kv, sql, now, log, cacheTtlMs, ownKids })
  const settlements = createSettlements({ log })
  const replicas = createReplicas({ kv, id: replicaId, now, log })
  const seen = createSeenWindows({ kv, replicas, now, log })
  // The store in the process is never unavailable.
  const reported = kv.kind === 'process' ? null : seen
  const switches = createKillSwitchState({ kv, sql, now, log })
  const restrictions = createRestrictionState({ kv, sql, now, log })
  const diagnostics = createDiagnosticNotes({ kv, log })
  const activity = createActivityNotes({ kv, log })
  const tallyOf = createProjectTallies()
  const budgets = createBudgetReader({ sql, tallyOf, now, log })
  const local = createLocalAdmissions({ ...dependencies, switches, restrictions, replicas, seen, tallyOf, budgets })
  const openCalls = createCallsInFlight({ switches, configs, restrictions, local, log })
  switches.onChange(({ revision, global, tenants, projects }) => {
    metrics?.killSwitchesSeen(revision, { global: global ? 1 : 0, tenant: tenants.size, project: projects.size })
  })
  const bodies = { findVersion, maxBytes: settings.bodyLimitBytes, now }
  const verifier = createTokenVerifier({
    ownKeys: createOwnKeys(settings.ownKeys, dependencies),
    ownRules: { issuer: settings.tokenIssuer, audience: settings.tokenAudience },
    checkUserId: readUserId,
    now,
  })
  return {
    projects: createProjectFinder({ kv, sql, now, log }),
    configs,
    switches,
    restrictions,
    authenticate: createAuthenticate(verifier, externals, diagnostics),
    checkTier: createCheckTier({ configs, diagnostics, now }),
    verifier,
    diagnostics,
    activity,
    requestLog: createRequestLog({ requests: dependencies.requests, metrics, now }),
    takeBody: createTakeBody({ ...bodies, switches, configs, restrictions, port }),
    admit: createAdmit({ ...dependencies, switches, restrictions, local, seen: reported, tallyOf, settlements }),
    settlements,
    openCalls,
    now,
    port,
    log,
    counters: { local: local.counters, settlements: settlements.counters },
    replicas,
    async stop() {
      for (const part of [externals, openCalls, switches, restrictions, seen]) part.stop()
      await Promise.all([settlements.stop(), local.stop(), diagnostics.stop(), activity.stop()])
      await replicas.stop()
    },
  }
}

function readUserId(id: string): string | null {
  const checked = checkUserId(id)
  return checked.ok ? checked.value : null
}

async function serve(steps: Steps, request: PlaneRequest, response: PlaneResponse, incoming: Incoming) {
  let format: ErrorFormat | null = null
  let call: AdmittedCall | null = null
  let verified: Verified | null = null
  let known: ProjectConfig | null = null
  try {
    // Each step returns cached data synchronously and a promise only if it must wait, which saves microseconds.
    let config = findKnownConfig(steps, incoming) ?? (await getConfig(steps, incoming))
    known = config
    response.setHeader('vary', 'Origin')
    const { origin } = request.headers
    if (origin !== undefined) {
      const isReadable = applyCors(response, origin, config.live.settings)
      if (!isReadable) steps.diagnostics.note(config.project, 'origin_rejected', origin)
      if (isPreflight(request)) return answerPreflight(request, response, isReadable)
    }
    if (incoming.method === 'OPTIONS') return answerOptions(response, incoming.path)
    const route = findRoute(incoming.method, incoming.path)
    incoming.logContext.route = route.pattern
    const { acceptsApiKeyHeader, surface } = route
    const { requestIdHeader } = surface
    if (requestIdHeader !== null) response.setHeader(requestIdHeader, incoming.id)
    const authenticated = steps.authenticate(request, incoming.id, config, acceptsApiKeyHeader)
    verified = authenticated instanceof Promise ? await authenticated : authenticated
    const { project } = config
    const restrictions = steps.restrictions.find(project.projectId) ?? (await steps.restrictions.get(project))
    if (isStopped(steps, config)) await refuseIfStopped(steps, config)
    if (!restrictions.isEmpty) refuseIfRestricted(restrictions, verified)
    const mayRefuseTier = verified.tier !== null && config.live.settings.unknown_tier === 'reject'
    if (route.endpoint !== null || mayRefuseTier) format = route.surface
    if (mayRefuseTier) config = await steps.checkTier(verified, config)
    const taken = steps.takeBody(route, verified, request, config)
    const read = taken instanceof Promise ? await taken : taken
    const bodyAt = steps.now()
    const estimate = estimateToReserve(route, read)
    const admitting = steps.admit({ verified, estimate, restrictions }, config)
    const admitted = admitting instanceof Promise ? await admitting : admitting
    if (verified.tier !== admitted.resolved.tier) steps.diagnostics.note(project, 'unknown_tier', verified.tier ?? '')
    showLimits(admitted.requests, admitted.tokens, response)
    format = route.surface
    call = createCall(steps, admitted, { request, response, incoming, route, verified, read, estimate, bodyAt })
    try {
      await steps.port.answer(call)
    } finally {
      call.finish()
    }
  } catch (error) {
    if (error instanceof Refusal && error.code === 'unknown_host') noteUnknownHost(steps, request)
    const gateway = gatewayErrorsOf(incoming.path)
    refuse(steps.log, response, error, { gateway, format: format ?? gateway }, incoming.id)
  }
  const { projectId } = incoming.logContext
  if (projectId === undefined) return
  steps.activity.note(projectId, response, call, steps.now() - incoming.receivedAt)
  if (known === null || (call !== null && call.notes === undefined)) return
  steps.requestLog.note({ request, response, incoming }, { config: known, verified, call })
}

interface AdmittedRequest {
  request: PlaneRequest
  response: PlaneResponse
  incoming: Incoming
  route: GatewayRoute
  verified: Verified
  read: BodyAndEstimate
  /** What it reserved; null if nothing. */
  estimate: TokenEstimate | null
  /** When the body had been read. */
  bodyAt: number
}

/** Null for a request that costs no tokens. */
function estimateToReserve({ endpoint }: GatewayRoute, { estimated }: BodyAndEstimate): TokenEstimate | null {
  return estimated !== null && endpoint?.operation.reservesTokens === true ? estimated.estimate : null
}

function createCall({ settlements, openCalls, now }: Steps, admitted: Admitted, given: AdmittedRequest): AdmittedCall {
  const { request, response, incoming, route, verified, read, estimate, bodyAt } = given
  const { receivedAt } = incoming
  const isLogged = admitted.resolved.settings.request_log !== 'off'
  return new AdmittedCall(
    {
      verified,
      route: route.pattern,
      format: route.surface,
      request,
      response,
      ...read,
      live: admitted.config.live,
      resolved: admitted.resolved,
      promptEstimate: estimate === null ? null : estimate.prompt,
      reportsUsage: false,
      notes: isLogged ? new RequestNotes({ receivedAt, bodyAt, admittedAt: now() }, now) : undefined,
    },
    {
      // A request that reserved nothing has nothing to settle.
      account: estimate === null ? null : new ReservationAccount(settlements, verified.requestId, admitted),
      registry: openCalls,
      onCutOff: incoming.onCutOff,
      now,
    },
  )
}

/**
 * Rejects a stopped project before its body is read, if the cache knows that it is stopped. The admission finds all
 * other cases.
 */
function isStopped({ switches }: Steps, { project, status }: ProjectConfig): boolean {
  return status === 'suspended' || (switches.state.isAnyOn && switches.find(project) !== null)
}

async function refuseIfStopped({ switches }: Steps, { project, status }: ProjectConfig): Promise<void> {
  if (switches.find(project) !== null) await switches.refuseIfOn(project, 1_000)
  if (status === 'suspended') throw new Refusal('traffic_suspended')
}
