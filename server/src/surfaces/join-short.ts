// Joins the pieces of what is written to a client, so that each is worth a write. Long ones are not copied.

/** Long ones may be shared. */
export type Written = string | Uint8Array

/** A shorter piece is copied: it is not worth a write. */
const shortBytes = 16_384

export function joinShort(written: readonly Written[]): Uint8Array[] {
  const pieces: Uint8Array[] = []
  let short: Uint8Array[] = []
  for (const piece of written) {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece
    if (bytes.length <= shortBytes) short.push(bytes)
    else {
      pieces.push(Buffer.concat(short), bytes)
      short = []
    }
  }
  const [only] = short
  pieces.push(short.length === 1 && only !== undefined ? only : Buffer.concat(short))
  return pieces.filter(({ length }) => length > 0)
}
