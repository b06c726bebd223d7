// Asks the targets of a call one after another until one begins an answer. Nothing of an answer has been sent by then,
// so that the client sees no failure that another target can heal.

import { hash } from 'node:crypto'
import { type AdmittedCall, refusalOfEnding } from '../call/admitted-call.ts'
import { attemptsHeader, modelHeader } from '../call/inference-port.ts'
import type { Prompt } from '../domain/conversation/prompt.ts'
import { isOfProvider, type ProviderError, refusalOfProviderError } from '../domain/conversation/provider-error.ts'
import { plainTotalTimeoutOf } from '../domain/conversation/upstream-timeouts.ts'
import { Refusal } from '../domain/errors.ts'
import type { CallWatch, Metrics } from '../domain/metrics.ts'
import { providerKindOf } from '../domain/provider.ts'
import { KnownSecrets } from '../providers/known-secrets.ts'
import type { Protocol } from '../providers/protocols/protocol.ts'
import { adapterOf, findProtocol } from '../providers/registry.ts'
import type { Endpoint } from '../surfaces/surface.ts'
import { estimateCount } from './answer/estimate-count.ts'
import { stopAnswer } from './answer/pass-answer.ts'
import type { UpstreamAnswer } from './attempt/attempt.ts'
import { callProvider } from './attempt/call-provider.ts'
import type { FailureLog } from './attempt/log-failures.ts'
import { type AttemptDependencies, promptForProvider } from './attempt/start-attempt.ts'
import type { Breakers } from './target/breakers.ts'
import type { ChosenTarget, ChosenTargets } from './target/choose-target.ts'
import type { CallableTarget, CallableTargets, Turn, TurnRequest } from './turn.ts'
import { recordUsage, type UsageRecorder } from './usage/record-usage.ts'

export interface AskDependencies extends AttemptDependencies {
  breakers: Breakers
  usageRecorder: UsageRecorder
  logFailure: FailureLog
  metrics: Metrics
}

/** The targets whose provider can do what the endpoint asks for. Throws if there is none. */
export function findCallableTargets(
  targets: ChosenTargets,
  { operation }: Endpoint,
  { format }: Prompt,
): CallableTargets {
  const callable: CallableTarget[] = []
  for (const target of targets) {
    const protocol = findProtocol(target, operation.name, format)
    if (protocol !== null || operation.isEstimated) callable.push({ target, protocol })
  }
  const [first, ...others] = callable
  if (first === undefined) throw new Refusal('model_not_supported')
  return [first, ...others]
}

export function watchTarget(
  { metrics }: Pick<AskDependencies, 'metrics'>,
  { call, endpoint, request }: TurnRequest,
  { provider, model, isRegistered }: ChosenTarget,
): CallWatch {
  const target = { provider: providerKindOf(provider), model: isRegistered ? model : null }
  return metrics.watchCall(call.request, { ...target, endpoint: endpoint.name, isStream: request.prompt.stream })
}

/** What all targets of a call share. */
interface Asking {
  /** By `performance.now()`. */
  endsAt: number
  attempts: number
}

/** Throws if no target answers. */
export async function askTargets(dependencies: AskDependencies, turn: Turn): Promise<UpstreamAnswer> {
  const { call, request } = turn
  const totalMs = request.prompt.stream ? dependencies.totalTimeoutMs : plainTotalTimeoutOf(dependencies)
  const asking = { endsAt: performance.now() + totalMs, attempts: 0 }
  const known = await findAnswer(turn)
  if (known !== null) {
    reportTarget(call, turn.current.target, asking)
    return known
  }
  for (const stage of turn.stages) await stage.reserve?.(turn)
  let failure: Failure | null = null
  for (const next of turn.callable) {
    if (next !== turn.current) {
      turn.current = next
      turn.watch = watchTarget(dependencies, turn, next.target)
    }
    const outcome = await askTarget(dependencies, turn, asking)
    if ('begin' in outcome) {
      reportTarget(call, next.target, asking)
      return outcome
    }
    failure = outcome.isFinal ? outcome : moreTelling(failure, outcome)
    if (outcome.isFinal || performance.now() >= asking.endsAt) break
  }
  if (failure === null) throw new Error('a call has no target')
  reportTarget(call, failure.target, asking)
  throw failure.refusal
}

/** Null if a provider must be asked. */
async function findAnswer(turn: Turn): Promise<UpstreamAnswer | null> {
  for (const stage of turn.stages) {
    const answer = (await stage.findAnswer?.(turn)) ?? null
    if (answer === null) continue
    if (turn.call.ending !== null) throw refusalOfEnding(turn.call.ending)
    return answer
  }
  return null
}

/** Only projects with routes get the number of attempts. */
function reportTarget({ response, notes }: AdmittedCall, target: ChosenTarget, { attempts }: Asking): void {
  const { route, modelId } = target
  notes?.noteTarget(target)
  response.setHeader(modelHeader, modelId)
  if (route !== undefined) response.setHeader(attemptsHeader, String(attempts))
}

