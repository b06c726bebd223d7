// The code that an authenticator app shows for a secret.
import { createHmac } from 'node:crypto'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

export function totpCode(secret: string, at = Date.now()): string {
  const bits = [...secret].map(letter => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map(byte => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeUInt32BE(Math.floor(at / 30_000), 4)
  const hash = createHmac('sha1', key).update(counter).digest()
  const start = (hash[19] ?? 0) & 0xf
  return String((hash.readUInt32BE(start) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}
