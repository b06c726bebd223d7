// Ids that begin with a time, so that the order of ids is the order of times: UUIDs of version 7.

import { randomBytes } from 'node:crypto'

const latest = 2 ** 48 - 1
const digitCount = 19

/** 48 bits of time, then the first 19 of `digits` (hexadecimal). */
export function timedId(millis: number, digits: string): string {
  const time = Math.min(Math.max(millis, 0), latest).toString(16).padStart(12, '0')
  const variant = '89ab'[Number.parseInt(digits.slice(3, 4), 16) & 3]
  return `${time.slice(0, 8)}-${time.slice(8)}-7${digits.slice(0, 3)}-${variant}${digits.slice(4, 7)}-${digits.slice(7, digitCount)}`
}

/** An id of that time with random digits. */
export function newTimedId(millis: number): string {
  return timedId(millis, randomBytes(10).toString('hex'))
}

/** Sorts before every id of that millisecond and after those of earlier ones. */
export function firstTimedId(millis: number): string {
  return timedId(millis, '0'.repeat(digitCount))
}
