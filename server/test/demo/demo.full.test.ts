// Tests `npm run demo` as a new user runs it: what its steps show, the commands that repeat them, its output at a
// terminal, and that it leaves nothing behind however it ends.
import { execFile, spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../start/refusal.ts'
import { findBinary } from '../support/programs/find-binary.ts'
import { findFreePort } from '../support/server-process.ts'

const checkout = join(import.meta.dirname, '../../..')
const script = findBinary('script')
const curl = findBinary('curl')
const [name, address] = ['Priya Sharma', 'priya.sharma@example.com']
const patience = { timeout: 50_000, interval: 20 }

interface DemoOptions {
  args?: string[]
  /** What its output is piped into. */
  reader?: string
  /** Runs at a terminal of this many columns. */
  columns?: number
  env?: Record<string, string>
}

/** The demo with a folder of its own for temporary files. */
async function begin({ args = [], reader, columns, env = {} }: DemoOptions = {}) {
  const folder = temporaryFolder()
  const port = await findFreePort()
  const command = [process.execPath, 'server/dist/code/demo.js', '--port', port, ...args].join(' ')
  const [program = '', ...words] =
    columns === undefined
      ? ['sh', '-c', reader === undefined ? `exec ${command}` : `${command} | ${reader}`]
      : [script ?? 'script', '-qec', `stty cols ${columns}; exec ${command}`, '/dev/null']
  const demo = spawn(program, words, {
    cwd: checkout,
    env: { PATH: process.env['PATH'], SHELL: '/bin/sh', TERM: 'xterm-256color', TMPDIR: folder, ...env },
    // A group of its own, so that a demo that outlives its shell can be ended.
    detached: true,
  })
  onTestFinished(() => {
    if (demo.exitCode === null && demo.pid !== undefined) process.kill(-demo.pid, 'SIGKILL')
  })
  let printed = ''
  let warned = ''
  demo.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString()
  })
  demo.stderr.on('data', (chunk: Buffer) => {
    warned += chunk.toString()
  })
  const ended = new Promise<number | null>(resolve => demo.once('close', code => resolve(code)))
  return {
    demo,
    port,
    folder,
    ended,
    printed: () => printed.replaceAll('\r', ''),
    warned: () => warned,
    left: () => readdirSync(folder),
  }
}

/** The indented lines after a line of the output. */
function linesAfter(printed: string, line: string | RegExp): string[] {
  const lines = printed.split('\n')
  const at = lines.findIndex(each => (typeof line === 'string' ? each === line : line.test(each)))
  const after = lines.slice(at + 1)
  const end = after.findIndex(each => !each.startsWith('  '))
  return at === -1 ? [] : after.slice(0, end).map(each => each.trim())
}

