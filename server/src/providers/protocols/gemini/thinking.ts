// Sets how much a Gemini model thinks: by a level or by a number of tokens, depending on its family.

import type { ReasoningEffort, ReasoningOptions } from '../../../domain/conversation/prompt.ts'
import { type JsonObject, omitAbsent } from '../../../domain/json-object.ts'
import { thinkingBelow, thinkingShare } from '../thinking-share.ts'
import type { Thinking, ThinkingLevel } from './models.ts'

/** Undefined if nothing is requested, or the model does not think. */
export function renderThinking(
  options: ReasoningOptions | undefined,
  thinking: Thinking,
  maxOutputTokens: number | undefined,
): JsonObject | undefined {
  if (options === undefined || thinking.by === 'nothing') return undefined
  const amount =
    thinking.by === 'level'
      ? { thinkingLevel: levelFor(options, thinking.levels) }
      : { thinkingBudget: budgetFor(options, thinking, maxOutputTokens) }
  const isUnwanted = options.effort === 'none' || (options.effort === undefined && options.maxTokens === 0)
  const isOff = isUnwanted || amount.thinkingBudget === 0
  return omitAbsent<JsonObject>({ includeThoughts: isOff || options.isHidden ? undefined : true, ...amount })
}

const levelRanks: Record<ThinkingLevel, number> = { minimal: 1, low: 2, medium: 3, high: 4 }
const effortRanks: Record<ReasoningEffort, number> = {
  none: 0,
  minimal: 1,
  low: 2,
  medium: 3,
  high: 4,
  xhigh: 4,
  max: 4,
}

/** The weakest level that is at least the requested one. */
function levelFor(
  { effort, maxTokens }: ReasoningOptions,
  levels: readonly [ThinkingLevel, ...ThinkingLevel[]],
): ThinkingLevel | undefined {
  const asked = effort ?? (maxTokens === undefined ? undefined : effortFor(maxTokens))
  if (asked === undefined) return undefined
  return levels.find(level => levelRanks[level] >= effortRanks[asked]) ?? levels.at(-1)
}

const lowTokens = 1_024
const mediumTokens = 8_192
const highTokens = 24_576

function effortFor(maxTokens: number): ReasoningEffort {
  if (maxTokens === 0) return 'none'
  if (maxTokens <= lowTokens) return 'low'
  return maxTokens <= mediumTokens ? 'medium' : 'high'
}

const effortTokens: Record<ReasoningEffort, number> = {
  none: 0,
  minimal: 512,
  low: lowTokens,
  medium: mediumTokens,
  high: highTokens,
  xhigh: Number.POSITIVE_INFINITY,
  max: Number.POSITIVE_INFINITY,
}

function budgetFor(
  { effort, maxTokens }: ReasoningOptions,
  { minTokens, maxTokens: limit, canBeOff }: Extract<Thinking, { by: 'budget' }>,
  maxOutputTokens: number | undefined,
): number | undefined {
  // A client that gives a number has divided the tokens itself.
  const asked = effort === undefined ? maxTokens : thinkingShare(effortTokens[effort], maxOutputTokens)
  if (asked === undefined) return undefined
  if (asked === 0 && canBeOff) return 0
  return thinkingBelow(Math.min(asked, limit), maxOutputTokens, minTokens) ?? (canBeOff ? 0 : undefined)
}
