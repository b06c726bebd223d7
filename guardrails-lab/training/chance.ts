// A seeded random number generator, so that a training run is reproducible bit by bit.

export interface Chance {
  /** At least 0 and less than 1. */
  next(): number
  below(limit: number): number
  pick<T>(from: readonly T[]): T
  shuffle(order: number[]): void
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
  return {
    next,
    below,
    pick: from => from[below(from.length)]!,
    shuffle(order) {
      for (let at = order.length - 1; at > 0; at--) {
        const other = below(at + 1)
        const kept = order[at]!
        order[at] = order[other]!
        order[other] = kept
      }
    },
  }
}
