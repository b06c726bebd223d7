// Windows that are counted in this process while the store cannot be asked: a limit on one copy is better than none.
// Knows no window by name; says once that it counts here, and once that it does no longer.
import type { Log } from '../domain/log.ts'
import { createProcessWindows } from './process/windows.ts'
import { StoreUnavailable, type WindowReceipt, type Windows } from './store.ts'
import { createWindowTable } from './window-table.ts'

export function withLocalWindows(store: Windows, now: () => number, log: Log): Windows {
  const local = createProcessWindows(createWindowTable(), now)
  const takenHere = new WeakSet<WindowReceipt>()
  let isAway = false

  function note(error: unknown): void {
    if (!(error instanceof StoreUnavailable)) throw error
    if (!isAway) log.warn('limits counted in this process', { reason: 'store', error })
    isAway = true
  }

  return {
    async take(demands) {
      try {
        const outcome = await store.take(demands)
        if (isAway) log.info('limits counted in the store again')
        isAway = false
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
      // What cannot be given back stays counted until its window ends.
      await store.giveBack(receipt).catch(note)
    },
  }
}
