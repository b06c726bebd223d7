// Answers one admitted call on any endpoint, to the end of its answer. A feature has its part in it as a stage; only
// the stages that are on are in the list.

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AdmittedCall } from '../call/admitted-call.ts'
import type { Prompt } from '../domain/conversation/prompt.ts'
import { Refusal } from '../domain/errors.ts'
import { largeLength } from '../domain/json/json-text.ts'
import type { ResolvedConfig } from '../domain/resolved-config.ts'
import type { GivenBudgets } from '../storage/budgets/budget-rows.ts'
import type { RequestContent } from '../storage/request-log/request-content.ts'
import type { Endpoint, Surface } from '../surfaces/surface.ts'
import { Collected } from './answer/collect-answer.ts'
import { ContentStage } from './answer/keep-content.ts'
import { type PassDependencies, passAnswer } from './answer/pass-answer.ts'
import { type AskDependencies, askTargets, findCallableTargets, watchTarget } from './ask-targets.ts'
import { BudgetStage } from './budget/budget-stage.ts'
import type { BudgetCharges } from './budget/charge-budgets.ts'
import type { PlatformCharges } from './budget/platform-charges.ts'
import { PlatformStage, paysPlatform } from './budget/platform-stage.ts'
import type { AnswerCache } from './cache/answer-cache.ts'
import type { Guard } from './guard/guard.ts'
import { GuardStage } from './guard/guard-stage.ts'
import type { ReasoningCarrier } from './memory/carry-reasoning.ts'
import type { Memory } from './memory/memory.ts'
import { ReasoningStage } from './memory/reasoning-stage.ts'
import type { ResponseMemory } from './memory/stored-responses.ts'
import type { TargetChooser } from './target/choose-target.ts'
import type { Stage, Turn, TurnRequest } from './turn.ts'

export interface CallDependencies extends AskDependencies, PassDependencies {
  targets: TargetChooser
  memory: Memory
  responses: ResponseMemory
  reasoning: ReasoningCarrier
  guard: Pick<Guard, 'check' | 'openAnswer'>
  answerCache: AnswerCache
  budgets: BudgetCharges
  requestContent: Pick<RequestContent, 'add'>
  /** Null if the operator does not bound what the platform's keys pay for. */
  platform: PlatformCharges | null
}

export interface CalledEndpoint {
  surface: Surface
  endpoint: Endpoint
}

export async function answerCall(
  dependencies: CallDependencies,
  { surface, endpoint }: CalledEndpoint,
  call: AdmittedCall,
): Promise<void> {
  if (call.estimated === null) throw new Refusal('invalid_json')
  const { settings } = call.resolved
  const request = call.estimated.read(call.rules)
  const wanted = { requested: request.model, endpoint, caller: call.verified }
  const targets =
    dependencies.targets.chooseKnown(settings, wanted) ?? (await dependencies.targets.choose(settings, wanted))
  const callable = findCallableTargets(targets, endpoint, request.prompt)
  call.notes?.noteRequest(request)
  const turn = createTurn(dependencies, { call, surface, endpoint, request, callable })
  try {
    for (const stage of turn.stages) await stage.prepare?.(turn)
    if (endpoint.operation.getsSystemPrompt && settings.system_prompt) {
      const { messages } = turn
      turn.messages = [{ role: 'system', content: settings.system_prompt }, ...messages]
    }
    // From here on, a client that disconnects ends the call.
    call.watch()
    // A large request is translated in a turn of its own.
    if (call.body !== null && call.body.bytes.length >= largeLength) await nextTurn()
    await passAnswer(dependencies, turn, await askTargets(dependencies, turn))
  } finally {
    for (const stage of turn.stages) stage.release?.()
  }
}

function createTurn(dependencies: CallDependencies, given: TurnRequest): Turn {
  const stages = openStages(dependencies, given)
  const { messages, source } = given.request.prompt
  return {
    ...given,
    stages,
    collected: new Collected(stages.some(({ keepsAnswer }) => keepsAnswer)),
    current: given.callable[0],
    watch: watchTarget(dependencies, given, given.callable[0].target),
    messages,
    source,
    storedMessages: messages,
    rewriting: null,
    isPaid: false,
  }
}

/** A stage that is off for this call costs no more than its line here. */
function openStages(dependencies: CallDependencies, given: TurnRequest): Stage[] {
  const { call, endpoint, request, callable } = given
  const { settings, guarded } = call.resolved
  const { memory, responses, reasoning, guard, requestContent, answerCache, budgets, platform } = dependencies
  const { remembers, scansAnswer, caches, chargesMoney } = endpoint.operation
  const stages: (Stage | null)[] = []
  if (remembers && settings.memory_enabled) stages.push(memory.open(given))
  if (request.response !== undefined) stages.push(responses.open(call.verified, settings, request.response))
  if (usesTools(request.prompt)) stages.push(new ReasoningStage(reasoning, given))
  if (guarded.requests || (scansAnswer && guarded.answers)) stages.push(new GuardStage(guard))
  if (settings.request_log === 'content') stages.push(new ContentStage(requestContent, given))
  if (caches && settings.cache !== null) stages.push(answerCache.open(given, settings.cache))
  if (chargesMoney && platform !== null && callable.some(paysPlatform)) stages.push(new PlatformStage(platform))
  if (chargesMoney && mayCharge(call.resolved.budgets, budgets.known())) stages.push(new BudgetStage(budgets))
  return stages.filter(stage => stage !== null)
}

/** False if no budget can be in force. */
function mayCharge({ project, tier }: ResolvedConfig['budgets'], given: GivenBudgets | null): boolean {
  if (given === null || project.length > 0 || tier.length > 0) return true
  return given.tenants.size > 0 || given.endUsers.size > 0
}

/** Only then is there reasoning that a provider wants back. */
function usesTools({ tools, messages }: Prompt): boolean {
  return tools.length > 0 || messages.some(message => message.role === 'assistant' && message.toolCalls.length > 0)
}
