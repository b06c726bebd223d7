// What a build builds: all of it in a fresh clone, then only what is older than its sources.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const checkout = join(import.meta.dirname, '../../..')
const clone = mkdtempSync(join(tmpdir(), 'sallyport-build-'))

beforeAll(() => {
  const needed = ['package-lock.json', 'tsconfig.base.json', 'server/package.json', 'server/build', 'server/src']
  for (const path of [...needed, 'sdk', 'react', 'dashboard', 'cli']) {
    mkdirSync(join(clone, path, '..'), { recursive: true })
    cpSync(join(checkout, path), join(clone, path), { recursive: true, filter: from => !/\/(dist|test)$/.test(from) })
  }
  symlinkSync(join(checkout, 'node_modules'), join(clone, 'node_modules'))
})
afterAll(() => rmSync(clone, { recursive: true }))

function build(): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['server/build/ensure-built.js'], {
    cwd: clone,
    // A test runner's variable must not choose React's development build.
    env: { PATH: process.env.PATH, NODE_ENV: 'test' },
    encoding: 'utf8',
  })
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
  return /^Building (.+) \.\.\. done in [\d.]+ s\.\n$/.exec(stderr)?.[1] ?? stderr
}

test('a build builds what is absent or older than its sources, and nothing else', () => {
  const removed = join(clone, 'server/src/log/removed.ts')
  writeFileSync(removed, '// Nothing.\n')
  expect(build()).toBe('server, dashboard, SDK, React package, command line')
  for (const path of [
    'server/dist/code/main.js',
    'dashboard/dist/index.html',
    'sdk/dist/index.d.ts',
    'react/dist/index.d.ts',
    'cli/dist/sallyport.js',
  ]) {
    expect([path, existsSync(join(clone, path))]).toEqual([path, true])
  }
  expect(build()).toBe('')

  const now = new Date()
  utimesSync(join(clone, 'dashboard/src/main.tsx'), now, now)
  expect(build()).toBe('dashboard')
  rmSync(removed)
  expect(build()).toBe('server')
  rmSync(join(clone, 'sdk/dist'), { recursive: true })
  expect(build()).toBe('SDK')
  expect(build()).toBe('')
})
