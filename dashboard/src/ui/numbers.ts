// Numbers in the user's language, with their units.

const counts = new Intl.NumberFormat()
const percents = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 })
const dollars = new Intl.NumberFormat(undefined, { style: 'currency', currency: 'USD' })
const exactDollars = new Intl.NumberFormat(undefined, {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 2,
  // A short answer costs less than a thousandth of a cent.
  maximumFractionDigits: 6,
})

export const formatCount = (count: number): string => counts.format(count)

const smallDollars = new Intl.NumberFormat(undefined, {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 4,
  maximumFractionDigits: 4,
})
const hundredthOfCent = 0.0001

/** A cost: in cents from one dollar on, a smaller one to a hundredth of a cent, the smallest exactly. */
export function formatUsd(usd: number): string {
  const isInCents = Math.round(usd / hundredthOfCent) % 100 === 0
  if (usd > 0 && usd < hundredthOfCent) return exactDollars.format(usd)
  return (usd >= 1 || isInCents ? dollars : smallDollars).format(usd)
}

/** The price of a model, which is never rounded to cents. */
export const formatPrice = (usd: number): string => exactDollars.format(usd)

export const formatShare = (count: number, of: number): string => percents.format(of === 0 ? 0 : count / of)

const points = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })

/** The difference of two shares, such as `4.9 pt` between 25% and 29.9%. */
export const formatPoints = (difference: number): string => `${points.format(difference * 100)} pt`

const minuteMs = 60_000

/** From two minutes on in minutes, since more than three digits of seconds take time to read. */
export function formatMs(ms: number): string {
  if (ms < 1000) return `${formatCount(ms)} ms`
  return ms < 2 * minuteMs ? `${(ms / 1000).toFixed(1)} s` : `${(ms / minuteMs).toFixed(1)} min`
}

/** Such as `1 request`, `2 requests`. */
export const formatCountOf = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`
