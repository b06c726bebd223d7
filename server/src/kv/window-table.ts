// Fixed windows in the process: a count and an end by key. The window at the end of its time is closed, whether or not
// it was cleaned up. Knows nothing of what is counted. Twin of scripts/window.lua.
import type { WindowCount } from './request-windows.ts'

/** More than these at once, and the oldest are forgotten: names may come from outside (addresses, e-mails). */
const maxWindows = 100_000

/** Where the windows of one key are counted, with the one that was open last: it need not be looked up each time. */
export interface WindowPlace {
  readonly key: string
  window: WindowCount
}

const closed: Readonly<WindowCount> = { count: 0, endsAt: 0 }

export type WindowTable = ReturnType<typeof createWindowTable>

export function createWindowTable(most = maxWindows) {
  const windows = new Map<string, WindowCount>()
  const forget = (key: string, window: WindowCount): void => {
    windows.delete(key)
    // For the places that still hold it, whatever the clock does.
    window.endsAt = 0
  }
  const sweep = (now: number): void => {
    for (const [key, window] of windows) if (window.endsAt <= now) forget(key, window)
  }
  const dropOldest = (count: number): void => {
    for (const [key, window] of windows.entries().take(count)) forget(key, window)
  }
  const read = (key: string, now: number): Readonly<WindowCount> => {
    const window = windows.get(key)
    return window !== undefined && window.endsAt > now ? window : closed
  }
  const write = (key: string, count: number, endsAt: number, now: number): WindowCount => {
    const known = windows.get(key)
    if (known !== undefined) {
      known.count = count
      known.endsAt = endsAt
      return known
    }
    if (windows.size >= most) {
      sweep(now)
      // Many at a time, so that a full table does not sweep at each write.
      if (windows.size >= most) dropOldest(Math.ceil(most / 10))
    }
    const window = { count, endsAt }
    windows.set(key, window)
    return window
  }
  const readAt = (place: WindowPlace, now: number): Readonly<WindowCount> =>
    place.window.endsAt > now ? place.window : read(place.key, now)
  return {
    read,
    write,
    placeOf: (key: string): WindowPlace => ({ key, window: { ...closed } }),
    readAt,
    /** One more in the open window; where none is, it opens one of that length. */
    countAt: (place: WindowPlace, lengthMs: number, now: number): WindowCount => {
      const { count, endsAt } = readAt(place, now)
      if (place.window.endsAt > now) place.window.count += 1
      else place.window = write(place.key, count + 1, endsAt || now + lengthMs, now)
      return place.window
    },
    /** Takes back one that was counted in the window that ends then. */
    giveBack: (key: string, endsAt: number, now: number): void => {
      const window = windows.get(key)
      if (window !== undefined && now < endsAt && window.endsAt === endsAt) window.count = Math.max(0, window.count - 1)
    },
    sweep,
    count: (): number => windows.size,
  }
}
