// Says what the operator has to do for an address that the API refuses. It refuses all alike, so that nobody can find
// out what is in the network: only the operator can.
import { hasCode } from '../../api/errors.ts'

/** Any other error stays as it is. */
export function explainAddress(error: unknown, address: string): unknown {
  const host = URL.parse(address)?.host
  if (!hasCode(error, 'INVALID_BASE_URL') || host === undefined) return error
  return new Error(
    `The address is not allowed. If it is not public and https, the operator allows it with OUTBOUND_ALLOW=${host} and ` +
      'a restart. Several entries have commas between them; localhost and 127.0.0.1 are different ones.',
  )
}
