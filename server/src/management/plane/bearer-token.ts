// Reads the credential from an Authorization header.

import { Refusal } from '../../domain/errors.ts'

/** Returns the token after `Bearer `; throws a Refusal if there is none. */
export function bearerToken(authorization: string | undefined): string {
  if (authorization === undefined || !authorization.startsWith('Bearer ')) throw new Refusal('bearer_required')
  // Not trimmed: a second space belongs to the token, as on the data plane.
  const token = authorization.slice('Bearer '.length)
  if (token.trim() === '') throw new Refusal('bearer_required')
  return token
}
