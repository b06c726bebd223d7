// Tells the store of what was just committed. The rows are the truth, and the change stands whatever becomes of the
// store: what it could not be told it is told again every second, for this copy may be the only one that cannot reach
// it, and then no worker knows that it missed anything. Knows nothing of what is told.

import type { Log, LogFields } from '../../domain/log.ts'
import { StoreUnavailable } from '../../kv/store.ts'

/**
 * `tell` brings the store up to what the rows say by then; of one subject the last one given is enough. Resolves with whether
 * the store was told, and never throws.
 */
export type RetriedPush = (subject: string, tell: () => Promise<unknown>, about?: LogFields) => Promise<boolean>

interface Untold {
  tell: () => Promise<unknown>
  about: LogFields
}

const retryMs = 1_000
/** Beyond these the worker's cycle has to do. */
const maxPending = 10_000

export function createRetriedPush(log: Log): RetriedPush {
  const untold = new Map<string, Untold>()
  let isWaiting = false

  function retryLater(): void {
    if (isWaiting || untold.size === 0) return
    isWaiting = true
    setTimeout(() => void retryAll().finally(retryLater), retryMs).unref()
  }

  async function retryAll(): Promise<void> {
    isWaiting = false
    for (const [subject, news] of [...untold]) {
      const isTold = await news.tell().then(
        () => true,
        () => false,
      )
      // Something newer may have come meanwhile.
      if (untold.get(subject) !== news) continue
      untold.delete(subject)
      if (isTold) log.info('store updated after all', news.about)
      else {
        // Said when it failed first. The others can hardly be told either, and come first the next time.
        untold.set(subject, news)
        return
      }
    }
  }

  return async (subject, tell, about = {}) => {
    try {
      await tell()
      untold.delete(subject)
      return true
    } catch (error) {
      if (error instanceof StoreUnavailable) log.warn('store could not be updated', about)
      else log.error('store could not be updated', { ...about, error })
      if (untold.size < maxPending) untold.set(subject, { tell, about })
      retryLater()
      return false
    }
  }
}
