// The listeners to store changes in this process.
import type { Log } from '../domain/log.ts'
import type { StoreChange } from './store.ts'

export function createSubscribers(log: Log) {
  const listeners = new Set<(change: StoreChange) => void>()
  const notifyOne = (listener: (change: StoreChange) => void, change: StoreChange): void => {
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
    /** Runs the listeners later, so that none runs inside the write that caused the change. */
    notify: (change: StoreChange): void => {
      setImmediate(() => {
        for (const listener of listeners) notifyOne(listener, change)
      })
    },
  }
}
