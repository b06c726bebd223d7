// Bounds the memory that the states of automata take: of each automaton, and of all in the process together. If there
// are too many, those of the automaton that was used least recently are dropped; it builds them again.

export interface StateStore {
  /** Drops all states, and all links between them, so that a state that is in use holds no other. */
  clear(): void
}

export interface StateMemory {
  /** Must be called before each use. */
  use(store: StateStore): void
  /** Counts what the store is about to keep. May clear this store or others. */
  grow(store: StateStore, words: number): void
}

/** Words have eight bytes. */
export function createStateMemory(max: { wordsOfEach: number; wordsOfAll: number }): StateMemory {
  /** The words of each store, the least recently used first. Stores hold no programs, so none is kept alive here. */
  const held = new Map<StateStore, number>()
  let total = 0

  function drop(store: StateStore): void {
    total -= held.get(store) ?? 0
    held.delete(store)
    store.clear()
  }

  return {
    use(store) {
      const words = held.get(store)
      if (words === undefined) return
      held.delete(store)
      held.set(store, words)
    },
    grow(store, words) {
      if ((held.get(store) ?? 0) + words > max.wordsOfEach) drop(store)
      held.set(store, (held.get(store) ?? 0) + words)
      total += words
      for (const oldest of held.keys()) {
        if (total <= max.wordsOfAll) return
        // What the store is about to keep is less than all may have.
        if (oldest !== store) drop(oldest)
      }
    },
  }
}

/** 4 MB for each automaton, 32 MB for all of them. */
export const statesOfProcess = createStateMemory({ wordsOfEach: 500_000, wordsOfAll: 4_000_000 })
