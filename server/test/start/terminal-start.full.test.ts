// What a person at a terminal sees of a start: a few plain lines, no JSON and no migrations.
import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { findBinary } from '../support/programs/find-binary.ts'
import { startProcess, withFreePort } from '../support/server-process.ts'
import { temporaryFolder } from './refusal.ts'

const checkout = join(import.meta.dirname, '../../..')
const script = findBinary('script')

/** Both outputs of the product are a terminal, whose text is the stdout of `script`. */
async function startAtTerminal(env: Record<string, string>) {
  return withFreePort(async port => {
    const terminal = await startProcess({
      command: script ?? 'script',
      args: ['-qec', `exec ${process.execPath} server/dist/code/main.js`, '/dev/null'],
      cwd: checkout,
      env: { PATH: process.env.PATH, SHELL: '/bin/sh', PORT: String(port), ...env },
    })
    const findServer = () => Number(readFileSync(`/proc/${terminal.pid}/task/${terminal.pid}/children`, 'utf8').trim())
    const stop = async () => {
      if (terminal.isRunning()) process.kill(findServer(), 'SIGTERM')
      await terminal.exitCode
    }
    onTestFinished(stop)
    const text = () => terminal.stdout().replaceAll('\r', '')
    await expect.poll(text).toContain('Ctrl+C')
    return { port, text, stop }
  })
}

test.skipIf(process.platform !== 'linux' || script === null)('at a terminal, a start prints plain lines', async () => {
  const DATA_DIR = join(temporaryFolder(), 'data')
  const first = await startAtTerminal({ DATA_DIR })
  const password = readFileSync(join(DATA_DIR, 'initial-password'), 'utf8').trim()
  expect(first.text()).not.toContain('{')
  expect(first.text()).not.toContain('migration')
  expect(first.text()).toMatch(/\nSallyport \d+\.\d+\.\d+ is running\.\n/)
  expect(first.text()).toContain(`  Address       http://localhost:${first.port}\n`)
  expect(first.text()).toContain('  User          admin@localhost\n')
  expect(first.text()).toContain(`  Password      ${password} (also in ${DATA_DIR}/initial-password)\n`)
  expect(first.text()).toContain(`read http://localhost:${first.port}/docs/start\n`)
  expect(first.text().trim().split('\n').length).toBeLessThan(12)
  await first.stop()

  const second = await startAtTerminal({ DATA_DIR, LOG_LEVEL: 'info' })
  expect(second.text()).not.toContain(password)
  expect(second.text()).toContain(`of the first user: in ${DATA_DIR}/initial-password\n`)
  // Whoever asks for log lines gets them in the same plain form.
  expect(second.text()).toMatch(/^\d\d:\d\d:\d\d info serving mode=embedded bind=\S+ port=\d+/m)
})

test('npm ci prints no warnings about engines, whatever Node runs it', async () => {
  const folder = temporaryFolder()
  const files = [
    'package.json',
    'package-lock.json',
    '.npmrc',
    ...['sdk', 'server', 'dashboard'].map(name => `${name}/package.json`),
  ]
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    copyFileSync(join(checkout, file), join(folder, file))
  }
  const { PATH } = process.env
  const env = {
    PATH: PATH?.split(':')
      .filter(each => !each.includes('node_modules'))
      .join(':'),
    HOME: folder,
  }
  const { stdout, stderr } = await promisify(execFile)('npm', ['ci', '--dry-run', '--offline'], { cwd: folder, env })
  expect(stdout).toMatch(/added \d+ packages/)
  expect(stderr).not.toMatch(/npm warn/i)
  // Errors are still shown.
  const wrong = promisify(execFile)('npm', ['run', 'no-such-script'], { cwd: folder, env })
  await expect(wrong).rejects.toMatchObject({ stderr: expect.stringContaining('Missing script') })
})
