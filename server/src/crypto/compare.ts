// Compares secrets in a time that reveals neither where they differ nor how long they are.
import { createHash, timingSafeEqual } from 'node:crypto'

export function isSameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(sha256(given), sha256(expected))
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
