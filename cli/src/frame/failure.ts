// An error as its reader needs it: what happened, and the command to run next.
import { SallyportError } from '@sallyport/sdk'

export class Failure extends Error {
  /** What to do next, mostly a command. */
  readonly next: string | null
  readonly code: string | null

  constructor(message: string, next: string | null = null, code: string | null = null) {
    super(message)
    this.next = next
    this.code = code
  }
}

/** Null for an error that is none of these, which is a fault of the program. */
export function toFailure(error: unknown): Failure | null {
  if (error instanceof Failure) return error
  if (error instanceof SallyportError) return new Failure(error.message, findNext(error), error.code)
  if (error instanceof TypeError) return new Failure(error.message)
  if (error instanceof Error && 'code' in error) return new Failure(error.message, null, String(error.code))
  return null
}

/** By what the server says. */
const nextByMessage: Record<string, string> = {
  'The tenant has no meter':
    '`sallyport meter set --format cloudevents --to ADDRESS --value cost_usd --subject uid` makes one.',
}

function findNext({ message, status, code, retryAfterSeconds, requestId }: SallyportError): string | null {
  const known = nextByMessage[message]
  if (known !== undefined) return known
  if (code === 'UNREACHABLE' || code === 'TIMEOUT') {
    return 'Check the address in --url or SALLYPORT_URL; `sallyport start` starts an installation here.'
  }
  if (status === 401) return signInHint
  if (code === 'reauthenticate') return 'Sign in again with `sallyport login`; it counts as recent for ten minutes.'
  if (status === 403) return '`sallyport whoami` shows what this account may do.'
  if (retryAfterSeconds !== null) return `Run the command again in ${retryAfterSeconds} s.`
  return status >= 500 && requestId !== null ? `The server's log has the request ${requestId}.` : null
}

export const signInHint =
  'Sign in with `sallyport login`, or set SALLYPORT_TOKEN to the key of a service account (svc_…).'
