// Limits how many jobs run at once and how many wait; rejects further ones.
import { Refusal } from '../domain/errors.ts'

export type ConcurrencyGate = <T>(job: () => Promise<T>) => Promise<T>

export function createConcurrencyGate(limits: { concurrency: number; queue: number }): ConcurrencyGate {
  const waiting: (() => void)[] = []
  let running = 0

  async function enter(): Promise<void> {
    if (running < limits.concurrency) {
      running++
      return
    }
    if (waiting.length >= limits.queue) throw new Refusal('busy', { retryAfterSeconds: 1 })
    await new Promise<void>(resolve => waiting.push(resolve))
  }

  // The place is handed over and not freed, so that a new job cannot overtake the one that waits.
  function leave(): void {
    const next = waiting.shift()
    if (next) next()
    else running--
  }

  return async function runGated(job) {
    await enter()
    try {
      return await job()
    } finally {
      leave()
    }
  }
}
