// Cached answers in this process. Beyond the maximum size the answers that were kept first are dropped. Twin of
// scripts/keep-answer.lua and find-answer.lua.

import { assertCounts } from '../admission-arithmetic.ts'
import { answerEntryBytes, type CachedAnswers } from '../cached-answers.ts'

interface Entry {
  answer: string
  bytes: number
  endsAt: number
}

export function createProcessCachedAnswers(clock: () => number, maxBytes: number) {
  // In the order in which they were kept.
  const entries = new Map<string, Entry>()
  let total = 0
  const remove = (key: string): void => {
    const entry = entries.get(key)
    if (entry === undefined) return
    entries.delete(key)
    total -= entry.bytes
  }
  const intentions: CachedAnswers = {
    keepAnswer: async (key, answer, ttlSeconds) => {
      assertCounts(ttlSeconds)
      remove(key)
      const bytes = answer.length + 2 * key.length + answerEntryBytes
      if (bytes > maxBytes) return
      for (const first of entries.keys()) {
        if (total + bytes <= maxBytes) break
        remove(first)
      }
      entries.set(key, { answer, bytes, endsAt: clock() + ttlSeconds * 1000 })
      total += bytes
    },
    findAnswer: async key => {
      const entry = entries.get(key)
      return entry !== undefined && entry.endsAt > clock() ? entry.answer : null
    },
    forgetAnswers: async start => {
      for (const key of [...entries.keys()]) if (key.startsWith(start)) remove(key)
    },
  }
  return {
    intentions,
    sweep: (now: number): void => {
      for (const [key, { endsAt }] of entries) if (endsAt <= now) remove(key)
    },
    count: (): number => entries.size,
  }
}
