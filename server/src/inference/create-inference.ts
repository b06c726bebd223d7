// The inference role, put together: which step answers which route of an admitted call.

import { randomBytes } from 'node:crypto'
import { getHeapStatistics } from 'node:v8'
import { Refusal } from '../domain/errors.ts'
import type { AdmittedCall, InferencePort } from '../http/inference-port.ts'
import { sparseLogOf } from '../http/sparse-log.ts'
import { createAccounts } from './accounts.ts'
import { createBreakers } from './breakers.ts'
import { createReasoningCarrier } from './carry-reasoning.ts'
import { answerChat, type ChatParts, readChat } from './chat.ts'
import { createTargetChooser } from './choose-target.ts'
import { createGuard } from './guard.ts'
import { createLargeAnswers } from './large-answers.ts'
import { createMemory } from './memory.ts'
import { createModelRegistry } from './model-registry.ts'
import { answerModels } from './models.ts'
import type { InferenceParts } from './parts.ts'
import { createFailureTeller } from './tell-failures.ts'
import { createTenantKeys } from './tenant-keys.ts'
import { answerThread, answerThreadDeletion, answerThreadList, answerThreadMessages } from './threads.ts'
import { answerUsage } from './usage.ts'

const chatRoute = '/v1/chat/completions'
/** Decoded, an answer takes several times its bytes. */
const mostOfAllAnswers = Math.min(512 * 1024 * 1024, getHeapStatistics().heap_size_limit / 8)

export interface Inference extends InferencePort {
  /** Resolves once what was answered so far is in the database, or cannot be written just now. */
  writeUsage(): Promise<void>
  stop(): Promise<void>
}

export function createInference(parts: InferenceParts): Inference {
  const { sql, now, log, settings } = parts
  const registry = createModelRegistry(sql, now, log)
  const tenantKeys = createTenantKeys(parts)
  const accounts = createAccounts({
    sql,
    log,
    metrics: parts.metrics,
    shelf: parts.kv.shelf,
  })
  const guard = createGuard(parts)
  const chat: ChatParts = {
    outbound: parts.outbound,
    now,
    newToolCallId,
    timeoutMs: settings.timeoutMs,
    idleTimeoutMs: settings.idleTimeoutMs,
    totalTimeoutMs: settings.totalTimeoutMs,
    targets: createTargetChooser(registry, tenantKeys, settings),
    registry,
    memory: createMemory(parts),
    reasoning: createReasoningCarrier(parts.kv, log),
    guard,
    accounts,
    breakers: createBreakers(now),
    largeAnswers: createLargeAnswers(mostOfAllAnswers, log),
    tellFailure: createFailureTeller(sparseLogOf(log)),
    metrics: parts.metrics,
    log,
  }
  const models = { registry, tenantKeys, settings }
  const answers: Record<string, (call: AdmittedCall) => Promise<void>> = {
    [chatRoute]: call => answerChat(chat, call),
    '/v1/models': call => answerModels(models, call),
    '/v1/threads': call => answerThreadList(sql, call),
    '/v1/threads/:id': call => (call.request.method === 'DELETE' ? answerThreadDeletion : answerThread)(sql, call),
    '/v1/threads/:id/messages': call => answerThreadMessages(sql, call),
    '/v1/billing/usage': call => answerUsage({ sql, accounts }, call),
  }
  const answer = (call: AdmittedCall) => {
    const answerRoute = answers[call.route]
    return answerRoute === undefined ? Promise.reject(new Refusal('inference_unavailable')) : answerRoute(call)
  }
  return {
    prepare(route, body, verified) {
      if (route !== chatRoute) return answer
      const request = readChat(body, verified)
      return call => answerChat(chat, call, request)
    },
    answer,
    writeUsage: () => accounts.flush(),
    async stop() {
      registry.stop()
      tenantKeys.stop()
      await guard.stop()
      await accounts.stop()
    },
  }
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

function newToolCallId(): string {
  return `call_${Array.from(randomBytes(24), byte => letters[byte % letters.length]).join('')}`
}
