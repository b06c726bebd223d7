// The credential of an Authorization header.

import { Refusal } from '../../domain/errors.ts'

/** The token behind `Bearer `, or a refusal in the contract's words. */
export function bearerToken(authorization: string | undefined): string {
  if (authorization === undefined || !authorization.startsWith('Bearer ')) throw new Refusal('bearer_required')
  // As it is: a second space belongs to what follows, here as on the data plane.
  const token = authorization.slice('Bearer '.length)
  if (token.trim() === '') throw new Refusal('bearer_required')
  return token
}
