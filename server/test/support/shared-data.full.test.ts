// Without the shared test data, which users do not have, the tests that read it are skipped and counted; in CI the run
// fails.
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesThatNeed } from './programs/needs.ts'

const checkout = join(import.meta.dirname, '../../..')
const without = { ...process.env, WITHOUT_SHARED_DATA: '1' }

test('files that read it can be loaded where there is none', () => {
  const usedBy = /\b(findSharedData|describeWithSharedData)\(/
  const files = filesThatNeed(
    { name: 'data', packages: [], find: () => null, usedBy },
    globSync(join(checkout, '{server,sdk,dashboard}/test/**/*.test.ts')),
  )
  expect(files.length).toBeGreaterThan(10)
  // Loads all files without running a test, because the files read the data while they load.
  const pattern = '--testNamePattern=no test has such a name'
  const args = ['node_modules/vitest/vitest.mjs', 'run', ...files, pattern, '--passWithNoTests']
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: checkout, env: without, encoding: 'utf8' })
  expect(stdout).not.toContain('FAIL')
  expect(status).toBe(0)
})

test.each([
  ['', 0, '3 passed, 0 failed, 1 skipped'],
  ['true', 1, '3 passed, 1 failed'],
])(
  'what it would have tested is counted as skipped and said; with CI=%j the run ends with %i',
  (CI, status, counts) => {
    const args = ['server/test/run.ts', 'server/test/crypto/secrets/aes-gcm', 'server/test/crypto/ordered-ids']
    const run = spawnSync(process.execPath, args, { cwd: checkout, env: { ...without, CI }, encoding: 'utf8' })
    expect(run.stdout).toContain(
      'server/test/crypto/secrets/aes-gcm.test.ts > published vectors: the test data shared/data/security/wycheproof/aes_gcm_test.json is not on this machine\n',
    )
    expect(run.stdout.trimEnd().split('\n').at(-1)).toBe(counts)
    expect(run.status).toBe(status)
  },
)
