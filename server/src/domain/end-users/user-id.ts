// Checks an end user's id, at the mint and in external tokens.

import { brand } from '../brand.ts'
import { accept, type Checked, refuse } from '../checked.ts'
import { foldLookalikes } from '../lookalikes.ts'
import { hasControlCharacters, isBlank, isLongerThan } from '../stored-text.ts'

const maxCharacters = 255

const reserved = new Set([
  'dashboard-service',
  'admin',
  'system',
  'internal',
  brand,
  'gateway',
  'sentinel',
  'sallyport',
  // The id to which the usage of erased users is moved.
  'erased',
])

/** Returns the trimmed id. The dashboard's service key may use reserved ids; nobody may use the `svc:` prefix. */
export function checkUserId(
  value: unknown,
  { mayUseReserved }: { mayUseReserved: boolean } = { mayUseReserved: false },
): Checked<string> {
  if (value === undefined) return refuse('user_id is required')
  if (typeof value !== 'string') return refuse('user_id must be a string')
  const userId = value.trim()
  if (isBlank(userId)) return refuse('user_id must not be empty')
  if (isLongerThan(userId, maxCharacters)) return refuse(`user_id must be at most ${maxCharacters} characters`)
  if (hasControlCharacters(userId) || !userId.isWellFormed()) {
    return refuse('user_id must not contain control characters')
  }
  const folded = foldLookalikes(userId)
  if (reserved.has(folded) && !mayUseReserved) return refuse('user_id cannot use a reserved identifier')
  if (folded.startsWith('svc:')) {
    return refuse('user_id cannot use the svc: prefix (reserved for service accounts)')
  }
  return accept(userId)
}
