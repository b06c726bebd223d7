// Fetches and caches our own key set from another process: one fetch at a time, served stale for an hour if the origin
// fails. A valid set is never replaced by an invalid one.
import type { KeySet, KeySetError, KeySource } from './key-set.ts'

const staleMs = 3_600_000
const cooldownMs = 30_000
const timeoutMs = 5_000
/**
 * For this long after the cache time the set is still used while a fetch runs; after that the caller waits for the
 * fetch.
 */
const backgroundMs = 10_000
const maxBackoffMs = 30_000

export interface KeySetReply {
  readonly status: number
  readonly body: string
}

interface RemoteKeySetOptions {
  url: string
  fetch(url: string, signal: AbortSignal): Promise<KeySetReply>
  /** Returns the key set, or the reason for rejecting the body. */
  read(text: string): KeySet | KeySetError
  now(): number
  cacheTtlSeconds: number
  /** Called for each failed fetch, to log it. */
  onFailure?(failure: FetchFailure): void
}

export type FetchFailure = KeySetError | 'timeout' | 'unreachable' | `status_${number}`

export interface KeySetCounters {
  fetches: number
  failures: number
  /** Look-ups of an unknown kid that the cooldown answered without a fetch. */
  suppressed: number
  /** How often a changed set replaced another. */
  rotations: number
}

export interface RemoteKeySet extends KeySource {
  readonly counters: Readonly<KeySetCounters>
  /** Milliseconds since the current set was last confirmed; null without a set. */
  ageMs(): number | null
}

export function createRemoteKeySet(options: RemoteKeySetOptions): RemoteKeySet {
  const { now } = options
  const cacheTtlMs = options.cacheTtlSeconds * 1000
  const counters: KeySetCounters = { fetches: 0, failures: 0, suppressed: 0, rotations: 0 }
  let held: { set: KeySet; confirmedAt: number } | null = null
  let soughtAt = Number.NEGATIVE_INFINITY

  const age = () => (held ? now() - held.confirmedAt : Number.POSITIVE_INFINITY)
  const usable = () => (held && age() <= staleMs ? held.set : null)

  const origin = createOrigin(options, counters, set => {
    const isSame = held?.set.text === set.text
    if (held && !isSame) counters.rotations++
    // An equal text keeps the same object, so that tokens verified with it stay verified.
    held = { set: held && isSame ? held.set : set, confirmedAt: now() }
  })

  function current(): KeySet | null {
    if (age() >= cacheTtlMs) origin.refreshInBackground()
    const longIdle = age() >= cacheTtlMs + backgroundMs && !origin.isFailing()
    return longIdle ? null : usable()
  }

  async function ready(): Promise<KeySet | null> {
    const set = current()
    if (set) return set
    await origin.inFlight()
    return usable()
  }

  async function seek(hasJustWaited: boolean): Promise<KeySet | null> {
    const mayJoinFetch = hasJustWaited || origin.inFlight() !== null
    if (!mayJoinFetch && now() - soughtAt < cooldownMs) {
      counters.suppressed++
      return usable()
    }
    soughtAt = now()
    await (mayJoinFetch ? origin.inFlight() : origin.refresh())
    return usable()
  }

  return { current, ready, seek, counters, ageMs: () => (held ? age() : null) }
}

/** Fetches from the origin, one request at a time, with back-off after failures. */
function createOrigin(options: RemoteKeySetOptions, counters: KeySetCounters, accept: (set: KeySet) => void) {
  const { now, read } = options
  let inFlight: Promise<void> | null = null
  let failuresInARow = 0
  let retryAt = Number.NEGATIVE_INFINITY

  function reject(failure: FetchFailure): void {
    counters.failures++
    retryAt = now() + Math.min(maxBackoffMs, 1000 * 2 ** failuresInARow)
    failuresInARow++
    options.onFailure?.(failure)
  }

  async function fetchSet(): Promise<void> {
    const reply = await fetchReply(options)
    if (typeof reply === 'string') return reject(reply)
    if (reply.status !== 200) return reject(`status_${reply.status}`)
    const set = read(reply.body)
    if (typeof set === 'string') return reject(set)
    failuresInARow = 0
    retryAt = Number.NEGATIVE_INFINITY
    accept(set)
  }

  function refresh(): Promise<void> {
    if (inFlight !== null) return inFlight
    counters.fetches++
    inFlight = fetchSet().finally(() => {
      inFlight = null
    })
    return inFlight
  }

  function refreshInBackground(): void {
    if (now() >= retryAt) void refresh()
  }

  return { refresh, refreshInBackground, inFlight: () => inFlight, isFailing: () => failuresInARow > 0 }
}

/** Returns the response, or the reason for its absence. The timeout holds even for a client that ignores its signal. */
async function fetchReply({ url, fetch }: RemoteKeySetOptions): Promise<KeySetReply | 'timeout' | 'unreachable'> {
  const controller = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<'timeout'>(resolve => {
    timer = setTimeout(() => {
      controller.abort()
      resolve('timeout')
    }, timeoutMs)
  })
  // Called inside the chain, so that a client that throws synchronously counts as a failed fetch too.
  const reply = Promise.resolve()
    .then(() => fetch(url, controller.signal))
    .catch((): 'unreachable' => 'unreachable')
  try {
    return await Promise.race([reply, timeout])
  } finally {
    clearTimeout(timer)
  }
}