test('shows masking, a blocked injection, a limit and a kill switch, each with the real responses', async () => {
  // Colours are for terminals alone, also with FORCE_COLOR.
  const { ended, printed, warned, left, port } = await begin({ args: ['--once'], env: { FORCE_COLOR: '1' } })
  expect(await ended, warned()).toBe(0)
  expect(warned()).toBe('')
  expect(left()).toEqual([])
  const text = printed()
  expect(text).not.toContain('\u001b')
  expect(text).toContain(`Sallyport runs at http://localhost:${port}, in front of a SIMULATED provider`)
  expect(text).toContain('"pii_mode":"enforce"')

  const [written = ''] = linesAfter(text, 'What the user wrote:')
  expect(written).toContain(name)
  expect(written).toContain(address)
  const [received = ''] = linesAfter(text, 'What the provider received:')
  const masked = /<PERSON_[0-9a-f]{12}> \(<EMAIL_ADDRESS_[0-9a-f]{12}>\)/
  expect(received).toBe(written.replace(`${name} (${address})`, masked.exec(received)?.[0] ?? 'no token'))
  const [restored = ''] = linesAfter(text, 'What came back to the user:')
  expect(restored).toContain('(simulated answer) No model was asked.')
  expect(restored).toContain(written)
  expect(restored).not.toContain('<')

  const [, injected = ''] = text.split('2. A prompt injection is blocked')
  const blocked = 'HTTP 403 {"error":{"message":"Request blocked: potential prompt injection detected"'
  expect(linesAfter(injected, 'What came back to the user:')[0]).toContain(blocked)
  expect(injected).toContain('"code":"SERVICE_CONTENT_BLOCKED"')
  expect(injected).toContain('\nRequests that reached the provider: 0\n')

  const [limited, ...headers] = linesAfter(text, '10 requests of bob were answered. The next one:')
  expect(limited).toBe('HTTP 429 {"error":"rate limit exceeded","message":"API rate limit exceeded"}')
  expect(headers.find(header => header.startsWith('retry-after: '))).toMatch(/ ([1-9]|[1-5]\d|60)$/)
  expect(headers).toContain('x-ratelimit-limit-requests: 10')
  expect(headers).toContain('x-ratelimit-remaining-requests: 0')

  expect(linesAfter(text, 'What came back until then:')[0]).toMatch(/^\(simulated answer\) 1 2 3 4 5 6 7 8 9 10 11\b/)
  expect(text).not.toContain(' 900 ')
  const [frame = ''] = linesAfter(text, /^The stream's last frame. It ended \d+ ms after the switch was sent:$/)
  expect(JSON.parse(frame.replace('data: ', ''))).toMatchObject({ error: { code: 'service_disabled' } })
  const [next] = linesAfter(text, 'The next request:')
  expect(next).toBe('HTTP 403 {"error":"forbidden","message":"Service disabled by kill switch"}')
  expect(text).toContain(`new OpenAI({ baseURL: 'http://localhost:${port}/p/`)
})

test.skipIf(curl === null)('the printed commands repeat each step', async () => {
  const { demo, ended, printed, warned } = await begin()
  await expect.poll(printed, patience).toContain('Stop with Ctrl+C.')
  expect(printed()).toMatch(/open http:\/\/localhost:\d+ and sign in as \S+@\S+ with the password: \S.*\n/)
  const commands = printed().split('while the demo runs:\n')[1]?.split('With the OpenAI client')[0] ?? ''
  const env = { PATH: `${process.env['PATH']}:${dirname(curl ?? '')}` }
  const { stdout, stderr } = await promisify(execFile)('sh', ['-ec', commands], { env })
  expect(stderr).toBe('')
  const answer = [...stdout.matchAll(/"content":"((?:[^"\\]|\\.)*)"/g)].map(([, piece]) => piece).join('')
  expect(answer).toContain(`${name} (${address})`)
  expect(stdout).toContain('SERVICE_CONTENT_BLOCKED')
  expect(stdout).toMatch(/^retry-after: \d+\r?$/im)
  expect(stdout).toContain('"message":"API rate limit exceeded"')
  expect(stdout).toContain('"message":"Service disabled by kill switch"')
  expect(stdout).toMatch(/"enabled":false\}$/)
  demo.kill('SIGINT')
  expect(await ended, warned()).toBe(0)
})

