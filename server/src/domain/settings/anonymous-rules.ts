// The setting `anonymous`: whether clients without an account get a token, what they must show first, and what the
// token allows.

import { accept, type Checked, refuse } from '../checked.ts'
import { isJsonObject, type JsonObject } from '../json-object.ts'
import { isBlank, isLongerThan, isStorable } from '../stored-text.ts'
import { checkInteger } from '../value-rules.ts'
import type { FieldType } from './field-types.ts'

export const attestationKinds = ['turnstile', 'hcaptcha', 'recaptcha', 'proof_of_work', 'app_check'] as const
export type AttestationKind = (typeof attestationKinds)[number]

function isAttestationKind(value: unknown): value is AttestationKind {
  return attestationKinds.some(kind => kind === value)
}

export interface AnonymousRules {
  /** A client shows one of these. */
  attestation: AttestationKind[]
  /** Of the tokens; null: the settings of the project. */
  tier: string | null
  /** Of a token, in seconds. */
  ttl: number
  /** Tokens that one address gets in an hour; all addresses of an IPv6 /64 count as one. */
  per_address_per_hour: number
}

const ttl = { min: 60, max: 3600, default: 3600 }
const perHour = { min: 1, max: 10_000, default: 30 }
const maxTierCharacters = 255
const fields = ['attestation', 'tier', 'ttl', 'per_address_per_hour']
const kindWords = attestationKinds.join(', ')

export const anonymousRulesOrNull: FieldType<AnonymousRules | null> = {
  check(value, field): Checked<AnonymousRules | null> {
    if (value === null) return accept(null)
    if (!isJsonObject(value)) return refuse(`${field} must be an object or null`)
    const unknown = Object.keys(value).find(key => !fields.includes(key))
    if (unknown !== undefined) return refuse(`${field} has an unknown field: ${unknown.slice(0, 100).toWellFormed()}`)
    return checkRules(value, field)
  },
  schema: {
    type: ['object', 'null'],
    properties: {
      attestation: {
        type: 'array',
        minItems: 1,
        maxItems: attestationKinds.length,
        items: { type: 'string', enum: [...attestationKinds] },
      },
      tier: { type: ['string', 'null'], minLength: 1, maxLength: maxTierCharacters, default: null },
      ttl: { type: 'integer', minimum: ttl.min, maximum: ttl.max, default: ttl.default },
      per_address_per_hour: {
        type: 'integer',
        minimum: perHour.min,
        maximum: perHour.max,
        default: perHour.default,
      },
    },
    required: ['attestation'],
    additionalProperties: false,
  },
  values:
    `{attestation: an array of ${kindWords}; tier?: the name of a tier; ttl?: an integer ${ttl.min}-${ttl.max}; ` +
    `per_address_per_hour?: an integer ${perHour.min}-${perHour.max}} or null`,
}

function checkRules(value: JsonObject, field: string): Checked<AnonymousRules> {
  const { attestation, tier = null, ttl: seconds = ttl.default, per_address_per_hour = perHour.default } = value
  const kinds = checkKinds(attestation, field)
  if (!kinds.ok) return kinds
  const isTier = tier === null || (typeof tier === 'string' && isStorable(tier) && !isBlank(tier))
  if (!isTier || (tier !== null && isLongerThan(tier, maxTierCharacters))) {
    return refuse(`${field}.tier must be a string of 1-${maxTierCharacters} characters or null`)
  }
  const lifetime = checkInteger(seconds, ttl.min, ttl.max, `${field}.ttl must be an integer ${ttl.min}-${ttl.max}`)
  if (!lifetime.ok) return lifetime
  const limitWords = `${field}.per_address_per_hour must be an integer ${perHour.min}-${perHour.max}`
  const limit = checkInteger(per_address_per_hour, perHour.min, perHour.max, limitWords)
  if (!limit.ok) return limit
  return accept({ attestation: kinds.value, tier, ttl: lifetime.value, per_address_per_hour: limit.value })
}

/** Duplicates are removed. */
function checkKinds(value: unknown, field: string): Checked<AttestationKind[]> {
  const words = `${field}.attestation must be a non-empty array of: ${kindWords}`
  if (!Array.isArray(value) || value.length === 0 || !value.every(isAttestationKind)) return refuse(words)
  return accept([...new Set(value)])
}
