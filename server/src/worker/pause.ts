// Waits for a time or a signal, whichever comes first.
import { setTimeout as sleep } from 'node:timers/promises'

export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await sleep(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
}
