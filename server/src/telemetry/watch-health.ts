// Checks every few seconds whether a dependency responds, and how fast, so that a gauge shows an outage before clients
// notice it.
import type { Registry } from './registry.ts'

interface Watched {
  /** Rejects, or takes too long, if it does not respond. */
  ping(): Promise<void>
}

export interface HealthOptions {
  everyMs?: number
  /** A later response counts as none. */
  timeoutMs?: number
}

/** Returns a function that stops the checks. */
export function watchHealth(
  registry: Registry,
  watched: Readonly<Record<string, Watched>>,
  { everyMs = 5_000, timeoutMs = 4_000 }: HealthOptions = {},
): () => void {
  const up = new Map<string, 0 | 1>()
  const tookSeconds = new Map<string, number>()
  registry.reading(
    'gauge',
    { name: 'sallyport_up', help: '1 if the database or the store is available, otherwise 0.', label: 'part' },
    () => [...up],
  )
  registry.reading(
    'gauge',
    { name: 'sallyport_ping_seconds', help: 'Duration of the last successful check.', label: 'part' },
    () => [...tookSeconds],
  )

  async function check(name: string, { ping }: Watched): Promise<void> {
    const startedAt = performance.now()
    if (await respondsWithin(timeoutMs, ping)) {
      tookSeconds.set(name, (performance.now() - startedAt) / 1_000)
      up.set(name, 1)
    } else up.set(name, 0)
  }

  let isChecking = false
  async function checkAll(): Promise<void> {
    if (isChecking) return
    isChecking = true
    await Promise.all(Object.entries(watched).map(([name, one]) => check(name, one)))
    isChecking = false
  }

  void checkAll()
  const timer = setInterval(() => void checkAll(), everyMs)
  timer.unref()
  return () => clearInterval(timer)
}

async function respondsWithin(timeoutMs: number, ping: () => Promise<void>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(resolve, timeoutMs, false)
  // The failure is the result: the gauge shows it.
  const answered = ping().then(
    () => true,
    () => false,
  )
  const isUp = await Promise.race([answered, late])
  clearTimeout(timer)
  return isUp
}
