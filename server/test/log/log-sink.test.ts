// Lines are written in batches: none may get lost when the process ends, and a warning may not wait for its batch.
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startProcess } from '../support/server-process.ts'

const log = join(import.meta.dirname, '../../src/log/log.ts')

const sink = join(import.meta.dirname, '../../src/log/log-sink.ts')
/** Up to beyond what is gathered, and many that fill it together. */
const sizes = [1, 7_300, 0, 2_000, 6_000, 1, 4_000, ...Array.from({ length: 40 }, () => 130), 5]

/** Less than a pipe holds: what a reader that stands still has not taken by the end is lost. */
const lines = 600

function run(script: string) {
  const source = `import { createLog } from ${JSON.stringify(log)}
    const log = createLog({ level: 'info' })
    const write = (from, to) => { for (let i = from; i < to; i++) log.info('line', { count: i }) }
    ${script}`
  return startProcess({ command: process.execPath, args: ['--input-type=module-typescript', '-e', source] })
}

const countsIn = (text: string) => [...text.matchAll(/"count":([0-9]+)/g)].map(([, count]) => Number(count))

it.each([
  ['runs out of work', `write(0, ${lines})`, 0],
  ['exits', `write(0, ${lines}); process.exit(3)`, 3],
  [
    'exits while a batch is being written',
    `write(0, 300); setImmediate(() => { write(300, ${lines}); process.exit(3) })`,
    3,
  ],
  ['throws', `write(0, ${lines}); throw new Error("x")`, 1],
])('loses no line when the process %s', async (_how, script, code) => {
  const child = await run(script)
  expect(await child.exitCode).toBe(code)
  const counts = countsIn(child.stderr()).toSorted((a, b) => a - b)
  expect(counts).toEqual(Array.from({ length: lines }, (_, at) => at))
})

it('writes lines of any length and alphabet, in their order', async () => {
  const child = await run(`const { createLogSink } = await import(${JSON.stringify(sink)})
    const sink = createLogSink()
    for (const [at, size] of ${JSON.stringify(sizes)}.entries()) sink.write(at + 'ü€😀'.repeat(size) + '\\n')`)
  expect(await child.exitCode).toBe(0)
  expect(child.stderr()).toBe(sizes.map((size, at) => `${at}${'ü€😀'.repeat(size)}\n`).join(''))
})

it('writes a warning and all before it at once', async () => {
  const child = await run(`write(0, 3)
    log.warn('now', { count: 3 })
    const until = Date.now() + 1500
    setTimeout(() => { while (Date.now() < until); process.kill(process.pid, 'SIGKILL') }, 10)`)
  await child.exitCode
  expect(countsIn(child.stderr())).toEqual([0, 1, 2, 3])
})
