// How the tests of all packages run: one run, one PostgreSQL and one Redis for all of it.
// First everything else, several files at a time in processes that they share; then, one at a time, the files that
// measure the machine: deadlines of the contract, processor time and memory (`*.alone.test.ts`). `npm test` leaves those
// and `*.full.test.ts` out.
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { findLeftOut } from './server/test/support/programs/left-out.ts'
import { filesOfOtherSpeeds } from './server/test/support/runner/speeds.ts'

const folders = '{server,sdk,react,dashboard,cli}/test/**'
const alone = `${folders}/*.alone.test.ts`
const excluded = [...findLeftOut().flatMap(({ files }) => files), ...filesOfOtherSpeeds()]

/** Long files: begun last, as their size suggests, everybody would wait for them. */
const long = [
  'docs/front-door',
  'management/naughty',
  'management/idor-matrix',
  'management/idor-file',
  'management/audit/every-route',
  'docs/examples/every-operation',
  'examples/nextjs',
  'cli/test/files',
  'cli/test/commands',
  'cli/test/doctor',
  'start/refused-starts',
  'start/npm-start',
  'start/drain-deadline',
  'demo/demo',
  'worker/replicas',
  'worker/loop',
  'worker/meters/random-failures',
  'management/providers/provider-keys',
  'management/projects/playground',
  'management/projects/mint/mint',
  'management/people/own-accounts',
  'management/people/roles',
  'management/people/sessions',
  'management/people/service-accounts',
  'management/people/tenants',
  'inference/prompts/every-prompt',
  'inference/guard/guard',
  'inference/budget/budget-replicas',
  'storage/request-log/list-requests',
  'gateway/error-answers',
  'screens/requests.full',
  'dashboard/test/layout-shift',
  'dns/provisioning',
  'product/distributed',
  'product/store-faults',
  'product/database-faults',
  'product/rolling-restart',
  'inference/answer/keep-alive',
]

/** Rooms whose files share products of the same environments: one after the other, so that a worker starts few. */
const rooms = ['inference', 'surfaces', 'management']

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const groups: TestSpecification[][] = [[], ...rooms.map(() => []), []]
    for (const file of await super.sort(files)) groups[placeOf(file)]?.push(file)
    return groups.flat()
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  if (long.some(path => moduleId.includes(`/${path}.`))) return 0
  const room = rooms.findIndex(name => moduleId.includes(`/server/test/${name}/`))
  return room < 0 ? rooms.length + 1 : room + 1
}

/** No test passes because this is long: it ends a run that hangs, on a machine that others load too. */
const hangingMs = 600_000

export default defineConfig({
  test: {
    globalSetup: ['server/test/support/global-setup.ts'],
    sequence: { sequencer: LongFirst },
    pool: 'forks',
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/compiled-for-tests') },
    testTimeout: hangingMs,
    hookTimeout: hangingMs,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 60_000, interval: 20 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: [`${folders}/*.test.ts`],
          exclude: [alone, ...excluded],
          // Loading the sources anew for each file took as long as half the tests.
          isolate: false,
          // Most files wait more than they work: with a process for each core, cores would be idle most of the time. Four
          // use the rest of the processor time, but a whole run took as long, and what waits for a time waits longer.
          maxWorkers: 3 * availableParallelism(),
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          include: [alone],
          exclude: excluded,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
