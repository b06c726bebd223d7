// Who wants to hear of changes in this process. Knows nothing of where changes come from.
import type { Log } from '../domain/log.ts'
import type { Change } from './store.ts'

export function createSubscribers(log: Log) {
  const listeners = new Set<(change: Change) => void>()
  const tellOne = (listener: (change: Change) => void, change: Change): void => {
    try {
      listener(change)
    } catch (error) {
      log.error('a listener to store changes failed', { state: change.kind, error })
    }
  }
  return {
    subscribe: (listener: (change: Change) => void): (() => void) => {
      const own = (change: Change): void => listener(change)
      listeners.add(own)
      return () => listeners.delete(own)
    },
    /** Later, so that no listener runs inside the write that it hears of. */
    tell: (change: Change): void => {
      setImmediate(() => {
        for (const listener of listeners) tellOne(listener, change)
      })
    },
  }
}
