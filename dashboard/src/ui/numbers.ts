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

/** A cost: of several dollars in cents, a smaller one exactly. */
export const formatUsd = (usd: number): string => (usd < 1 ? exactDollars : dollars).format(usd)

/** The price of a model, which is never rounded to cents. */
export const formatPrice = (usd: number): string => exactDollars.format(usd)

export const formatShare = (count: number, of: number): string => percents.format(of === 0 ? 0 : count / of)

export const formatMs = (ms: number): string => (ms < 1000 ? `${formatCount(ms)} ms` : `${(ms / 1000).toFixed(1)} s`)

/** Such as `1 request`, `2 requests`. */
export const formatCountOf = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`
