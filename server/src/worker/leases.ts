// Keeps the leases of this replica's jobs over many of their runs: one statement every few seconds takes those that are
// free and renews the others.
import type { Kysely } from 'kysely'
import type { Log } from '../domain/log.ts'
import { releaseLeases, takeLeases } from '../storage/leases.ts'
import type { Schema } from '../storage/schema.ts'
import { pause } from './pause.ts'

export interface Leases {
  /**
   * Resolves once this replica may run the job, to a signal that is aborted when it must stop; to null if `giveUp` is
   * aborted before.
   */
  hold(job: string, giveUp: AbortSignal): Promise<AbortSignal | null>
  /** Lets another replica run the job, until this one asks for it again. */
  release(job: string): Promise<void>
  /** Releases all. */
  stop(): Promise<void>
}

export interface LeaseOptions {
  sql: Kysely<Schema>
  /** This replica's name in the leases. */
  holder: string
  /** A replica that died is replaced after this time. */
  leaseMs: number
  now: () => number
  log: Log
}

const never = new AbortController().signal

/** For a process whose database no other can use. */
export const leasesOfOnly: Leases = {
  hold: async () => never,
  release: async () => undefined,
  stop: async () => undefined,
}

export class SharedLeases implements Leases {
  readonly #options: LeaseOptions
  readonly #ending = new AbortController()
  readonly #wanted = new Set<string>()
  readonly #held = new Map<string, AbortController>()
  readonly #waiting = new Map<string, () => void>()
  readonly #keeping: Promise<void>
  /** Aborted when a job asks for a lease. */
  #waking = new AbortController()
  #asking = Promise.resolve()
  #expiry: NodeJS.Timeout | undefined

  constructor(options: LeaseOptions) {
    this.#options = options
    this.#keeping = this.#keep()
  }

  async hold(job: string, giveUp: AbortSignal): Promise<AbortSignal | null> {
    this.#wanted.add(job)
    if (!this.#held.has(job)) await this.#untilHeld(job, giveUp)
    return this.#held.get(job)?.signal ?? null
  }

  async release(job: string): Promise<void> {
    this.#wanted.delete(job)
    this.#held.delete(job)
    // It may be taking this lease.
    await this.#asking
    await this.#delete([job])
  }

  async stop(): Promise<void> {
    this.#ending.abort()
    await this.#keeping
    clearTimeout(this.#expiry)
    const names = [...this.#held.keys()]
    if (names.length > 0) await this.#delete(names)
  }

  async #untilHeld(job: string, giveUp: AbortSignal): Promise<void> {
    if (giveUp.aborted) return
    this.#waking.abort()
    const { promise, resolve } = Promise.withResolvers<void>()
    const end = () => resolve()
    this.#waiting.set(job, end)
    giveUp.addEventListener('abort', end, { once: true })
    await promise
    giveUp.removeEventListener('abort', end)
    this.#waiting.delete(job)
  }

  async #keep(): Promise<void> {
    const { signal } = this.#ending
    while (!signal.aborted) {
      await pause(this.#options.leaseMs / 3, AbortSignal.any([signal, this.#waking.signal]))
      this.#waking = new AbortController()
      if (signal.aborted) return
      this.#asking = this.#take()
      await this.#asking
    }
  }

  async #take(): Promise<void> {
    const { leaseMs, log } = this.#options
    const names = [...this.#wanted]
    if (names.length === 0) return
    const askedAt = performance.now()
    try {
      const taken = new Set(await takeLeases(this.#options.sql, { ...this.#options, names, forMs: leaseMs }))
      for (const job of names) this.#note(job, taken.has(job))
    } catch (error) {
      log.warn('job leases could not be renewed', { error })
      return
    }
    clearTimeout(this.#expiry)
    // Before another replica may take them.
    const left = (leaseMs * 5) / 6 - (performance.now() - askedAt)
    this.#expiry = setTimeout(() => this.#loseAll(), Math.max(0, left))
  }

  #note(job: string, isTaken: boolean): void {
    // Released meanwhile.
    if (!this.#wanted.has(job)) return
    if (isTaken && !this.#held.has(job)) {
      this.#held.set(job, new AbortController())
      this.#waiting.get(job)?.()
    }
    if (isTaken || !this.#held.has(job)) return
    this.#options.log.warn('job lease lost', { job })
    this.#lose(job)
  }

  #loseAll(): void {
    for (const job of this.#held.keys()) this.#lose(job)
  }

  #lose(job: string): void {
    this.#held.get(job)?.abort()
    this.#held.delete(job)
  }

  async #delete(names: readonly string[]): Promise<void> {
    const { sql, holder, log } = this.#options
    try {
      await releaseLeases(sql, names, holder)
    } catch (error) {
      log.warn('job leases could not be released', { error })
    }
  }
}
