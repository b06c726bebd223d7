// Numbers in the user's language.

const counts = new Intl.NumberFormat()
const dollars = new Intl.NumberFormat(undefined, { style: 'currency', currency: 'USD', maximumFractionDigits: 4 })

export const formatCount = (count: number): string => counts.format(count)

/** Of answers, which often cost less than a cent. */
export const formatUsd = (usd: number): string => dollars.format(usd)
