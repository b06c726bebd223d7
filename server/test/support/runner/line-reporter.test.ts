// Tests what a run prints and counts: passed, failed and skipped tests, and failures outside of tests.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProcess } from '../server-process.ts'
import type { Listing } from './line-reporter.ts'

const checkout = join(import.meta.dirname, '../../../..')
const files = {
  'good.test.ts': "test('one', () => {})\ntest('two', () => console.log('said by a test'))",
  'bad.test.ts': "test('compares', () => expect({ sum: 4711 }).toEqual({ sum: 4712 }))",
  'skips.test.ts': "test('left out', context => context.skip('this machine has no moon'))\ntest('runs', () => {})",
  'unloadable.test.ts': "throw new Error('cannot be loaded')",
  'hook.test.ts': "beforeAll(() => { throw new Error('the hook fails') })\ntest('behind it', () => {})",
  'late.test.ts':
    "test('ends before its error', () => new Promise(end => { setTimeout(() => { throw new Error('late') }, 0); setTimeout(end, 100) }))",
}
let folder: string
let output: string
let withoutPassed: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-reporter-'))
  mkdirSync(join(folder, 'tests'))
  symlinkSync(join(checkout, 'node_modules'), join(folder, 'node_modules'))
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, 'tests', name), `import { beforeAll, expect, test } from 'vitest'\n${text}\n`)
  }
  output = await run({ passedFiles: true })
  withoutPassed = await run({ passedFiles: false })
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function run(listing: Listing): Promise<string> {
  const program = `
    import { startVitest } from 'vitest/node'
    import { LineReporter } from ${JSON.stringify(join(import.meta.dirname, 'line-reporter.ts'))}
    const reporter = new LineReporter(process.stdout, ${JSON.stringify(listing)})
    const options = { root: ${JSON.stringify(folder)}, config: false, watch: false, maxWorkers: 1, reporters: [reporter] }
    await (await startVitest([], options, {}, { stderr: process.stdout })).close()
    console.log(JSON.stringify(reporter.counts))
    process.exit(0)`
  writeFileSync(join(folder, 'run.mjs'), program)
  const started = await startProcess({
    command: process.execPath,
    args: [join(folder, 'run.mjs')],
    cwd: folder,
    env: { PATH: process.env.PATH, NO_COLOR: '1' },
  })
  await started.exitCode
  return started.stdout()
}

test('a line for each file as it ends: its place, its time, its counts', () => {
  const line = (name: string) => output.split('\n').find(text => / s {2}/.test(text) && text.includes(name))
  expect(line('good.test.ts')).toMatch(/^\d\/6 +\d+\.\d s {2}tests\/good\.test\.ts {2}2 passed$/)
  expect(line('bad.test.ts')).toMatch(/0 passed, 1 FAILED$/)
  expect(line('skips.test.ts')).toMatch(/1 passed, 1 skipped$/)
  expect(line('unloadable.test.ts')).toMatch(/0 passed, 1 FAILED$/)
  expect(output).toContain('6/6')
})

test('below it each failure in one line', () => {
  expect(output).toMatch(
    / s {2}tests\/bad\.test\.ts .*\n {4}FAILED tests\/bad\.test\.ts > compares: expected \{ sum: 4711 \} to/,
  )
})

test('what a test prints', () => {
  expect(output).toContain('\nsaid by a test\n')
})

test('without the files that pass: those with a failure, and all that comes after the last file', () => {
  const afterFiles = (text: string) =>
    text
      .slice(text.indexOf('\nFAILED '), text.indexOf('\n{"passed"'))
      .replace(/\nThe slowest files:[\s\S]*/, '')
      .trim()
  expect(withoutPassed).not.toMatch(/ s {2}tests\/(good|skips)\.test\.ts {2}\d/)
  expect(withoutPassed).not.toContain('said by a test')
  expect(withoutPassed).toMatch(/ s {2}tests\/bad\.test\.ts .*\n {4}FAILED tests\/bad\.test\.ts > compares/)
  expect(withoutPassed).toMatch(/^\d of 6 files after 0\.\d min: \d passed, \d failed so far$/m)
  expect(afterFiles(withoutPassed)).toHaveLength(afterFiles(output).length)
  expect(withoutPassed).toContain('{"passed":4,"failed":4,"skipped":2}')
})

test('the slowest files, the slowest first', () => {
  for (const text of [output, withoutPassed]) {
    const [, lines = ''] = /\nThe slowest files:\n((?: +\d+\.\d s {2}tests\/\w+\.test\.ts\n){6})/.exec(text) ?? []
    const seconds = [...lines.matchAll(/(\d+\.\d) s/g)].map(([, number]) => Number(number))
    expect(seconds).toEqual(seconds.toSorted((one, other) => other - one))
    expect(seconds).toHaveLength(6)
  }
})

test('each failure in full, at the end', () => {
  const failures = output.slice(output.indexOf('6/6'))
  expect(failures).toMatch(
    /FAILED tests\/bad\.test\.ts > compares\n.*\n[\s\S]*"sum": 4712[\s\S]*tests\/bad\.test\.ts:2:/,
  )
  expect(failures).toMatch(/FAILED tests\/unloadable\.test\.ts\n.*cannot be loaded/)
  expect(failures).toMatch(/FAILED tests\/hook\.test\.ts\n.*the hook fails/)
  expect(failures).toMatch(/FAILED An error outside of all tests in \S*late\.test\.ts: late\n.*late/)
})

test('what was skipped, and why', () => {
  expect(output).toContain('  tests/skips.test.ts > left out: this machine has no moon\n')
  expect(output).toContain('  tests/hook.test.ts > behind it: a hook before it failed\n')
})

test('the counts: what fails beside a test is one failure', () => {
  expect(output).toContain('{"passed":4,"failed":4,"skipped":2}')
})
