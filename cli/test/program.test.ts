// The frame of all commands: help, exit codes, and errors that say what to do next.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { commands } from '../src/commands/all-commands.ts'
import { runCli, startCli } from './run-cli.ts'

test('help lists every command, and that of a command shows its example first', async () => {
  const { code, stdout, stderr } = await runCli(['--help'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^Examples:\n {2}\$ sallyport/)
  for (const word of [...commands.map(({ name }) => name.split(' ')[0]), 'start', 'demo', 'db:backup', 'db:restore']) {
    expect(stdout).toMatch(new RegExp(`^  ${word} `, 'm'))
  }
  for (const { name, example } of commands.slice(0, 3)) {
    const help = await runCli([...name.split(' '), '--help'])
    expect(help).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Example:\n {2}\$ sallyport/) })
    expect(help.stdout).toContain(example)
  }
})

test('the documentation has a row for each command', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/cli.md'), 'utf8')
  for (const { name, args = [], summary } of commands) {
    expect(page).toContain(`| \`${[name, ...args.map(([form]) => form)].join(' ')}\` | ${summary} |\n`)
  }
})

test('the example of each command is one of that command', () => {
  for (const { name, example } of commands) expect(example).toMatch(new RegExp(`^sallyport ${name}( |$)`))
})

test.each([
  [['serve'], "Unknown command 'serve'", '`sallyport --help` lists them.'],
  [['keys', 'revoke'], "Missing required argument 'id'", 'Add --help to see how.'],
  [['keys', '--nonsense'], "Unknown option '--nonsense'", 'Add --help to see how.'],
  [['settings'], 'Which command of settings?', '`sallyport settings --help` lists them.'],
  [['whoami'], expect.stringContaining('Not signed in'), expect.stringContaining('SALLYPORT_TOKEN')],
  [['settings', 'set', 'rpm_limit'], 'rpm_limit is no field with a value', expect.stringContaining('name=value')],
  [['killswitch', 'on'], 'Name what to stop: one of --project, --tenant and --all', null],
  [['audit', 'verify', '/nowhere/a.ndjson'], expect.stringContaining('ENOENT'), null],
])('%j fails with a sentence, and what to do next', async (args, message, next) => {
  const asJson = await runCli([...args, '--json'])
  expect(asJson).toMatchObject({ code: 1, stdout: '' })
  expect(JSON.parse(asJson.stderr)).toMatchObject({ error: { message, next } })
  const plain = await runCli(args)
  expect(plain).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^Error: /) })
})

test('an installation that does not answer is named as such', async () => {
  const env = { SALLYPORT_URL: 'http://127.0.0.1:9', SALLYPORT_TOKEN: 'svc_x' }
  const { code, stderr } = await runCli(['keys', 'revoke', 'x'], env)
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('--url or SALLYPORT_URL') })
})

test('the first Ctrl+C ends a command that waits for an answer', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1')
  onTestFinished(() => {
    silent.closeAllConnections()
    silent.close()
  })
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const asked = once(silent, 'request')
  const started = await startCli(['whoami'], { SALLYPORT_URL: `http://127.0.0.1:${port}`, SALLYPORT_TOKEN: 'svc_x' })
  await asked
  process.kill(started.pid, 'SIGINT')
  // No code of its own: the signal ended it.
  expect(await started.exitCode).toBeNull()
  expect(started.stderr()).toBe('')
})

test('an account without a tenant is told how to make one', async () => {
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(request.url?.endsWith('/tenants') ? '[]' : '{"email":"new@example.com"}')
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const env = { SALLYPORT_URL: `http://127.0.0.1:${port}`, SALLYPORT_TOKEN: 'sess_1' }
  expect((await runCli(['whoami'], env)).stdout).toBe(
    `new@example.com at http://127.0.0.1:${port}\n\nNo tenants.\nNext: sallyport tenants create NAME\n`,
  )
})
