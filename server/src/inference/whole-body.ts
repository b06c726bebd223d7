// Gathers a body that is read as a whole, up to a size. Knows nothing of what it says.

export interface WholeBody {
  /** False once it is larger than that; what is beyond is not kept. */
  add(chunk: Buffer): boolean
  bytes(): Buffer
}

export function createWholeBody(maxBytes: number): WholeBody {
  const chunks: Buffer[] = []
  let size = 0
  return {
    add(chunk) {
      if (size < maxBytes) chunks.push(chunk.subarray(0, maxBytes - size))
      size += chunk.length
      return size <= maxBytes
    },
    bytes: () => (chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)),
  }
}