describe.skipIf(process.platform !== 'linux' || script === null)('at a terminal', () => {
  const run = async (columns: number, env: Record<string, string> = {}) => {
    const { ended, printed } = await begin({ args: ['--once'], columns, env })
    expect(await ended, printed()).toBe(0)
    return printed()
  }
  const heads = /^What the user wrote +What the provider received +What came back to the user$/m

  test('of 100 columns the three texts stand side by side, in colour unless NO_COLOR is set', async () => {
    const plain = await run(100, { NO_COLOR: '1' })
    expect(plain).toMatch(heads)
    expect(plain).toMatch(new RegExp(`^Please write to ${name} +Please write to +\\(simulated answer\\) No`, 'm'))
    const [, table = ''] = plain.split(heads)
    for (const line of table.split('\n2. ')[0]?.split('\n') ?? []) expect(line.length).toBeLessThanOrEqual(100)
    expect(plain).not.toContain('\u001b')
  })

  test('of 99 columns they stand one below another', async () => {
    const narrow = await run(99)
    expect(narrow).not.toMatch(heads)
    const [received] = linesAfter(narrow, 'What the provider received:')
    expect(received?.replaceAll('\u001b', '')).toMatch(/^Please write to \[36m<PERSON_[0-9a-f]{12}>\[39m/)
  })
})

test.each([
  ['as an argument', (port: number) => ({ args: [`--port=${port}`], variables: { PORT: '1' } })],
  ['as a variable', (port: number) => ({ args: [], variables: { PORT: String(port) } })],
])('a taken port, named %s, ends the demo with one sentence', async (_name, nameIt) => {
  const { createServer } = await import('node:net')
  const blocker = createServer()
  await new Promise<void>(resolve => blocker.listen(0, '127.0.0.1', resolve))
  const { port } = blocker.address() as { port: number }
  const { args, variables } = nameIt(port)
  const demo = spawn(process.execPath, ['server/dist/code/demo.js', '--once', ...args], {
    cwd: checkout,
    env: { PATH: process.env['PATH'], ...variables },
  })
  let warned = ''
  demo.stderr.on('data', (chunk: Buffer) => {
    warned += chunk.toString()
  })
  const exitCode = await new Promise(resolve => demo.once('exit', resolve))
  blocker.close()
  expect(exitCode).toBe(1)
  expect(warned).toContain(`PORT ${port} is already in use`)
})

describe('whatever ends the demo, it leaves nothing', () => {
  test.each([
    ['its first line', 'head -1'],
    ['all of its lines', "sed '/Stop with Ctrl+C/q'"],
    ['nothing', 'true'],
  ])('a reader that has read %s', async (_what, reader) => {
    const { ended, printed, warned, left } = await begin({ reader })
    expect(await ended).toBe(0)
    expect(warned()).toBe('')
    expect(left()).toEqual([])
    if (reader.includes('Stop')) expect(printed()).toContain('Stop with Ctrl+C.')
  })

  // SIGINT ends the demos of other tests.
  test.each(['SIGTERM', 'SIGHUP'] as const)('%s, once and again at once, as npm passes it on', async signal => {
    const { demo, ended, printed, warned, left } = await begin()
    await expect.poll(printed, patience).toContain('Stop with Ctrl+C.')
    expect(left()).toHaveLength(1)
    demo.kill(signal)
    demo.kill(signal)
    expect(await ended).toBe(0)
    expect(warned()).toBe('')
    expect(left()).toEqual([])
  })

  test.each([
    '1. Personal data is masked for the provider and restored for the user',
    '4. A kill switch ends a running stream',
  ])('a signal during step %s', async title => {
    const { demo, ended, printed, warned, left } = await begin()
    await expect.poll(printed, { ...patience, interval: 2 }).toContain(title)
    demo.kill('SIGINT')
    expect(await ended).toBe(0)
    expect(warned()).toBe('')
    expect(left()).toEqual([])
    // The stream in flight is aborted; without that, the demo would go on while the product stops.
    expect(printed().trimEnd().endsWith(title)).toBe(true)
  })

  test('a signal during the start', async () => {
    const { demo, folder, ended, left } = await begin()
    const database = () => left().some(each => existsSync(join(folder, each, 'sallyport.db')))
    await expect.poll(database, { ...patience, interval: 2 }).toBe(true)
    demo.kill('SIGTERM')
    expect(await ended).toBe(0)
    expect(left()).toEqual([])
  })

  test('a start that fails', async () => {
    const failed = await begin({ args: ['--port=99999'] })
    expect(await failed.ended).toBe(1)
    expect(failed.left()).toEqual([])
  })
})
