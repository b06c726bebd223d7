// Fixed windows in this process: a count and an end by key. A window whose end has passed is closed, whether or not it
// was cleaned up. Twin of scripts/window.lua.
import type { WindowCount } from './request-windows.ts'

/** Beyond this the oldest are dropped, to bound memory: names may come from outside (addresses, e-mails). */
const maxWindows = 100_000

/** A key with the window that it last had open, so that the window is not looked up each time. */
export interface WindowPlace {
  readonly key: string
  window: WindowCount
}

const closed: Readonly<WindowCount> = { count: 0, endsAt: 0 }

export type WindowTable = ReturnType<typeof createWindowTable>

export function createWindowTable(max = maxWindows) {
  const windows = new Map<string, WindowCount>()
  const forget = (key: string, window: WindowCount): void => {
    windows.delete(key)
    // Closed also for the places that still hold it, even if the clock is set back.
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
    if (windows.size >= max) {
      sweep(now)
      // Many at a time, so that a full table does not sweep at each write.
      if (windows.size >= max) dropOldest(Math.ceil(max / 10))
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
    /** Counts one more in the open window; opens a window of that length if there is none. */
    countAt: (place: WindowPlace, lengthMs: number, now: number): WindowCount => {
      const { count, endsAt } = readAt(place, now)
      if (place.window.endsAt > now) place.window.count += 1
      else place.window = write(place.key, count + 1, endsAt || now + lengthMs, now)
      return place.window
    },
    /** Takes back one that was counted in the window with this end. */
    giveBack: (key: string, endsAt: number, now: number): void => {
      const window = windows.get(key)
      if (window !== undefined && now < endsAt && window.endsAt === endsAt) window.count = Math.max(0, window.count - 1)
    },
    sweep,
    count: (): number => windows.size,
  }
}
