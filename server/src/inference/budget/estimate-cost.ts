// The most that a call is expected to cost: its whole prompt, and the longest answer that it asks for.

import { boundEstimate } from '../../domain/conversation/client-rules.ts'
import type { TokenEstimate } from '../../domain/conversation/token-estimate.ts'
import { Refusal } from '../../domain/errors.ts'
import { estimateOf, type Prices } from '../../domain/money.ts'
import type { ChosenTarget } from '../target/choose-target.ts'
import type { Turn } from '../turn.ts'
import { estimateWholePrompt } from '../usage/count-tokens.ts'
import type { Estimate } from './bound.ts'

type EstimatedTurn = Pick<Turn, 'call' | 'request' | 'messages'>

/** By the dearest of the targets. Throws if one has no price: what it costs cannot be bounded. */
export function estimateCost(turn: EstimatedTurn, targets: readonly Pick<ChosenTarget, 'prices'>[]): Estimate {
  const { prompt, completion } = estimateTokens(turn)
  const prices = targets.map(getPrices)
  return {
    amount: Math.max(...prices.map(each => estimateOf(prompt, completion, each))),
    prompt: Math.max(...prices.map(each => estimateOf(prompt, 0, each))),
  }
}

export function estimateTokens({ call, request, messages }: EstimatedTurn): TokenEstimate {
  const prompt = Math.max(call.promptEstimate ?? 0, Math.ceil(estimateWholePrompt({ ...request.prompt, messages })))
  const estimated = call.estimated?.estimate ?? { prompt: 0, completion: 0 }
  return { prompt, completion: boundEstimate(estimated, call.resolved.settings).completion }
}

function getPrices({ prices }: Pick<ChosenTarget, 'prices'>): Prices {
  if (prices === null) throw new Refusal('model_not_priced', { param: 'model' })
  return prices
}
