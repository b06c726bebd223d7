// Says what the operator has to do for an address that the API refuses. It refuses all alike, so that nobody can find
// out what is in the network: only the operator can.
import { hasCode } from '../../api/errors.ts'

/** Any other error stays as it is. */
export function explainAddress(error: unknown, address: string): unknown {
  const host = URL.parse(address)?.host
  if (!hasCode(error, 'INVALID_BASE_URL') || host === undefined) return error
  return new Error(
    'The address is not allowed. Without permission, only public https addresses are. To allow a server of your own, ' +
      `the operator sets the environment variable OUTBOUND_ALLOW=${host} of the Sallyport server and restarts it. ` +
      'Commas separate several entries. localhost and 127.0.0.1 are two entries.',
  )
}
