// Waits until a time is over or a signal comes, whichever is first. Knows nothing else.
import { setTimeout as sleep } from 'node:timers/promises'

export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await sleep(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
}
