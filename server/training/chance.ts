// Seeded chance, so that a training run can be repeated to the bit.

export interface Chance {
  /** From 0 to 1, without 1. */
  next(): number
  below(limit: number): number
  pick<T>(from: readonly T[]): T
}

export function createChance(seed: number): Chance {
  let state = seed | 0
  function next(): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return { next, below, pick: from => from[below(from.length)]! }
}
