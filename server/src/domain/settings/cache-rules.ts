// The setting `cache`: whether equal requests get the answer that was given before, for how long, and among whom.

import { accept, type Checked, refuse } from '../checked.ts'
import { isJsonObject } from '../json-object.ts'
import { checkInteger, checkOneOf } from '../value-rules.ts'
import type { FieldType } from './field-types.ts'

export const cacheScopes = ['user', 'project'] as const
export type CacheScope = (typeof cacheScopes)[number]

export interface CacheRules {
  ttl_seconds: number
  /** The requests that share answers: those of one end user, or those of all. */
  scope: CacheScope
}

const seconds = { min: 1, max: 86_400 }
const defaultScope: CacheScope = 'user'
const fields = ['ttl_seconds', 'scope']

export const cacheRulesOrNull: FieldType<CacheRules | null> = {
  check(value, field): Checked<CacheRules | null> {
    if (value === null) return accept(null)
    if (!isJsonObject(value)) return refuse(`${field} must be an object or null`)
    const unknown = Object.keys(value).find(key => !fields.includes(key))
    if (unknown !== undefined) return refuse(`${field} has an unknown field: ${unknown.slice(0, 100).toWellFormed()}`)
    const { ttl_seconds, scope = defaultScope } = value
    const message = `${field}.ttl_seconds must be an integer ${seconds.min}-${seconds.max}`
    const lifetime = checkInteger(ttl_seconds, seconds.min, seconds.max, message)
    if (!lifetime.ok) return lifetime
    const checkedScope = checkOneOf(scope, cacheScopes, `${field}.scope`)
    return checkedScope.ok ? accept({ ttl_seconds: lifetime.value, scope: checkedScope.value }) : checkedScope
  },
  schema: {
    type: ['object', 'null'],
    properties: {
      ttl_seconds: { type: 'integer', minimum: seconds.min, maximum: seconds.max },
      scope: { type: 'string', enum: [...cacheScopes], default: defaultScope },
    },
    required: ['ttl_seconds'],
    additionalProperties: false,
  },
  values: `{ttl_seconds: an integer ${seconds.min}-${seconds.max}, scope?: ${cacheScopes.join(' or ')}} or null`,
}
