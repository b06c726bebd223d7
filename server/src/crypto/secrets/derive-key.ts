// Derives keys for separate purposes from one secret, so that none of them reveals another.
import { hkdfSync } from 'node:crypto'

const keyBytes = 32

/** The same secret and context yield the same key, in every process and after every restart. */
export function deriveKey(secret: Uint8Array, context: readonly string[]): Buffer {
  // A JSON array delimits its elements: no two contexts yield the same bytes.
  return Buffer.from(hkdfSync('sha256', secret, '', JSON.stringify(context), keyBytes))
}
