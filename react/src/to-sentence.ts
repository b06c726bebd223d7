// Errors as sentences for the people who use an application.
import { SallyportError } from '@sallyport/sdk'

/** The gateway's own words, and when to try again if that can help. */
export function toSentence(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const words = message === '' ? 'Something went wrong' : `${message.charAt(0).toUpperCase()}${message.slice(1)}`
  return `${words}${/[.!?…]$/.test(words) ? '' : '.'}${sayWhen(error)}`
}

function sayWhen(error: unknown): string {
  if (!(error instanceof SallyportError) || !error.retryable) return ''
  const seconds = error.retryAfterSeconds
  return seconds === null || seconds === 0 ? ' Try again.' : ` Try again in ${sayDuration(seconds)}.`
}

function sayDuration(seconds: number): string {
  if (seconds < 120) return count(seconds, 'second')
  const minutes = Math.ceil(seconds / 60)
  return minutes < 120 ? count(minutes, 'minute') : count(Math.ceil(minutes / 60), 'hour')
}

function count(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? '' : 's'}`
}
