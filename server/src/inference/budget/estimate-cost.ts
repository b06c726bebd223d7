// The most that a call is expected to cost: its whole prompt, and the longest answer that it asks for.

import { boundEstimate } from '../../domain/conversation/client-rules.ts'
import { Refusal } from '../../domain/errors.ts'
import { estimateOf, type NanoUsd, type Prices } from '../../domain/money.ts'
import type { ChosenTarget } from '../target/choose-target.ts'
import type { Turn } from '../turn.ts'
import { estimateWholePrompt } from '../usage/count-tokens.ts'

export interface CostEstimate {
  /** By the dearest of the targets. */
  amount: NanoUsd
  /** The cost of the prompt alone. */
  prompt: NanoUsd
}

/** Throws if a target has no price: what it costs cannot be bounded. */
export function estimateCost(
  turn: Pick<Turn, 'call' | 'request' | 'messages'>,
  targets: readonly Pick<ChosenTarget, 'modelId' | 'prices'>[],
): CostEstimate {
  const { call, request, messages } = turn
  const promptTokens = Math.max(
    call.promptEstimate ?? 0,
    Math.ceil(estimateWholePrompt({ ...request.prompt, messages })),
  )
  const estimated = call.estimated?.estimate ?? { prompt: 0, completion: 0 }
  const { completion } = boundEstimate(estimated, call.resolved.settings)
  const prices = targets.map(getPrices)
  return {
    amount: Math.max(...prices.map(each => estimateOf(promptTokens, completion, each))),
    prompt: Math.max(...prices.map(each => estimateOf(promptTokens, 0, each))),
  }
}

function getPrices({ prices }: Pick<ChosenTarget, 'modelId' | 'prices'>): Prices {
  if (prices === null) throw new Refusal('model_not_priced', { param: 'model' })
  return prices
}
