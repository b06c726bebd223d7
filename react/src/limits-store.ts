// What the gateway last said of the user's limits, in the headers of its responses. Goes by the time that passes, never
// by the device's clock being right.

export interface Limit {
  limit: number
  remaining: number
  /** When `remaining` is whole again; null if it is, as far as the gateway has said. */
  resetsAt: Date | null
}

export interface Limits {
  /** Of this minute; null until the gateway has named it, or if there is no such limit. */
  requests: Limit | null
  /** Of this day. */
  tokens: Limit | null
  /** Set after a refusal, by a limit or by a budget: until then the gateway refuses further requests. */
  blockedUntil: Date | null
}

export interface LimitsStore {
  get(): Limits
  subscribe(listener: () => void): () => void
  read(response: Response): void
}

export const noLimits: Limits = { requests: null, tokens: null, blockedUntil: null }

/** Of `setTimeout`. */
const maxDelayMs = 2 ** 31 - 1

export function createLimitsStore(): LimitsStore {
  let limits = noLimits
  let timer: ReturnType<typeof setTimeout> | undefined
  const listeners = new Set<() => void>()

  const watch = (): void => {
    clearTimeout(timer)
    const { requests, tokens, blockedUntil } = limits
    const times = [requests?.resetsAt, tokens?.resetsAt, blockedUntil].flatMap(time => (time ? [time.getTime()] : []))
    if (listeners.size === 0 || times.length === 0) return
    timer = setTimeout(
      () => show(withoutPast(limits)),
      Math.min(Math.max(0, Math.min(...times) - Date.now()), maxDelayMs),
    )
  }
  const show = (changed: Limits): void => {
    limits = changed
    watch()
    for (const listener of listeners) listener()
  }

  return {
    get: () => limits,
    subscribe(listener) {
      listeners.add(listener)
      watch()
      return () => {
        listeners.delete(listener)
        watch()
      }
    },
    read({ status, headers }) {
      const requests = readLimit(headers, 'requests')
      const tokens = readLimit(headers, 'tokens')
      const isRefused = status === 429
      // Other responses, such as those of a route without limits, say nothing.
      if (requests === null && tokens === null && !isRefused) return
      const blockedUntil = isRefused ? inSeconds(headers.get('retry-after')) : null
      show({ requests: requests ?? limits.requests, tokens: tokens ?? limits.tokens, blockedUntil })
    },
  }
}

function readLimit(headers: Headers, unit: string): Limit | null {
  const read = (what: string) => headers.get(`x-ratelimit-${what}-${unit}`)
  const [limit, remaining] = [read('limit'), read('remaining')]
  if (limit === null || remaining === null) return null
  return { limit: Number(limit), remaining: Number(remaining), resetsAt: inSeconds(read('reset')) }
}

function inSeconds(seconds: string | null): Date | null {
  return seconds !== null && /^\d+$/.test(seconds) ? new Date(Date.now() + Number(seconds) * 1000) : null
}

function withoutPast({ requests, tokens, blockedUntil }: Limits): Limits {
  const isPast = (time: Date | null) => time !== null && time.getTime() <= Date.now()
  const renew = (limit: Limit | null) =>
    limit !== null && isPast(limit.resetsAt) ? { ...limit, remaining: limit.limit, resetsAt: null } : limit
  return { requests: renew(requests), tokens: renew(tokens), blockedUntil: isPast(blockedUntil) ? null : blockedUntil }
}
