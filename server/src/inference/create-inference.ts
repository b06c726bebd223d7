// Builds the inference role, and the table from an admitted call's route to the function that answers it.

import { randomBytes } from 'node:crypto'
import { getHeapStatistics } from 'node:v8'
import { Refusal } from '../domain/errors.ts'
import type { TryGuardrails } from '../domain/guardrails/guardrail-trial.ts'
import type { AdmittedCall } from '../http/admitted-call.ts'
import type { InferencePort } from '../http/inference-port.ts'
import { sparseLogOf } from '../log/sparse-log.ts'
import { surfaces } from '../surfaces/all-surfaces.ts'
import { createLargeAnswers } from './attempt/large-answers.ts'
import { createFailureLog } from './attempt/log-failures.ts'
import { answerChat, type ChatDependencies } from './chat.ts'
import type { InferenceDependencies } from './dependencies.ts'
import { createGuard } from './guard/guard.ts'
import { createTryGuardrails } from './guard/try-guardrails.ts'
import { createReasoningCarrier } from './memory/carry-reasoning.ts'
import { checkConversationIds, createMemory } from './memory/memory.ts'
import { answerModels } from './routes/models.ts'
import { answerThread, answerThreadDeletion, answerThreadList, answerThreadMessages } from './routes/threads.ts'
import { answerUsage } from './routes/usage.ts'
import { createBreakers } from './target/breakers.ts'
import { createTargetChooser } from './target/choose-target.ts'
import { createModelRegistry } from './target/model-registry.ts'
import { createTenantKeys } from './target/tenant-keys.ts'
import { createUsageBuffer } from './usage/usage-buffer.ts'

/** An eighth of the heap at most: a decoded answer takes several times its bytes. */
const maxOfAllAnswers = Math.min(512 * 1024 * 1024, getHeapStatistics().heap_size_limit / 8)

export interface Inference extends InferencePort {
  /** Resolves once the usage of all answers so far is in the database, or cannot be written right now. */
  writeUsage(): Promise<void>
  tryGuardrails: TryGuardrails
  stop(): Promise<void>
}

export function createInference(dependencies: InferenceDependencies): Inference {
  const { sql, now, log, settings } = dependencies
  const registry = createModelRegistry(sql, now, log)
  const tenantKeys = createTenantKeys(dependencies)
  const usageRecorder = createUsageBuffer({
    sql,
    log,
    metrics: dependencies.metrics,
    shelf: dependencies.kv.shelf,
  })
  const guard = createGuard(dependencies)
  const chat: ChatDependencies = {
    outbound: dependencies.outbound,
    now,
    newToolCallId,
    timeoutMs: settings.timeoutMs,
    idleTimeoutMs: settings.idleTimeoutMs,
    totalTimeoutMs: settings.totalTimeoutMs,
    targets: createTargetChooser(registry, tenantKeys, settings),
    registry,
    memory: createMemory(dependencies),
    reasoning: createReasoningCarrier(dependencies.kv, log),
    guard,
    usageRecorder,
    breakers: createBreakers(now),
    largeAnswers: createLargeAnswers(maxOfAllAnswers, log),
    logFailure: createFailureLog(sparseLogOf(log)),
    metrics: dependencies.metrics,
    log,
  }
  const models = { registry, tenantKeys, settings }
  const answers: Record<string, (call: AdmittedCall) => Promise<void>> = {
    '/v1/models': call => answerModels(models, call),
    '/v1/threads': call => answerThreadList(sql, call),
    '/v1/threads/:id': call => (call.request.method === 'DELETE' ? answerThreadDeletion : answerThread)(sql, call),
    '/v1/threads/:id/messages': call => answerThreadMessages(sql, call),
    '/v1/billing/usage': call => answerUsage({ sql, usageRecorder }, call),
  }
  for (const surface of surfaces) answers[surface.pattern] = call => answerChat(chat, surface, call)
  return {
    check(asked, verified, rules) {
      asked.read(rules)
      checkConversationIds(verified)
    },
    answer(call) {
      const answerRoute = answers[call.route]
      return answerRoute === undefined ? Promise.reject(new Refusal('inference_unavailable')) : answerRoute(call)
    },
    writeUsage: () => usageRecorder.flush(),
    tryGuardrails: createTryGuardrails(dependencies),
    async stop() {
      registry.stop()
      tenantKeys.stop()
      await guard.stop()
      await usageRecorder.stop()
    },
  }
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

function newToolCallId(): string {
  return `call_${Array.from(randomBytes(24), byte => letters[byte % letters.length]).join('')}`
}
