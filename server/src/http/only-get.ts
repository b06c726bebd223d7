// Rejects methods other than GET and HEAD on paths that are only read.
import { Refusal } from '../domain/errors.ts'

/** HEAD is answered wherever GET is. */
export function refuseOtherThanGet(method: string): void {
  if (method === 'GET' || method === 'HEAD') return
  throw new Refusal('method_not_allowed', { headers: { allow: 'GET, HEAD' } })
}
