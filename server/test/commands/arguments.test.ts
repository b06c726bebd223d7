// Tests the arguments of the commands: both forms of an option with a value, what is refused, and that each command of
// the build has a help text.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readArguments } from '../../src/commands/arguments.ts'

const known = { flags: ['--once', '--help'], values: ['--port'], maxWords: 1 }
const read = (...args: string[]) => {
  const { flags, values, words } = readArguments(args, known)
  return [[...flags], Object.fromEntries(values), words]
}

describe('arguments', () => {
  test.each([
    [
      ['--port', '8795', '--once'],
      [['--once'], { '--port': '8795' }, []],
    ],
    [['--port=8795'], [[], { '--port': '8795' }, []]],
    [['--port='], [[], { '--port': '' }, []]],
    [
      ['file', '--port', '1', '--port=2'],
      [[], { '--port': '2' }, ['file']],
    ],
  ])('%j are read', (args, expected) => expect(read(...args)).toEqual(expected))

  test.each([
    [['--prot=1'], 'Unknown argument --prot=1: only --port, --once and --help are known.'],
    [['--once=1'], 'Unknown argument --once=1: only --port, --once and --help are known.'],
    [['a', 'b'], 'Unknown argument b: only --port, --once and --help are known.'],
    [['-p'], 'Unknown argument -p: only --port, --once and --help are known.'],
    [['--port'], '--port needs a value, such as --port 8080.'],
  ])('%j are refused', (args, message) => expect(() => read(...args)).toThrow(message))
})

const build = join(import.meta.dirname, '../../dist/code')
const run = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: build, encoding: 'utf8' })
  return { status, stdout, stderr }
}

describe.each([
  ['main.js', []],
  ['demo.js', []],
  ['database.js', ['backup']],
  ['database.js', ['restore']],
])('%s %j', (file, first) => {
  test('--help shows the help', () => {
    expect(run(file, ...first, '--help')).toEqual({
      status: 0,
      stdout: expect.stringContaining('Usage:'),
      stderr: '',
    })
  })

  test('an unknown option is refused, with what is known', () => {
    const { status, stdout, stderr } = run(file, ...first, '--prot')
    expect([status === 0, stdout]).toEqual([false, ''])
    expect(stderr).toMatch(/Usage:|only --port, --help and --version are known/)
  })
})
