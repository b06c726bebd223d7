// What a model cost, or several together. Usage without a price costs nothing: such an amount says so, in place of
// nothing.
import { formatUsd } from '../../ui/numbers.ts'
import { describeLacking } from './describe-cost.ts'
import { type PriceOwner, useUnknownPrices } from './use-prices.ts'

interface CostProps extends PriceOwner {
  model: string | null
  tokens: number
  usd: number
}

export function Cost({ model, tokens, usd, ...owner }: CostProps) {
  const mayLackPrice = usd === 0 && tokens > 0 && model !== null
  const isUnknown = useUnknownPrices(owner, mayLackPrice)
  return mayLackPrice && isUnknown(model) ? 'Price unknown' : formatUsd(usd)
}

interface TotalCostProps extends PriceOwner {
  usd: number
  /** What the sum is made of. */
  models: readonly { model: string | null; tokens: number }[]
}

export function TotalCost({ usd, models, ...owner }: TotalCostProps) {
  const used = models.filter(({ tokens }) => tokens > 0)
  const isUnknown = useUnknownPrices(owner, used.length > 0)
  if (!used.some(({ model }) => isUnknown(model))) return formatUsd(usd)
  return describeLacking(usd)
}
