// Counts windows in this process while the store is unavailable: a limit per replica is better than none. Logs once
// when that begins and once when it ends.
import type { Log } from '../domain/log.ts'
import { createProcessWindows } from './process/windows.ts'
import { StoreUnavailable, type WindowReceipt, type Windows } from './store.ts'
import { createWindowTable } from './window-table.ts'

export function withLocalWindows(store: Windows, now: () => number, log: Log): Windows {
  const local = createProcessWindows(createWindowTable(), now)
  const takenHere = new WeakSet<WindowReceipt>()
  let isUnavailable = false

  function note(error: unknown): void {
    if (!(error instanceof StoreUnavailable)) throw error
    if (!isUnavailable) log.warn('store cannot count limits, counting them in this process', { reason: 'store', error })
    isUnavailable = true
  }

  return {
    async take(demands) {
      try {
        const outcome = await store.take(demands)
        if (isUnavailable) log.info('counting limits in the store again')
        isUnavailable = false
        return outcome
      } catch (error) {
        note(error)
      }
      const outcome = await local.take(demands)
      if (outcome.admitted) takenHere.add(outcome.receipt)
      return outcome
    },
    async giveBack(receipt) {
      if (takenHere.has(receipt)) return await local.giveBack(receipt)
      // If the store is unavailable, the receipt stays counted until its windows end.
      await store.giveBack(receipt).catch(note)
    },
  }
}
