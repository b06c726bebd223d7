// Makes ids in the order of time: rows kept by them stay beside each other, where random ones would be written all over the
// table. UUIDs as version 7 lays them out, but marked as version 4, because many a reader of UUIDs has not heard of 7.
import { randomBytes } from 'node:crypto'

/** Three behind the version, one that makes the variant, three behind that, and the twelve at the end. */
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
      // Made together: a call for each would cost more than the rest.
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
