// One completion from the admitted call to the end of its answer, as a straight list of steps. Knows the order; each
// step knows its own rules.

import { createHash } from 'node:crypto'
import { Refusal } from '../domain/errors.ts'
import { isJsonObject } from '../domain/json-object.ts'
import type { Log } from '../domain/log.ts'
import { type ProviderFault, refusalOfFault } from '../domain/provider-fault.ts'
import { type CompletionRequest, readCompletionRequest } from '../domain/read-completion-request.ts'
import type { AdmittedCall, Ending } from '../http/inference-port.ts'
import { arrangeMessages } from './arrange-messages.ts'
import type { Breakers } from './breakers.ts'
import { callProvider } from './call-provider.ts'
import type { ReasoningCarrier } from './carry-reasoning.ts'
import type { TargetChooser } from './choose-target.ts'
import { createCollected } from './collect-answer.ts'
import type { Memory } from './conversation.ts'
import type { ModelRegistry } from './model-registry.ts'
import { passAnswer, refusalOfEnding } from './pass-answer.ts'
import type { BegunAnswer } from './provider-attempt.ts'
import { recordUsage } from './record-usage.ts'
import type { AttemptParts } from './start-attempt.ts'
import type { Turn } from './turn.ts'
import type { Accounts } from './usage-record.ts'

export interface ChatParts extends AttemptParts {
  targets: TargetChooser
  registry: ModelRegistry
  memory: Memory
  reasoning: ReasoningCarrier
  accounts: Accounts
  breakers: Breakers
  log: Log
}

export async function answerChat(parts: ChatParts, call: AdmittedCall): Promise<void> {
  const request = readRequest(call)
  const { settings } = call.resolved
  const conversation = parts.memory.open(call.verified, settings)
  const target = await parts.targets.choose(call.verified.tenantId, settings.provider_model, request.model)
  const recalled = (await conversation?.recall(request.prompt.messages)) ?? []
  const messages = arrangeMessages(settings.system_prompt, recalled, request.prompt.messages)
  const keepsMessage = conversation !== null || request.prompt.tools.length > 0
  const collected = createCollected(keepsMessage)
  const turn: Turn = { call, request, target, conversation, messages, collected }
  const begun = await beginAnswer(parts, turn)
  await passAnswer(parts, turn, begun)
}

function readRequest({ body }: AdmittedCall): CompletionRequest {
  if (body === null || !isJsonObject(body.value)) throw new Refusal('invalid_json')
  return readCompletionRequest(body.value)
}

async function beginAnswer(parts: ChatParts, turn: Turn): Promise<BegunAnswer> {
  const { call, request, target, messages } = turn
  const { tenantId, projectId, userId } = call.verified
  const place = `${tenantId} ${target.provider} ${target.baseUrl}`
  parts.breakers.refuseIfOpen(place)
  if (call.ending.aborted) throw refusalOfEnding(call)
  const said = { ...request.prompt, messages }
  const prompt = { ...said, messages: await parts.reasoning.fill(call.verified, target.provider, said) }
  const endUserHash = createHash('sha256').update(`${projectId} ${userId}`).digest('hex')
  const onReached = () => call.noteReached?.()
  const outcome = await callProvider(parts, { prompt, target, tenantId, endUserHash, onReached }, call.ending)
  const begun = 'begin' in outcome ? outcome : null
  if (call.ending.aborted) {
    turn.collected.noteBroken(begun?.abort() ?? null)
    // Whoever leaves before the answer has still had the prompt read.
    if (begun !== null || (call.ending.reason as Ending) === 'client_gone') recordUsage(parts, turn)
    throw refusalOfEnding(call)
  }
  if (!('begin' in outcome) && isOutage(outcome)) parts.breakers.noteFailure(place)
  else parts.breakers.noteAnswer(place)
  if (!('begin' in outcome)) throw refusalOfFault(outcome)
  return outcome
}

function isOutage({ class: faultClass }: ProviderFault): boolean {
  return ['overloaded', 'server_error', 'timeout', 'network', 'malformed', 'truncated'].includes(faultClass)
}
