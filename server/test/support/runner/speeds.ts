// Which test files a command runs, by the suffix of their names:
// `*.test.ts` are run by every command; `*.full.test.ts`, which take long beside what they find, and `*.alone.test.ts`,
// which measure the machine and run one at a time, are left out by `npm test`.
import { globSync } from 'node:fs'
import { join } from 'node:path'

const checkout = join(import.meta.dirname, '../../../..')

/** `quick` is `npm test`, `all` is `npm run test:all`, and `rest` is what the first leaves out of the second. */
export type Speed = 'quick' | 'all' | 'rest'

const isLeftOut = (file: string) => /\.(full|alone)\.test\.ts$/.test(file)

export function isOfSpeed(speed: Speed, file: string): boolean {
  return speed === 'all' || isLeftOut(file) === (speed === 'rest')
}

export function findTestFiles(): string[] {
  return globSync('{server,sdk,react,dashboard,cli}/test/**/*.test.ts', { cwd: checkout })
}

/** The files that this run leaves out, by TEST_SPEED, which `run.ts` sets. Without it, all files run. */
export function filesOfOtherSpeeds(): string[] {
  const { TEST_SPEED: speed = 'all' } = process.env
  if (speed !== 'quick' && speed !== 'all' && speed !== 'rest') throw new Error(`no speed of tests: ${speed}`)
  return findTestFiles().filter(file => !isOfSpeed(speed, file))
}
