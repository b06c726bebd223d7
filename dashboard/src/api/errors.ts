// Errors as the screens show them: in the API's own words.
import { SallyportError } from '@sallyport/sdk'

export function messageOf(error: unknown): string {
  if (!(error instanceof SallyportError)) return error instanceof Error ? error.message : String(error)
  if (error.code === 'TIMEOUT') return 'Sallyport did not answer in time. Try again.'
  if (error.code === 'UNREACHABLE') return 'Sallyport cannot be reached. Check your connection and try again.'
  const wait = error.retryAfterSeconds
  return wait === null || wait === 0 ? error.message : `${error.message}. Try again in ${describeSeconds(wait)}.`
}

export function hasStatus(error: unknown, status: number): boolean {
  return error instanceof SallyportError && error.status === status
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof SallyportError && error.code === code
}

function describeSeconds(seconds: number): string {
  if (seconds < 120) return seconds === 1 ? '1 second' : `${seconds} seconds`
  return `${Math.ceil(seconds / 60)} minutes`
}
