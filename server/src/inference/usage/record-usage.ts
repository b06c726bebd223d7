// Records what an answer cost, in tokens and money: by the provider's count, or by a local count if there is none.
// Settles the call's reservation and adds a row of usage.

import { maxTokens } from '../../domain/conversation/token-estimate.ts'
import type { ModelRegistry, Prices } from '../target/model-registry.ts'
import type { Turn } from '../turn.ts'
import { estimatePromptTokens } from './count-tokens.ts'

/** What one answered request consumed. */
export interface UsageRecord {
  requestId: string
  tenantId: string
  projectId: string
  userId: string
  tier: string | null
  model: string
  provider: string
  promptTokens: number
  completionTokens: number
  totalTokens: number
  cachedTokens: number
  reasoningTokens: number
  costUsd: number
  /** Counted locally, because the provider did not report it. */
  isEstimated: boolean
  /** Epoch ms. */
  at: number
}

export interface UsageRecorder {
  /** Never waits; rows are written in batches. */
  add(record: UsageRecord): void
}

interface UsageDependencies {
  registry: ModelRegistry
  usageRecorder: UsageRecorder
  now: () => number
}

const maxUsd = 1_000_000

/** Must be called once. Returns the settled tokens. */
export function recordUsage({ registry, usageRecorder, now }: UsageDependencies, turn: Turn): number {
  const { call, target } = turn
  const tokens = countTokens(turn)
  const cost = turn.collected.counted?.usage.cost ?? priceOf(tokens, registry.find(target.modelId)?.prices ?? null)
  // Before the row: a budget that is rebuilt from the rows in between would count this call twice.
  call.settle(tokens.totalTokens)
  turn.watch.usageRecorded(tokens)
  const { requestId, tenantId, projectId, userId } = call.verified
  usageRecorder.add({
    requestId,
    tenantId,
    projectId,
    userId,
    tier: call.resolved.tier,
    model: target.modelId,
    provider: target.provider,
    promptTokens: tokens.promptTokens,
    completionTokens: tokens.completionTokens,
    totalTokens: tokens.totalTokens,
    cachedTokens: tokens.cachedTokens,
    reasoningTokens: tokens.reasoningTokens,
    isEstimated: tokens.isEstimated,
    costUsd: Math.min(cost, maxUsd),
    at: now(),
  })
  return tokens.totalTokens
}

/** Uses the provider's counts. Missing counts, and those of an answer that broke off, are replaced by local ones. */
function countTokens({ call, messages, collected }: Turn) {
  const { counted } = collected
  const usage = counted?.usage
  const localPrompt = () => Math.max(estimatePromptTokens(messages), call.promptEstimate ?? 0)
  const promptTokens = bounded(counted?.isWhole ? counted.usage.promptTokens : usage?.promptTokens || localPrompt())
  const completionTokens = bounded(
    counted?.isWhole ? counted.usage.completionTokens : Math.max(usage?.completionTokens ?? 0, collected.tokens()),
  )
  return {
    promptTokens,
    completionTokens,
    totalTokens: bounded(Math.max(counted?.isWhole ? counted.usage.totalTokens : 0, promptTokens + completionTokens)),
    cachedTokens: Math.min(usage?.cachedTokens ?? 0, promptTokens),
    cacheWriteTokens: Math.min(usage?.cacheWriteTokens ?? 0, promptTokens),
    reasoningTokens: bounded(usage?.reasoningTokens ?? 0),
    isEstimated: counted?.isWhole !== true,
  }
}

function bounded(tokens: number): number {
  return Math.min(maxTokens, Math.ceil(tokens))
}

type Counts = Record<'promptTokens' | 'completionTokens' | 'cachedTokens' | 'cacheWriteTokens', number>

function priceOf(counts: Counts, prices: Prices | null): number {
  if (prices === null) return 0
  const { promptTokens, completionTokens, cachedTokens, cacheWriteTokens } = counts
  const { input, output, cacheRead, cacheWrite } = prices
  const plain = Math.max(0, promptTokens - cachedTokens - cacheWriteTokens)
  const perMillion =
    plain * (input ?? 0) +
    cachedTokens * (cacheRead ?? input ?? 0) +
    cacheWriteTokens * (cacheWrite ?? input ?? 0) +
    completionTokens * (output ?? 0)
  return perMillion / 1_000_000
}