/** Why a target does not answer. */
interface Failure {
  target: ChosenTarget
  refusal: Refusal
  /** `unsuited`: it was not asked, because it cannot do what the request asks for. */
  kind: 'unsuited' | 'hopeless' | 'passing'
  /** Another target would fail as well. */
  isFinal: boolean
}

const kindsByWeight: readonly Failure['kind'][] = ['unsuited', 'hopeless', 'passing']

/** The client gets the last failure that a retry may heal; otherwise the last one of a provider that was asked. */
function moreTelling(known: Failure | null, next: Failure): Failure {
  if (known === null) return next
  const [old, weight] = [known, next].map(({ kind }) => kindsByWeight.indexOf(kind)) as [number, number]
  return weight > old || (weight === old && next.kind !== 'unsuited') ? next : known
}

async function askTarget(dependencies: AskDependencies, turn: Turn, asking: Asking): Promise<UpstreamAnswer | Failure> {
  const { call } = turn
  const { target, protocol } = turn.current
  if (protocol === null) return estimateCount(turn)
  const { breakers } = dependencies
  if (breakers.failing.size > 0 && !breakers.admits(breakerKeyOf(turn))) {
    return { target, refusal: new Refusal('provider_unavailable'), kind: 'passing', isFinal: false }
  }
  if (call.ending !== null) throw refusalOfEnding(call.ending)
  let outcome: UpstreamAnswer | ProviderError
  try {
    outcome = await callTarget(dependencies, turn, protocol, asking)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { target, refusal: error, kind: 'unsuited', isFinal: false }
  }
  if (call.ending !== null) throw endWithUsage(dependencies, turn, outcome)
  if ('begin' in outcome) {
    if (breakers.failing.size > 0) breakers.noteAnswer(breakerKeyOf(turn))
    return outcome
  }
  if (isOutage(outcome)) breakers.noteFailure(breakerKeyOf(turn))
  else breakers.noteAnswer(breakerKeyOf(turn))
  dependencies.logFailure(call.verified, target, outcome)
  const refusal = refusalOfProviderError(outcome)
  const isHopeless = refusal.details.headers?.['x-should-retry'] === 'false'
  return { target, refusal, kind: isHopeless ? 'hopeless' : 'passing', isFinal: !isOfProvider(outcome) }
}

/** A route's own timeouts have breakers of their own: a short one must not stop the calls of another project. */
function breakerKeyOf({ call, current }: Turn): string {
  const { provider, baseUrl, route } = current.target
  const key = `${call.verified.tenantId} ${provider} ${baseUrl}`
  if (route === undefined || (route.timeoutMs === null && route.firstTokenTimeoutMs === null)) return key
  return `${key} ${route.timeoutMs} ${route.firstTokenTimeoutMs}`
}

/** The breaker counts only outages. */
function isOutage({ class: errorClass }: ProviderError): boolean {
  return ['overloaded', 'server_error', 'timeout', 'network', 'malformed', 'truncated'].includes(errorClass)
}

/** The provider has read the prompt even if the client left before the answer. */
function endWithUsage(dependencies: AskDependencies, turn: Turn, outcome: UpstreamAnswer | ProviderError): Refusal {
  const ending = turn.call.ending ?? 'client_gone'
  const begun = 'begin' in outcome ? outcome : null
  if (begun !== null) stopAnswer(turn, begun, ending)
  if (begun !== null || ending === 'client_gone') recordUsage(dependencies, turn)
  return refusalOfEnding(ending)
}

/** Rejects with a Refusal if the provider's format cannot express the prompt. */
async function callTarget(
  dependencies: AskDependencies,
  turn: Turn,
  protocol: Protocol,
  asking: Asking,
): Promise<UpstreamAnswer | ProviderError> {
  const { call, surface, stages, request, watch, rewriting } = turn
  const { tenantId, projectId, userId } = call.verified
  const { target } = turn.current
  const adapter = adapterOf(target.provider)
  const passes = protocol.wireFormat === surface.wireFormat && rewriting?.changes !== true
  return await callProvider(dependencies, {
    prompt: promptForProvider(turn, protocol),
    target,
    adapter,
    protocol,
    passes,
    tenantId,
    endUserHash: hash('sha256', `${projectId} ${userId}`),
    watch,
    call,
    secrets: new KnownSecrets(adapter, target.credential, credentialsIn(call)),
    // The last events of a response repeat its texts.
    keepsAnswer: stages.some(stage => stage.keepsAnswer) || (request.response !== undefined && !passes),
    endsAt: asking.endsAt,
    noteAttempt: () => {
      asking.attempts++
      turn.collected.noteAsked()
    },
  })
}

/** Of the end user. */
function credentialsIn({ request }: AdmittedCall): string[] {
  const { authorization, 'x-api-key': key } = request.headers
  return [authorization, key].filter(value => typeof value === 'string')
}
