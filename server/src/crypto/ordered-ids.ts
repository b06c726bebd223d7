// Creates ids that sort by time: rows with such ids stay beside each other, while random ids would be written all over
// the table. UUIDs with the layout of version 7, but marked as version 4, because many UUID parsers reject version 7.
import { randomBytes } from 'node:crypto'

/** Three after the version, one for the variant, three after that, and the twelve at the end. */
const digitsPerId = 19
const idsAtOnce = 256

export function createOrderedIds(now: () => number): () => string {
  let at = Number.NaN
  let start = ''
  let digits = ''
  let used = 0
  return () => {
    const time = now()
    if (time !== at) {
      at = time
      start = startOf(time)
    }
    if (used === digits.length) {
      // Generated in bulk: one call for each id would cost more than the rest.
      digits = randomBytes((idsAtOnce * digitsPerId) / 2).toString('hex')
      used = 0
    }
    const from = used
    used += digitsPerId
    const variant = '89ab'[Number.parseInt(digits[from + 3]!, 16) & 3]
    return `${start}${digits.slice(from, from + 3)}-${variant}${digits.slice(from + 4, from + 7)}-${digits.slice(from + 7, used)}`
  }
}

function startOf(time: number): string {
  const hex = time.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-4`
}
