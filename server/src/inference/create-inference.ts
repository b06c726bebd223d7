// Builds the inference role, and the table from an admitted call's route to the function that answers it.

import { randomBytes } from 'node:crypto'
import { getHeapStatistics } from 'node:v8'
import type { AdmittedCall } from '../call/admitted-call.ts'
import type { InferencePort } from '../call/inference-port.ts'
import { Refusal } from '../domain/errors.ts'
import type { TryGuardrails } from '../domain/guardrails/guardrail-trial.ts'
import { sparseLogOf } from '../log/sparse-log.ts'
import type { Link } from '../sockets/link.ts'
import { createRowWatch } from '../storage/watched-rows.ts'
import { surfaces } from '../surfaces/all-surfaces.ts'
import { answerCall, type CallDependencies } from './answer-call.ts'
import { createLargeAnswers } from './attempt/large-answers.ts'
import { createFailureLog } from './attempt/log-failures.ts'
import { createBudgetCharges } from './budget/charge-budgets.ts'
import { createPlatformCharges } from './budget/platform-charges.ts'
import { createAnswerCache } from './cache/answer-cache.ts'
import type { InferenceDependencies } from './dependencies.ts'
import { createGuard } from './guard/guard.ts'
import { createTryGuardrails } from './guard/try-guardrails.ts'
import { createReasoningCarrier } from './memory/carry-reasoning.ts'
import { checkConversationIds, createMemory } from './memory/memory.ts'
import { createResponseMemory } from './memory/stored-responses.ts'
import { answerFeedback } from './routes/feedback.ts'
import { answerModel, answerModels } from './routes/models.ts'
import { answerResponse, answerResponseDeletion } from './routes/responses.ts'
import { answerThread, answerThreadDeletion, answerThreadList, answerThreadMessages } from './routes/threads.ts'
import { answerUsage } from './routes/usage.ts'
import { createBreakers } from './target/breakers.ts'
import { createTargetChooser } from './target/choose-target.ts'
import { createModelRegistry, type ModelRegistry } from './target/model-registry.ts'
import { createTenantKeys, type TenantKeyFinder } from './target/tenant-keys.ts'
import { handOverUsage, takeUsage } from './usage/hand-over-usage.ts'
import { createUsageBuffer, type UsageBuffer } from './usage/usage-buffer.ts'

/** An eighth of the heap at most: a decoded answer takes several times its bytes. */
const maxOfAllAnswers = Math.min(512 * 1024 * 1024, getHeapStatistics().heap_size_limit / 8)

export interface Inference extends InferencePort {
  /**
   * Resolves once the usage of all answers of this machine so far is in the database, or cannot be written right now.
   */
  writeUsage(): Promise<void>
  /** The same for the answers of this process. */
  writeOwnUsage(): Promise<void>
  /** Also writes the rows of usage of the process at the other end. */
  takeUsageOf(link: Link): void
  tryGuardrails: TryGuardrails
  stop(): Promise<void>
}

export function createInference(dependencies: InferenceDependencies): Inference {
  const { sql, now, log, settings } = dependencies
  const rows = createRowWatch(sql, now, log)
  const registry = createModelRegistry(sql, rows)
  const tenantKeys = createTenantKeys(dependencies)
  const usageRecorder = openUsage(dependencies)
  const guard = createGuard(dependencies)
  const charging = { ...dependencies, writeUsage: () => usageRecorder.flush() }
  const budgets = createBudgetCharges({ ...charging, rows })
  const platform = createPlatformCharges(charging, settings.platformBounds)
  const parts: CallDependencies = {
    outbound: dependencies.outbound,
    clouds: dependencies.clouds,
    now,
    newToolCallId,
    timeoutMs: settings.timeoutMs,
    idleTimeoutMs: settings.idleTimeoutMs,
    totalTimeoutMs: settings.totalTimeoutMs,
    targets: createTargetChooser(registry, tenantKeys, settings, now),
    memory: createMemory(dependencies),
    responses: createResponseMemory(dependencies),
    reasoning: createReasoningCarrier(dependencies.kv, log),
    answerCache: createAnswerCache(dependencies),
    guard,
    budgets,
    platform,
    usageRecorder,
    requestContent: dependencies.requestContent,
    breakers: createBreakers(now),
    largeAnswers: createLargeAnswers(maxOfAllAnswers, log),
    logFailure: createFailureLog(sparseLogOf(log)),
    metrics: dependencies.metrics,
    log,
  }
  const writeUsage = async (): Promise<void> => {
    await Promise.all([usageRecorder.flush(), dependencies.writeUsageOfOthers()])
  }
  const answers = listAnswers(dependencies, { registry, tenantKeys, writeUsage, parts })
  return {
    checkRequest(estimated, verified, rules) {
      estimated.read(rules)
      if (verified.threadId !== null || verified.sessionId !== null) checkConversationIds(verified)
    },
    answer(call) {
      const answerRoute = answers[call.route]
      return answerRoute === undefined ? Promise.reject(new Refusal('inference_unavailable')) : answerRoute(call)
    },
    writeUsage,
    writeOwnUsage: () => usageRecorder.flush(),
    takeUsageOf: link => takeUsage(link, usageRecorder),
    tryGuardrails: createTryGuardrails(dependencies),
    async stop() {
      for (const cache of [rows, tenantKeys]) cache.stop()
      await guard.stop()
      await budgets.stop()
      await platform?.stop()
      await usageRecorder.stop()
    },
  }
}

function openUsage({ sql, now, log, metrics, kv: { shelf }, usageLink }: InferenceDependencies): UsageBuffer {
  return usageLink === null ? createUsageBuffer({ sql, now, log, metrics, shelf }) : handOverUsage(usageLink)
}

interface Answering {
  registry: ModelRegistry
  tenantKeys: TenantKeyFinder
  writeUsage(): Promise<void>
  parts: CallDependencies
}

/** By the patterns of the routes. */
function listAnswers(
  { sql, requestDays, requests, now, settings }: InferenceDependencies,
  { registry, tenantKeys, writeUsage, parts }: Answering,
): Record<string, (call: AdmittedCall) => Promise<void>> {
  const models = { registry, tenantKeys, settings }
  const answers: Record<string, (call: AdmittedCall) => Promise<void>> = {
    '/v1/models': call => answerModels(models, call),
    '/v1/models/:id': call => answerModel(models, call),
    '/v1/threads': call => answerThreadList(sql, call),
    '/v1/threads/:id': call => (call.request.method === 'DELETE' ? answerThreadDeletion : answerThread)(sql, call),
    '/v1/threads/:id/messages': call => answerThreadMessages(sql, call),
    '/v1/responses/:id': call =>
      (call.request.method === 'DELETE' ? answerResponseDeletion : answerResponse)({ sql, now }, call),
    '/v1/billing/usage': call => answerUsage({ sql, writeUsage }, call),
    '/v1/feedback': call => answerFeedback({ requestDays, requests, now }, call),
  }
  for (const surface of surfaces) {
    for (const endpoint of surface.endpoints) {
      const answer = (call: AdmittedCall) => answerCall(parts, { surface, endpoint }, call)
      answers[endpoint.pattern] = answer
    }
  }
  return answers
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

function newToolCallId(): string {
  return `call_${Array.from(randomBytes(24), byte => letters[byte % letters.length]).join('')}`
}
