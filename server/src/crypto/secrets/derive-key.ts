// Keys for one purpose each out of one secret, so that none of them tells anything of the others. Knows no purpose.
import { hkdfSync } from 'node:crypto'

const keyBytes = 32

/** The same secret and context give the same key, in every process and after every start. */
export function deriveKey(secret: Uint8Array, context: readonly string[]): Buffer {
  // A JSON array keeps its parts apart: no two contexts give the same bytes.
  return Buffer.from(hkdfSync('sha256', secret, '', JSON.stringify(context), keyBytes))
}
