// Who wants to hear of changes in this process. Knows nothing of where changes come from.
import type { Log } from '../domain/log.ts'
import type { StoreChange } from './store.ts'

export function createSubscribers(log: Log) {
  const listeners = new Set<(change: StoreChange) => void>()
  const tellOne = (listener: (change: StoreChange) => void, change: StoreChange): void => {
    try {
      listener(change)
    } catch (error) {
      log.error('a listener to store changes failed', { state: change.kind, error })
    }
  }
  return {
    subscribe: (listener: (change: StoreChange) => void): (() => void) => {
      const own = (change: StoreChange): void => listener(change)
      listeners.add(own)
      return () => listeners.delete(own)
    },
    /** Later, so that no listener runs inside the write that it hears of. */
    tell: (change: StoreChange): void => {
      setImmediate(() => {
        for (const listener of listeners) tellOne(listener, change)
      })
    },
  }
}
