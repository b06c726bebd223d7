// `npm run demo` as a newcomer runs it: one completion through the whole product, labelled, with lines that repeat it.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { findFreePort } from '../support/server-process.ts'
import { temporaryFolder } from './refusal.ts'

const checkout = join(import.meta.dirname, '../../..')

test('the demo streams a simulated answer and prints how to repeat it', async () => {
  const port = await findFreePort()
  const demo = spawn(process.execPath, ['server/src/commands/demo.ts', '--once', `--port=${port}`], {
    cwd: checkout,
    env: { PATH: process.env['PATH'] },
  })
  let printed = ''
  demo.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString()
  })
  const exitCode = await new Promise(resolve => demo.once('exit', resolve))
  expect(exitCode).toBe(0)
  expect(printed).toContain('SIMULATED provider')
  expect(printed).toContain('(simulated answer) No model was asked.')
  expect(printed).toMatch(new RegExp(`curl -N http://localhost:${port}/p/[a-z]+-[a-z]+-[0-9]+/v1/chat/completions`))
  expect(printed).toContain(`new OpenAI({ baseURL: 'http://localhost:${port}/p/`)
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
  const demo = spawn(process.execPath, ['server/src/commands/demo.ts', '--once', ...args], {
    cwd: checkout,
    env: { PATH: process.env['PATH'], ...variables },
  })
  let told = ''
  demo.stderr.on('data', (chunk: Buffer) => {
    told += chunk.toString()
  })
  const exitCode = await new Promise(resolve => demo.once('exit', resolve))
  blocker.close()
  expect(exitCode).toBe(1)
  expect(told).toContain(`PORT ${port} is already in use`)
})

describe('whatever ends the demo, it leaves nothing', () => {
  /** The demo with a folder of its own for temporary files; `reader` is what its output is piped into. */
  async function begin(args: string[], reader?: string) {
    const folder = temporaryFolder()
    const port = await findFreePort()
    const command = [process.execPath, 'server/src/commands/demo.ts', ...args, `--port=${port}`].join(' ')
    const demo = spawn('sh', ['-c', reader === undefined ? `exec ${command}` : `${command} | ${reader}`], {
      cwd: checkout,
      env: { PATH: process.env['PATH'], TMPDIR: folder },
      // A group of its own, so that a demo that outlives its shell can be ended.
      detached: true,
    })
    onTestFinished(() => {
      if (demo.exitCode === null && demo.pid !== undefined) process.kill(-demo.pid, 'SIGKILL')
    })
    let printed = ''
    let told = ''
    demo.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
    })
    demo.stderr.on('data', (chunk: Buffer) => {
      told += chunk.toString()
    })
    const ended = new Promise<number | null>(resolve => demo.once('close', code => resolve(code)))
    return { demo, folder, ended, printed: () => printed, told: () => told, left: () => readdirSync(folder) }
  }
  const patience = { timeout: 50_000, interval: 20 }

  test.each([
    ['its first line', 'head -1'],
    ['all of its lines', "sed '/Stop with Ctrl+C/q'"],
    ['nothing', 'true'],
  ])('a reader that has read %s', async (_what, reader) => {
    const { ended, printed, told, left } = await begin([], reader)
    expect(await ended).toBe(0)
    expect(told()).toBe('')
    expect(left()).toEqual([])
    if (reader.startsWith('sed')) expect(printed()).toContain('Stop with Ctrl+C.')
  })

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s, once and again at once, as npm passes it on',
    async signal => {
      const { demo, ended, printed, told, left } = await begin([])
      await expect.poll(printed, patience).toContain('Stop with Ctrl+C.')
      expect(left()).toHaveLength(1)
      demo.kill(signal)
      demo.kill(signal)
      expect(await ended).toBe(0)
      expect(told()).toBe('')
      expect(left()).toEqual([])
    },
  )

  test('a signal during the start', async () => {
    const { demo, folder, ended, left } = await begin([])
    const database = () => left().some(name => existsSync(join(folder, name, 'sallyport.db')))
    await expect.poll(database, { ...patience, interval: 2 }).toBe(true)
    demo.kill('SIGTERM')
    expect(await ended).toBe(0)
    expect(left()).toEqual([])
  })

  test('a start that fails, and the end that was asked for', async () => {
    const failed = await begin(['--port=99999'])
    expect(await failed.ended).toBe(1)
    const done = await begin(['--once'])
    expect(await done.ended).toBe(0)
    expect([failed.left(), done.left()]).toEqual([[], []])
  })
})
