// Polls a figure that takes time to read, so that a scrape returns the last one at once.
import type { Log } from '../domain/log.ts'
import type { Registry, Sample } from './registry.ts'

interface Polled {
  name: string
  help: string
  label: string
  everyMs: number
  read(): Promise<Sample>
}

/** Returns a function that stops the polling. */
export function pollReading(registry: Registry, log: Log, { name, help, label, everyMs, read }: Polled): () => void {
  let known: Sample = null
  let isPolling = false
  registry.reading('gauge', { name, help, label }, () => known)

  async function poll(): Promise<void> {
    if (isPolling) return
    isPolling = true
    try {
      known = await read()
    } catch (error) {
      // An old figure would look like a current one.
      known = null
      log.debug('metric could not be read', { error })
    }
    isPolling = false
  }

  void poll()
  const timer = setInterval(() => void poll(), everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
