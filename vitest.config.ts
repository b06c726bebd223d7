// How the tests of all three packages run: one run, one PostgreSQL and one Redis for all of it.
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { findSharedData } from './server/test/support/shared-data.ts'

/** Short files that mostly wait: begun last, as their size suggests, everybody would wait for them. */
const waiting = [
  'product/drain-deadline',
  'product/kill-loop',
  'worker/copies',
  'worker/loop',
  'management/provider-keys',
  'product/provisioning',
  'product/store-faults',
  'product/database-faults',
  'product/rolling-restart',
  'inference/keep-alive',
]

class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isWaiting = ({ moduleId }: TestSpecification) => waiting.some(path => moduleId.includes(`/${path}.test.`))
    return [...sorted.filter(isWaiting), ...sorted.filter(file => !isWaiting(file))]
  }
}

export default defineConfig({
  test: {
    include: ['server/test/**/*.test.ts', 'sdk/test/**/*.test.ts', 'dashboard/test/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    globalSetup: ['server/test/support/global-setup.ts'],
    pool: 'forks',
    // Many files wait more than they work: on two cores one at a time would leave both idle.
    maxWorkers: Math.max(2, availableParallelism()),
    sequence: { sequencer: WaitingFirst },
    // Where the data is missing that lies beside some checkouts, there is nothing to test in what reads it.
    passWithNoTests: findSharedData('.') === null,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    teardownTimeout: 20_000,
  },
})
