import { defineConfig } from 'vitest/config'

/** Trainings take seconds, on a busy machine a minute; a longer one hangs. */
export default defineConfig({ test: { testTimeout: 600_000, hookTimeout: 600_000 } })
