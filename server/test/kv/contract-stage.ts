// What the parts of the contract of the key-value store share: their times and their clock.
import type { createHandClock } from './stores.ts'

export const noon = Date.UTC(2026, 4, 1, 12)
export type Clock = ReturnType<typeof createHandClock>
