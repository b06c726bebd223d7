// Users have none of the data that lies beside some checkouts: what reads it must do without.
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesThatNeed } from './needs.ts'

const checkout = join(import.meta.dirname, '../../..')

test('files that read it are no failures where there is none', () => {
  const need = { name: 'data', packages: [], find: () => null, usedBy: /\bfindSharedData\(/ }
  const files = filesThatNeed(need, globSync(join(checkout, '{server,sdk,dashboard}/test/**/*.test.ts')))
  expect(files.length).toBeGreaterThan(10)
  // All of them are loaded, which is where they read it; what they test without it runs where they stand.
  const args = ['node_modules/vitest/vitest.mjs', 'run', ...files, '--testNamePattern=no test has such a name']
  const env = { ...process.env, WITHOUT_SHARED_DATA: '1' }
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: checkout, env, encoding: 'utf8' })
  expect(stdout).not.toContain('FAIL')
  expect(status).toBe(0)
})
