// Times as ISO 8601: formats those of responses, and reads those of requests.

export function isoTime(millis: number): string
export function isoTime(millis: number | null): string | null
export function isoTime(millis: number | null): string | null {
  return millis === null ? null : new Date(millis).toISOString()
}

const dateForm = /^\d{4}-\d{2}-\d{2}$/
const timeForm = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+\- ]\d{2}:?\d{2})?$/i

/** Epoch milliseconds, of a date those of its start; UTC if it has no time zone. Null if it is no such time. */
export function readIsoTime(value: unknown): { millis: number; isDate: boolean } | null {
  const text = typeof value === 'string' ? value : ''
  const isDate = dateForm.test(text)
  // A plus that was not encoded in a query arrives as a space.
  const [, date = '', time = '', zone = 'Z'] = timeForm.exec(isDate ? `${text}T00:00` : text) ?? []
  const millis = Date.parse(`${date}T${time}${zone.replace(' ', '+')}`)
  return Number.isNaN(millis) || !isDayOfItsMonth(date) ? null : { millis, isDate }
}

/** `Date.parse` may read the 30th of February as a day of March. */
function isDayOfItsMonth(date: string): boolean {
  const start = Date.parse(date)
  return !Number.isNaN(start) && new Date(start).toISOString().startsWith(date)
}
