// The setting `cache` as the texts of its controls, back, and in words.
import { formatCount } from '../../ui/numbers.ts'
import { pick } from '../guardrails/names.ts'
import type { SettingsValues } from './fields.ts'
import { textOf, toInteger } from './number-values.ts'

type CacheRules = NonNullable<SettingsValues['cache']>

export interface CacheTexts {
  scope: string
  ttl_seconds: string
}

/** An hour, as in the documentation. */
export const usualLifetime = '3600'

/** The end users who get a kept answer. */
export const cacheScopeNames: Record<NonNullable<CacheRules['scope']>, string> = {
  user: 'The end user who asked before',
  project: 'All end users of the project',
}

export const toCacheTexts = ({ ttl_seconds, scope = 'user' }: CacheRules): CacheTexts => ({
  scope,
  ttl_seconds: textOf(ttl_seconds),
})

/** The value to send, with what is no number as it was typed. */
export const fromCacheTexts = ({ scope, ttl_seconds }: CacheTexts): unknown => ({
  ttl_seconds: toInteger(ttl_seconds),
  scope,
})

/** Such as: For 3,600 seconds, to the end user who asked before. */
export function describeCache({ ttl_seconds, scope = 'user' }: Record<string, unknown>): string {
  const known = pick(cacheScopeNames, String(scope))
  const who = known === undefined ? String(scope) : cacheScopeNames[known]
  return `For ${formatCount(Number(ttl_seconds))} seconds, to: ${who}`
}
