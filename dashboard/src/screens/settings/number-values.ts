// Numbers as people type them. A text that is no number is sent as it is, so that the API's message says what is wrong.

export function toInteger(text: string): number | string | null {
  const typed = text.trim()
  if (typed === '') return null
  return /^-?\d+$/.test(typed) ? Number(typed) : typed
}

/** A number that may be missing, as a member of an object. */
export function memberOf(name: string, text: string): Record<string, number | string> {
  const value = toInteger(text)
  return value === null ? {} : { [name]: value }
}

export const textOf = (value: unknown): string => (value === undefined || value === null ? '' : String(value))
