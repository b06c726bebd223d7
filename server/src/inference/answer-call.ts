// Answers one admitted call on any endpoint, to the end of its answer. Each step has its own folder.

import type { AdmittedCall } from '../call/admitted-call.ts'
import { asksForJson, type Prompt } from '../domain/conversation/prompt.ts'
import { Refusal } from '../domain/errors.ts'
import type { Log } from '../domain/log.ts'
import { AnswerRewriter } from '../guardrails/answers/answer-rewriter.ts'
import type { Endpoint, Surface } from '../surfaces/surface.ts'
import { Collected } from './answer/collect-answer.ts'
import { passAnswer } from './answer/pass-answer.ts'
import { type AskDependencies, askTargets, findCallableTargets, watchTarget } from './ask-targets.ts'
import type { LargeAnswers } from './attempt/large-answers.ts'
import { type Guard, passUnguarded } from './guard/guard.ts'
import { areAnswersGuarded, isGuarded } from './guard/guard-rules.ts'
import { cannotBeRead } from './guard/tokens-unread.ts'
import { arrangeMessages, withProjectPrompt } from './memory/arrange-messages.ts'
import type { ReasoningCarrier } from './memory/carry-reasoning.ts'
import type { Conversation, Memory } from './memory/memory.ts'
import type { ResponseMemory, StoredResponse } from './memory/stored-responses.ts'
import type { TargetChooser } from './target/choose-target.ts'
import type { Turn } from './turn.ts'

export interface CallDependencies extends AskDependencies {
  targets: TargetChooser
  memory: Memory
  responses: ResponseMemory
  reasoning: ReasoningCarrier
  guard: Pick<Guard, 'check' | 'openAnswer'>
  largeAnswers: LargeAnswers
  log: Log
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
  const request = call.estimated.read(call.resolved.settings)
  const { settings } = call.resolved
  const { operation } = endpoint
  const conversation = operation.remembers
    ? dependencies.memory.open(call.verified, settings, surface.wireFormat)
    : null
  const storedResponse = dependencies.responses.open(call.verified, settings, request.response)
  const wanted = { requested: request.model, endpoint, caller: call.verified }
  const targets =
    dependencies.targets.chooseKnown(settings, wanted) ?? (await dependencies.targets.choose(settings, wanted))
  const callable = findCallableTargets(targets, endpoint, request.prompt)
  const past = request.response?.previousId ? storedResponse : conversation
  const said = past === null ? request.prompt : await recall(past, request.prompt)
  const filling = dependencies.reasoning.fill(call.verified, targets, said)
  const prompt = filling === null ? said : await filling
  const isRead = isGuarded(settings) && !cannotBeRead(prompt, settings)
  const guarded = isRead ? await dependencies.guard.check(call, prompt) : passUnguarded(prompt.messages)
  const { vault } = guarded
  const scanning = await openScan(dependencies.guard, endpoint, call)
  const rewrites = operation.scansAnswer && (vault !== null || scanning !== null)
  const textIsJson = asksForJson(request.prompt.responseFormat)
  const remembers = conversation !== null || storedResponse?.isStored === true
  const keepsAnswer = operation.remembers && (remembers || request.prompt.tools.length > 0)
  // From here on, a client that disconnects ends the call.
  call.watch()
  const turn: Turn = {
    call,
    surface,
    endpoint,
    request,
    ...callable[0],
    conversation,
    storedResponse,
    messages: operation.getsSystemPrompt
      ? withProjectPrompt(settings.system_prompt, guarded.messages)
      : guarded.messages,
    messagesToRemember: remembers ? guarded.forMemory(request.prompt.messages) : [],
    rewriter: rewrites ? new AnswerRewriter({ vault, textIsJson, scanning, ordersParts: surface.ordersParts }) : null,
    rewriterChanges: rewrites && (vault !== null || scanning?.isEnforced === true),
    collected: new Collected(keepsAnswer),
    keepsAnswer,
    watch: watchTarget(dependencies, { call, endpoint, request }, callable[0].target),
  }
  try {
    // A stream may last longer than a vault's lifetime, even before its first event.
    if (request.prompt.stream) vault?.hold()
    const answered = await askTargets(dependencies, turn, callable)
    await passAnswer(dependencies, answered.turn, answered.begun)
  } finally {
    vault?.close()
    scanning?.conclude()
    releaseHeld(dependencies, turn)
  }
}

async function openScan(guard: Pick<Guard, 'openAnswer'>, { operation }: Endpoint, call: AdmittedCall) {
  return operation.scansAnswer && areAnswersGuarded(call.resolved.settings) ? await guard.openAnswer(call) : null
}

/** What the call still holds when it has ended: the memory of its answer, and a reservation that was not settled. */
function releaseHeld({ largeAnswers }: CallDependencies, { call, budget }: Turn): void {
  budget?.release()
  largeAnswers.release(call, call.response)
}

async function recall(past: Pick<Conversation | StoredResponse, 'recall'>, prompt: Prompt): Promise<Prompt> {
  const recalled = await past.recall(prompt.messages)
  return { ...prompt, messages: arrangeMessages(recalled, prompt.messages) }
}
