// Formats a stored time for a response; null stays null.

export function isoTime(millis: number): string
export function isoTime(millis: number | null): string | null
export function isoTime(millis: number | null): string | null {
  return millis === null ? null : new Date(millis).toISOString()
}
