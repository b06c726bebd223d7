// Maps any tool call id to nine letters and digits, always the same for the same id, so that a call and its result
// still match.

import { createHash } from 'node:crypto'

const length = 9
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

export function nineCharacterId(id: string): string {
  if (/^[A-Za-z0-9]{9}$/.test(id)) return id
  let rest = BigInt(`0x${createHash('sha256').update(id).digest('hex')}`)
  let short = ''
  while (short.length < length) {
    short += alphabet[Number(rest % 62n)]
    rest /= 62n
  }
  return short
}
