// Reads from a response's headers when to retry, in whole seconds rounded up, at least one.

import type { RefusedAnswer } from './protocol.ts'

/** Null if no header has it. */
export function readRetryAfter({ headers, now }: Pick<RefusedAnswer, 'headers' | 'now'>): number | null {
  const ms = Number(single(headers['retry-after-ms']) ?? Number.NaN)
  if (Number.isFinite(ms)) return wholeSeconds(ms)
  const text = single(headers['retry-after'])
  if (text !== null) {
    const seconds = Number(text)
    if (text.trim() !== '' && Number.isFinite(seconds)) return wholeSeconds(seconds * 1000)
    const date = Date.parse(text)
    if (!Number.isNaN(date)) return wholeSeconds(date - now)
  }
  return readReset(single(headers['x-ratelimit-reset']), now)
}

/** A time of day in epoch ms; smaller numbers under the same name mean something else. */
export function readReset(text: unknown, now: number): number | null {
  const at = Number(text ?? Number.NaN)
  return at > 1_000_000_000_000 ? wholeSeconds(at - now) : null
}

function wholeSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000))
}

function single(value: string | string[] | undefined): string | null {
  return (Array.isArray(value) ? value[0] : value) ?? null
}
