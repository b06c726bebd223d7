// Records what an answer cost, in tokens and money: by the provider's count, or by a local count if there is none.
// Settles the call's reservation and adds a row of usage.

import { boundEstimate } from '../../domain/conversation/client-rules.ts'
import type { EndpointName } from '../../domain/conversation/operations.ts'
import { assumeGenerated, maxTokens } from '../../domain/conversation/token-estimate.ts'
import { costOf, type NanoUsd, nanoUsdOf } from '../../domain/money.ts'
import type { Pricing, Turn } from '../turn.ts'
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
  endpoint: EndpointName
  promptTokens: number
  completionTokens: number
  totalTokens: number
  cachedTokens: number
  reasoningTokens: number
  cost: NanoUsd
  /** Counted locally, because the provider did not report it. */
  isEstimated: boolean
  /** Epoch ms. */
  at: number
  /** The day whose budgets it was charged to; null without budgets. */
  budgetDay: string | null
  /** What a key of the platform paid, on the day whose bounds were reserved; null without such bounds. */
  platform: { day: string; cost: NanoUsd } | null
}

export interface UsageRecorder {
  /**
   * Rows are written in batches. Null if this process writes them; else resolves once another process has the row, and
   * the answer must not end before.
   */
  add(record: UsageRecord): Promise<void> | null
}

interface UsageDependencies {
  usageRecorder: UsageRecorder
  now: () => number
}

export interface RecordedUsage {
  /** As settled. */
  tokens: number
  /** The answer must not end before this resolves. */
  kept: Promise<void> | null
}

/** Must be called once. */
export function recordUsage({ usageRecorder, now }: UsageDependencies, turn: Turn): RecordedUsage {
  const { call, endpoint, isPaid, stages } = turn
  const { target } = turn.current
  const { reservesTokens, chargesMoney } = endpoint.operation
  const tokens = isPaid || !reservesTokens ? noTokens : countTokens(turn)
  const costAt = (pricing: Pricing) => (isPaid || !chargesMoney ? 0 : costOfAnswer(turn, tokens, pricing))
  const { requestId, tenantId, projectId, userId } = call.verified
  const record: UsageRecord = {
    requestId,
    tenantId,
    projectId,
    userId,
    tier: call.resolved.tier,
    model: target.modelId,
    provider: target.provider,
    endpoint: endpoint.name,
    promptTokens: tokens.promptTokens,
    completionTokens: tokens.completionTokens,
    totalTokens: tokens.totalTokens,
    cachedTokens: tokens.cachedTokens,
    reasoningTokens: tokens.reasoningTokens,
    isEstimated: tokens.isEstimated,
    cost: costAt(target),
    at: now(),
    budgetDay: null,
    platform: null,
  }
  // Before the row: a budget that is rebuilt from the rows in between would count this call twice.
  call.settle(tokens.totalTokens)
  if (call.notes !== undefined) call.notes.usage = record
  for (const stage of stages) stage.settle?.(record, costAt)
  // The watch measures providers.
  if (!isPaid) turn.watch.usageRecorded(tokens)
  return { tokens: tokens.totalTokens, kept: usageRecorder.add(record) }
}

/** Uses the provider's counts. Missing counts, and those of an answer that broke off, are replaced by local ones. */
function countTokens(turn: Turn) {
  const { call, messages, collected } = turn
  const { counted } = collected
  const usage = counted?.usage
  const localPrompt = () => Math.max(estimatePromptTokens(messages), call.promptEstimate ?? 0)
  const promptTokens = bounded(counted?.isWhole ? counted.usage.promptTokens : usage?.promptTokens || localPrompt())
  const completionTokens = bounded(
    counted?.isWhole
      ? counted.usage.completionTokens
      : Math.max(usage?.completionTokens ?? 0, collected.tokens(), assumedTokens(turn)),
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

/** Of an answer that its client abandoned: at most what was reserved for it. */
function assumedTokens({ call, collected }: Turn): number {
  if (call.ending !== 'client_gone' || call.estimated === null) return 0
  return assumeGenerated(boundEstimate(call.estimated.estimate, call.resolved.settings), collected.waitedMs())
}

const noTokens = {
  promptTokens: 0,
  completionTokens: 0,
  totalTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  isEstimated: false,
}

function bounded(tokens: number): number {
  return Math.min(maxTokens, Math.ceil(tokens))
}

/** What the provider bills, by its own counts where it reports them. */
function costOfAnswer(
  { collected }: Turn,
  tokens: ReturnType<typeof countTokens>,
  { prices, trustsReportedCost }: Pricing,
): NanoUsd {
  const { counted } = collected
  const reported = counted?.usage.cost
  if (trustsReportedCost && reported !== undefined) return nanoUsdOf(reported)
  if (prices === null) return 0
  const billed = counted?.isWhole ? counted.usage.billed : undefined
  // Whether a token came from a cache is said of those that were processed, not of those that are billed.
  const charged = billed === undefined ? tokens : { ...tokens, ...billed, cachedTokens: 0, cacheWriteTokens: 0 }
  return costOf(charged, prices)
}

/** What the answer has cost so far, by a local count. */
export function estimateCostSoFar(turn: Turn, { prices }: Pick<Pricing, 'prices'>): NanoUsd {
  return prices === null ? 0 : costOf({ ...noTokens, ...countSoFar(turn) }, prices)
}

/** Of the prompt and the answer. */
export function estimateTokensSoFar(turn: Turn): number {
  const { promptTokens, completionTokens } = countSoFar(turn)
  return bounded(promptTokens + completionTokens)
}

function countSoFar({ call, collected }: Turn) {
  return { promptTokens: bounded(call.promptEstimate ?? 0), completionTokens: bounded(collected.tokens()) }
}
