// Answers one completion on any surface, from the admitted call to the end of its answer. Each step has its own
// folder.

import { hash } from 'node:crypto'
import { asksForJson, type Prompt } from '../domain/conversation/prompt.ts'
import { type ProviderError, refusalOfProviderError } from '../domain/conversation/provider-error.ts'
import { Refusal } from '../domain/errors.ts'
import type { Log } from '../domain/log.ts'
import type { CallWatch, Metrics } from '../domain/metrics.ts'
import { AnswerRewriter } from '../guardrails/answers/answer-rewriter.ts'
import type { AdmittedCall } from '../http/admitted-call.ts'
import type { Surface } from '../surfaces/surface.ts'
import { Collected } from './answer/collect-answer.ts'
import { giveUp, passAnswer, refusalOfEnding } from './answer/pass-answer.ts'
import type { UpstreamAnswer } from './attempt/attempt.ts'
import { callProvider } from './attempt/call-provider.ts'
import type { LargeAnswers } from './attempt/large-answers.ts'
import type { FailureLog } from './attempt/log-failures.ts'
import type { AttemptDependencies } from './attempt/start-attempt.ts'
import { type Guard, passUnguarded } from './guard/guard.ts'
import { areAnswersGuarded, isGuarded } from './guard/guard-rules.ts'
import { arrangeMessages, withProjectPrompt } from './memory/arrange-messages.ts'
import type { ReasoningCarrier } from './memory/carry-reasoning.ts'
import type { Conversation, Memory } from './memory/memory.ts'
import type { Breakers } from './target/breakers.ts'
import type { ChosenTarget, TargetChooser } from './target/choose-target.ts'
import type { ModelRegistry } from './target/model-registry.ts'
import type { Turn } from './turn.ts'
import { recordUsage, type UsageRecorder } from './usage/record-usage.ts'

export interface ChatDependencies extends AttemptDependencies {
  targets: TargetChooser
  registry: ModelRegistry
  memory: Memory
  reasoning: ReasoningCarrier
  guard: Pick<Guard, 'check' | 'openAnswer'>
  usageRecorder: UsageRecorder
  breakers: Breakers
  largeAnswers: LargeAnswers
  logFailure: FailureLog
  metrics: Metrics
  log: Log
}

export async function answerChat(dependencies: ChatDependencies, surface: Surface, call: AdmittedCall): Promise<void> {
  if (call.asked === null) throw new Refusal('invalid_json')
  const request = call.asked.read(call.resolved.settings)
  const { settings } = call.resolved
  const conversation = dependencies.memory.open(call.verified, settings)
  const { tenantId } = call.verified
  const target =
    dependencies.targets.chooseKnown(tenantId, settings, request.model) ??
    (await dependencies.targets.choose(tenantId, settings, request.model))
  const said = conversation === null ? request.prompt : await recall(conversation, request.prompt)
  const filling = dependencies.reasoning.fill(call.verified, target.provider, said)
  const prompt = filling === null ? said : await filling
  const guarded = isGuarded(settings) ? await dependencies.guard.check(call, prompt) : passUnguarded(prompt.messages)
  const { vault } = guarded
  const scanning = areAnswersGuarded(settings) ? dependencies.guard.openAnswer(call) : null
  const textIsJson = asksForJson(request.prompt.responseFormat)
  const keepsAnswer = conversation !== null || request.prompt.tools.length > 0
  // From here on, a client that disconnects ends the call.
  call.watch()
  const turn: Turn = {
    call,
    surface,
    request,
    target,
    breakerKey: `${tenantId} ${target.provider} ${target.baseUrl}`,
    conversation,
    messages: withProjectPrompt(settings.system_prompt, guarded.messages),
    messagesToRemember: conversation === null ? [] : guarded.forMemory(request.prompt.messages),
    rewriter: vault === null && scanning === null ? null : new AnswerRewriter({ vault, textIsJson, scanning }),
    rewriterChanges: vault !== null || scanning?.isEnforced === true,
    collected: new Collected(keepsAnswer),
    keepsAnswer,
    watch: watchTarget(dependencies, call, target, request.prompt.stream),
  }
  try {
    // A stream may last longer than a vault's lifetime, even before its first event.
    if (request.prompt.stream) vault?.hold()
    const outcome = await askProvider(dependencies, turn)
    await passAnswer(dependencies, turn, beginAnswer(dependencies, turn, outcome))
  } finally {
    vault?.close()
    scanning?.conclude()
    dependencies.largeAnswers.release(call, call.response)
  }
}

async function recall(conversation: Conversation, prompt: Prompt): Promise<Prompt> {
  const recalled = await conversation.recall(prompt.messages)
  return { ...prompt, messages: arrangeMessages(recalled, prompt.messages) }
}

function watchTarget(
  { metrics, registry }: ChatDependencies,
  { request }: AdmittedCall,
  { provider, modelId, model }: ChosenTarget,
  isStream: boolean,
): CallWatch {
  const isKnown = registry.find(modelId) !== undefined
  return metrics.watchCall(request, { provider, model: isKnown ? model : null, isStream })
}

function askProvider(dependencies: ChatDependencies, turn: Turn): Promise<UpstreamAnswer | ProviderError> {
  const { call, request, target, messages, watch, keepsAnswer } = turn
  const { tenantId, projectId, userId } = call.verified
  dependencies.breakers.throwIfOpen(turn.breakerKey)
  if (call.ending !== null) throw refusalOfEnding(call.ending)
  const prompt = messages === request.prompt.messages ? request.prompt : { ...request.prompt, messages }
  const endUserHash = hash('sha256', `${projectId} ${userId}`)
  const asked = { prompt, target, tenantId, endUserHash, watch, call, keepsAnswer }
  return callProvider(dependencies, asked)
}

/** Returns the answer; throws if the call has ended or the provider failed. The breaker counts only outages. */
function beginAnswer(
  dependencies: ChatDependencies,
  turn: Turn,
  outcome: UpstreamAnswer | ProviderError,
): UpstreamAnswer {
  const { call, target } = turn
  const begun = 'begin' in outcome ? outcome : null
  if (call.ending !== null) {
    if (begun !== null) giveUp(turn, begun)
    // The provider has read the prompt even if the client left before the answer.
    if (begun !== null || call.ending === 'client_gone') recordUsage(dependencies, turn)
    throw refusalOfEnding(call.ending)
  }
  if (!('begin' in outcome) && isOutage(outcome)) dependencies.breakers.noteFailure(turn.breakerKey)
  else dependencies.breakers.noteAnswer(turn.breakerKey)
  if ('begin' in outcome) return outcome
  dependencies.logFailure(call.verified, target, outcome)
  throw refusalOfProviderError(outcome)
}

function isOutage({ class: errorClass }: ProviderError): boolean {
  return ['overloaded', 'server_error', 'timeout', 'network', 'malformed', 'truncated'].includes(errorClass)
}
