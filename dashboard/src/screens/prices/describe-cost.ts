// The words for an amount in which usage without a price is missing: such usage costs nothing, and must not look free.
import { formatUsd } from '../../ui/numbers.ts'

export const describeLacking = (usd: number): string => (usd === 0 ? 'Price unknown' : `At least ${formatUsd(usd)}`)

interface SummedCost {
  cost_usd: number
  price_unknown: boolean
}

export const describeCost = ({ cost_usd: usd, price_unknown: lacksPrice }: SummedCost): string =>
  lacksPrice ? describeLacking(usd) : formatUsd(usd)
