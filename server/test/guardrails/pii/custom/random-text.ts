// The same text in each run.

export function randomText(length: number, letters: string): string {
  let seed = 7
  const bytes = Buffer.alloc(length)
  for (let at = 0; at < length; at++) {
    seed = (seed * 48_271) % 2_147_483_647
    bytes[at] = letters.charCodeAt(seed % letters.length)
  }
  return bytes.toString('latin1')
}
