// Pushes committed changes to the store. The database is the source of truth, so a change stands even if its push
// fails. A failed push is retried every second: if only this replica cannot reach the store, no worker notices that
// a push is missing.

import type { Log, LogFields } from '../../domain/log.ts'
import { StoreUnavailable } from '../../kv/store.ts'

/**
 * `push` must push the rows as they are when it runs, so that for each subject only the last push is retried.
 * Resolves to whether the push succeeded; never rejects.
 */
export type RetriedPush = (subject: string, push: () => Promise<unknown>, about?: LogFields) => Promise<boolean>

interface FailedPush {
  push: () => Promise<unknown>
  about: LogFields
}

const retryMs = 1_000
/** Further failed pushes are left to the worker's cycle. */
const maxFailed = 10_000

export function createRetriedPush(log: Log): RetriedPush {
  const failed = new Map<string, FailedPush>()
  let isWaiting = false

  function retryLater(): void {
    if (isWaiting || failed.size === 0) return
    isWaiting = true
    setTimeout(() => void retryAll().finally(retryLater), retryMs).unref()
  }

  async function retryAll(): Promise<void> {
    isWaiting = false
    for (const [subject, retried] of [...failed]) {
      const isPushed = await retried.push().then(
        () => true,
        () => false,
      )
      // A newer push of the same subject may have replaced or removed it meanwhile.
      if (failed.get(subject) !== retried) continue
      failed.delete(subject)
      if (isPushed) log.info('store updated after a retry', retried.about)
      else {
        // Logged when it first failed. The store is probably still unavailable; the next round begins with the others.
        failed.set(subject, retried)
        return
      }
    }
  }

  return async (subject, push, about = {}) => {
    try {
      await push()
      failed.delete(subject)
      return true
    } catch (error) {
      if (error instanceof StoreUnavailable) log.warn('store could not be updated', about)
      else log.error('store could not be updated', { ...about, error })
      if (failed.size < maxFailed) failed.set(subject, { push, about })
      retryLater()
      return false
    }
  }
}
