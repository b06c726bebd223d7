// Fixed windows in the process: a count and an end by key. The window at the end of its time is closed, whether or not
// it was cleaned up. Knows nothing of what is counted. Twin of scripts/window.lua.
import type { WindowCount } from './verdict.ts'

/** More than these at once, and the oldest are forgotten: names may come from outside (addresses, e-mails). */
const mostWindows = 100_000

export type WindowTable = ReturnType<typeof createWindowTable>

export function createWindowTable(most = mostWindows) {
  const windows = new Map<string, WindowCount>()
  const sweep = (now: number): void => {
    for (const [key, { endsAt }] of windows) if (endsAt <= now) windows.delete(key)
  }
  return {
    read: (key: string, now: number): WindowCount => {
      const window = windows.get(key)
      return window && window.endsAt > now ? window : { count: 0, endsAt: 0 }
    },
    write: (key: string, count: number, endsAt: number, now: number): void => {
      if (windows.size >= most && !windows.has(key)) {
        sweep(now)
        if (windows.size >= most) dropOldest(windows, Math.ceil(most / 10))
      }
      windows.set(key, { count, endsAt })
    },
    sweep,
    count: (): number => windows.size,
  }
}

/** Many at a time, so that a full table does not sweep at each write. */
function dropOldest(windows: Map<string, WindowCount>, count: number): void {
  for (const key of windows.keys().take(count)) windows.delete(key)
}
