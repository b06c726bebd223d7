// Writes and reads bytes in base32 (RFC 4648) without padding, as authenticator apps do with secrets.

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

export function toBase32(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let count = 0
  for (const byte of bytes) {
    bits = ((bits & 0x1f) << 8) | byte
    for (count += 8; count >= 5; count -= 5) text += alphabet[(bits >> (count - 5)) & 0x1f]
  }
  return count === 0 ? text : text + alphabet[(bits << (5 - count)) & 0x1f]
}

/** Reads what `toBase32` wrote. */
export function fromBase32(text: string): Buffer {
  const bytes: number[] = []
  let bits = 0
  let count = 0
  for (const letter of text) {
    bits = ((bits & 0xff) << 5) | alphabet.indexOf(letter)
    count += 5
    if (count < 8) continue
    count -= 8
    bytes.push((bits >> count) & 0xff)
  }
  return Buffer.from(bytes)
}
