// The ways in which a network may cut a body: whole, a byte at a time, at random, inside every character of several
// bytes and between CR and LF. Random cuts repeat from run to run.

export interface Cut {
  name: string
  pieces: Uint8Array[]
}

export function cutsOf(body: string, randomRounds: number): Cut[] {
  const bytes = Buffer.from(body)
  return [
    { name: 'whole', pieces: [bytes] },
    { name: 'one byte at a time', pieces: split(bytes, range(1, bytes.length)) },
    { name: 'inside of characters and line ends', pieces: split(bytes, innerPlaces(bytes)) },
    ...range(0, randomRounds).map(round => ({
      name: `random ${round}`,
      pieces: split(bytes, randomPlaces(bytes.length, round + 1)),
    })),
  ]
}

function innerPlaces(bytes: Buffer): number[] {
  return range(1, bytes.length).filter(at => {
    const isContinuation = ((bytes[at] ?? 0) & 0xc0) === 0x80
    return isContinuation || (bytes[at] === 0x0a && bytes[at - 1] === 0x0d)
  })
}

function randomPlaces(length: number, seed: number): number[] {
  const places: number[] = []
  let state = seed * 2_654_435_761
  let at = 0
  while (true) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    at += 1 + ((state >>> 16) % 40)
    if (at >= length) return places
    places.push(at)
  }
}

/** Each piece lies in memory of its own that is spoiled afterwards by nobody but its reader. */
function split(bytes: Buffer, places: readonly number[]): Uint8Array[] {
  return [0, ...places].map((from, index) => Uint8Array.prototype.slice.call(bytes, from, places[index]))
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index)
}
