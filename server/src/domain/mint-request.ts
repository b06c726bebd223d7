// Parses the body of a mint request. Checks the fields in the order of the contract's table and returns the
// first error.

import { accept, type Checked, refuse } from './checked.ts'
import { isConversationId } from './conversation/conversation-id.ts'
import { checkUserId } from './end-users/user-id.ts'
import { isJsonObject, ownValue } from './json-object.ts'
import { checkRole, type Role } from './role.ts'
import { hasControlCharacters, isBlank, isLongerThan } from './stored-text.ts'

export interface MintRequest {
  user_id: string
  role: Role
  /** Seconds. */
  ttl: number
  /** Null if the request names none: the token then has no tier claim. */
  tier: string | null
  /** Null if the request has none: the project host then generates one. */
  session_id: string | null
}

const minTtlSeconds = 60
const maxTtlSeconds = 86_400
const defaultTtlSeconds = 3600
const maxTierCharacters = 255

/**
 * `keyRole` is the role of the API key: the default role of the token. The dashboard's service key may use
 * reserved user ids.
 */
export function parseMintRequest(body: unknown, keyRole: Role): Checked<MintRequest> {
  const fields = isJsonObject(body) ? body : {}
  const userId = checkUserId(ownValue(fields, 'user_id'), { mayUseReserved: keyRole === 'dashboard-service' })
  if (!userId.ok) return userId
  const role = checkOptional(ownValue(fields, 'role'), keyRole, checkRole)
  if (!role.ok) return role
  const ttl = checkOptional(ownValue(fields, 'ttl'), defaultTtlSeconds, checkTtl)
  if (!ttl.ok) return ttl
  const tier = checkOptional(ownValue(fields, 'tier'), null, checkTier)
  if (!tier.ok) return tier
  const sessionId = checkOptional(ownValue(fields, 'session_id'), null, checkSessionId)
  if (!sessionId.ok) return sessionId
  return accept({
    user_id: userId.value,
    role: role.value,
    ttl: ttl.value,
    tier: tier.value,
    session_id: sessionId.value,
  })
}

/** Absent means the default; null is a value of the wrong type. */
function checkOptional<T>(value: unknown, fallback: T, check: (value: unknown) => Checked<T>): Checked<T> {
  return value === undefined ? accept(fallback) : check(value)
}

function checkTtl(value: unknown): Checked<number> {
  if (!Number.isInteger(value)) return refuse('ttl must be an integer')
  const seconds = Number(value)
  if (seconds < minTtlSeconds) return refuse(`ttl must be at least ${minTtlSeconds} seconds`)
  if (seconds > maxTtlSeconds) return refuse(`ttl must be at most ${maxTtlSeconds} seconds`)
  return accept(seconds)
}

/** Trimmed, because tiers are stored under trimmed names; a blank one means no tier. Unknown tiers are accepted. */
function checkTier(value: unknown): Checked<string | null> {
  if (typeof value !== 'string') return refuse('tier must be a string')
  const tier = value.trim()
  if (isBlank(tier)) return accept(null)
  if (isLongerThan(tier, maxTierCharacters)) return refuse(`tier must be at most ${maxTierCharacters} characters`)
  if (hasControlCharacters(tier) || !tier.isWellFormed()) return refuse('tier must not contain control characters')
  return accept(tier)
}

/** The id must be valid as X-Session-Id. */
function checkSessionId(value: unknown): Checked<string | null> {
  if (typeof value !== 'string') return refuse('session_id must be a string')
  if (value === '') return accept(null)
  return isConversationId(value) ? accept(value) : refuse('session_id must be 1-128 characters of A-Z a-z 0-9 _ . : -')
}
