// Whether what this process stands on answers, and how fast: asked every few seconds, so that a gauge tells before a
// client does. Knows only that something can be asked.
import type { Registry } from './registry.ts'

interface Watched {
  /** Rejects, or takes too long, where it does not answer. */
  ping(): Promise<void>
}

export interface HealthOptions {
  everyMs?: number
  /** An answer later than this is none. */
  timeoutMs?: number
}

/** Returns what ends the watching. */
export function watchHealth(
  registry: Registry,
  watched: Readonly<Record<string, Watched>>,
  { everyMs = 5_000, timeoutMs = 4_000 }: HealthOptions = {},
): () => void {
  const up = new Map<string, 0 | 1>()
  const tookSeconds = new Map<string, number>()
  registry.reading('gauge', { name: 'sallyport_up', help: 'Whether it answers.', label: 'part' }, () => [...up])
  registry.reading(
    'gauge',
    { name: 'sallyport_ping_seconds', help: 'How long its last answer took.', label: 'part' },
    () => [...tookSeconds],
  )

  async function ask(name: string, { ping }: Watched): Promise<void> {
    const startedAt = performance.now()
    if (await answersWithin(timeoutMs, ping)) {
      tookSeconds.set(name, (performance.now() - startedAt) / 1_000)
      up.set(name, 1)
    } else up.set(name, 0)
  }

  let isAsking = false
  async function askAll(): Promise<void> {
    if (isAsking) return
    isAsking = true
    await Promise.all(Object.entries(watched).map(([name, one]) => ask(name, one)))
    isAsking = false
  }

  void askAll()
  const timer = setInterval(() => void askAll(), everyMs)
  timer.unref()
  return () => clearInterval(timer)
}

async function answersWithin(timeoutMs: number, ping: () => Promise<void>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(resolve, timeoutMs, false)
  // That it does not answer is what is to be found out: the gauge says it.
  const answered = ping().then(
    () => true,
    () => false,
  )
  const isUp = await Promise.race([answered, late])
  clearTimeout(timer)
  return isUp
}
