// Sums of money and tokens that no database rejects, however much the provider of a tenant reports: a report, or the
// usage of other tenants in the same batch, must not fail for it.

import { type RawBuilder, sql as text } from 'kysely'

/**
 * Sums of fractions do not overflow as SQLite's sums of whole numbers do. They are exact as far as a number of
 * JavaScript is.
 */
export function sumOf<T extends number | null = number>(amount: RawBuilder<unknown> | string): RawBuilder<T> {
  const value = typeof amount === 'string' ? text.ref(amount) : amount
  return text<T>`sum(cast(${value} as double precision))`
}

/** What a stored sum becomes, in SQL: at most what a number of JavaScript holds exactly, so that it can be read. */
export function addBounded(sum: string, added: string): string {
  const max = Number.MAX_SAFE_INTEGER
  return `case when ${sum} > ${max} - ${added} then ${max} else ${sum} + ${added} end`
}
