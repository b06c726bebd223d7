// `npm run demo` as a newcomer runs it: one completion through the whole product, labelled, with lines that repeat it.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findFreePort } from '../support/server-process.ts'

const checkout = join(import.meta.dirname, '../../..')

test('the demo streams a simulated answer and prints how to repeat it', async () => {
  const port = await findFreePort()
  const demo = spawn(process.execPath, ['server/src/demo-command.ts', '--once', `--port=${port}`], {
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
  const demo = spawn(process.execPath, ['server/src/demo-command.ts', '--once', ...args], {
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
