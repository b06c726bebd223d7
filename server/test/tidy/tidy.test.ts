// Fails the build where the code leaves the rules of the house; each rule is proven by samples that break it.
// Dead exports and dead files are knip's (`npm run check:unused`), in the same check.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { describe, expect, test } from 'vitest'
import * as rooms from './rooms.ts'
import * as rules from './rules.ts'
import { readSource, type Source } from './source.ts'

const checkout = join(import.meta.dirname, '../../..')

function readAll(...patterns: string[]): Source[] {
  const paths = patterns.flatMap(pattern => globSync(pattern, { cwd: checkout }))
  return paths.sort().map(path => readSource(path.split(sep).join('/'), readFileSync(join(checkout, path), 'utf8')))
}

const sources = readAll('{server,sdk,react,dashboard,cli}/src/**/*.{ts,tsx}')
const tests = readAll(
  '{server,sdk,react,dashboard,cli}/test/**/*.{ts,tsx}',
  'server/{build,packaging}/**/*.ts',
  'guardrails-lab/**/*.ts',
  'dashboard/screenshots/**/*.ts',
  'bench/**/*.ts',
)

function readPage(path: string) {
  return { path, text: readFileSync(join(checkout, path), 'utf8') }
}

/** Generated, and as long as the management API is. */
const written = sources.filter(({ path }) => !/^sdk\/src\/management-(types|methods)\.ts$/.test(path))
/** Without those of bench/results and of the tests' data, which are records. */
const pages = [
  '*.md',
  'docs/**/*.md',
  'examples/*/*.md',
  'sdk/*.md',
  'react/*.md',
  'python/*.md',
  'bench/*.md',
  'guardrails-lab/*.md',
  'deploy/**/*.md',
  'server/src/**/*.md',
]
  .flatMap(pattern => globSync(pattern, { cwd: checkout }))
  .filter(path => !path.includes('node_modules'))
  .map(readPage)
const folders = globSync('**/*.*', { cwd: join(checkout, 'server/src') })
  .map(path => dirname(path).split(sep).join('/'))
  .filter(folder => folder !== '.')
const architecture = readFileSync(join(checkout, 'ARCHITECTURE.md'), 'utf8')
const neighbours = rooms.readNeighbours(architecture)

describe('the checkout', () => {
  test('has sources to look at', () => {
    expect(sources.length).toBeGreaterThan(3)
    expect(tests.length).toBeGreaterThan(3)
  })

  test.each<[string, () => string[]]>([
    ['files of 300 lines and functions of 60 at most', () => rules.tooLong(written)],
    ['tests of 400 lines and functions of 60 at most', () => rules.tooLongTests(tests)],
    ['comments of 120 characters at most', () => rules.tooWideComments(written)],
    ['prose of 100 characters at most in its pages', () => rules.tooWideProse(pages)],
    [
      'no page that names a missing file',
      () =>
        rules.missingFiles([...pages, readPage('NOTICE')], [...sources, ...tests], path =>
          existsSync(join(checkout, path)),
        ),
    ],
    ['an opening comment in every file', () => rules.withoutOpening(sources)],
    ['names that say what is inside', () => rules.badlyNamed(sources)],
    ['a floor for every file', () => rooms.withoutFloor(sources)],
    ['imports that go down, or to a listed neighbour', () => rooms.upOrSideways(sources, neighbours)],
    ['no listed neighbour that is unused or leads back', () => rooms.wrongNeighbours(sources, neighbours)],
    ['rooms of 24 files at most', () => rooms.overfullRooms([...sources, ...tests])],
    ['type names that are unique on their level', () => rooms.repeatedTypeNames(sources)],
    ['no reader of requests and no framing outside http/', () => rooms.reachingIntoHttp(sources)],
    ['no import cycles', () => rules.inCycles([...sources, ...tests])],
    ['environment reads in config/config.ts only', () => rules.readingEnvironment(sources)],
    ['texts normalised in domain/normal-form.ts only', () => rules.normalisingElsewhere(sources)],
    ['nothing that copies what grows', () => rules.copyingWhatGrows(sources)],
    ['no operation or endpoint that is asked for its name', () => rules.comparingOperations(sources)],
    ['every folder in ARCHITECTURE.md', () => rooms.unnamedFolders([...new Set(folders)], architecture)],
    ['no hooks at the top level of the helpers of tests', () => rules.hooksOfHelpers(tests)],
    ['nothing focused, skipped or unfinished', () => rules.unfinished([...sources, ...tests])],
  ])('has %s', (_rule, findFaults) => {
    expect(findFaults()).toEqual([])
  })
})

const sample = (path: string, text: string): Source => readSource(path, text)
const lines = (count: number): string => 'work()\n'.repeat(count)
const listed = rooms.readNeighbours('| `gateway/admission` | `gateway/outage` |\n| `http` | `log`, `sockets` |')

describe('a rule finds', () => {
  test('a file over 300 lines, and leaves one of 300', () => {
    expect(rules.tooLong([sample('server/src/kv/a.ts', lines(301))])).toHaveLength(1)
    expect(rules.tooLong([sample('server/src/kv/a.ts', lines(300))])).toEqual([])
  })

  test('a test over 400 lines, and leaves one of 400', () => {
    expect(rules.tooLongTests([sample('server/test/kv/a.test.ts', lines(401))])).toHaveLength(1)
    expect(rules.tooLongTests([sample('server/test/kv/a.test.ts', lines(400))])).toEqual([])
  })

  test.each([
    ['a test', (body: string) => `test('a', () => {\n${body}})\n`, 1],
    ['a hook', (body: string) => `beforeAll(async () => {\n${body}})\n`, 1],
    ['a helper', (body: string) => `function openStage() {\n${body}}\n`, 1],
    ['a test in a group', (body: string) => `describe('a', () => {\n  test('b', () => {\n${body}})\n})\n`, 1],
    ['a group', (body: string) => `describe('a', () => {\n${body}})\n`, 0],
    ['a table of groups', (body: string) => `describe.each([1])('a', () => {\n${body}})\n`, 0],
    ['a group by name', (body: string) => `export function describeStore() {\n${body}}\n`, 0],
  ])('functions over 60 lines in tests: %s', (_kind, write, count) => {
    expect(rules.tooLongTests([sample('server/test/kv/a.test.ts', write(lines(61)))])).toHaveLength(count)
  })

  test.each([
    ['declaration', (body: string) => `export async function long() {\n${body}}\n`],
    ['arrow', (body: string) => `export const long = () => {\n${body}}\n`],
    ['method', (body: string) => `export class A {\n  long() {\n${body}}\n}\n`],
    ['property', (body: string) => `export const a = {\n  long: async () => {\n${body}} }\n`],
  ])('a function over 60 lines: %s', (_kind, write) => {
    const faultsOf = (count: number): string[] => rules.tooLong([sample('server/src/kv/a.ts', write(lines(count)))])
    expect(faultsOf(59)).toEqual([expect.stringContaining('long has 61 lines')])
    expect(faultsOf(58)).toEqual([])
  })

  test('the length of a function whose text is full of braces that are none', () => {
    const text = [
      'function odd() {',
      "  const a = '}'",
      '  const b = `}$' + '{`}`}`',
      '  // }',
      '  /* } */',
      '  return /[}]/',
      '}',
    ]
    const [odd] = sample('server/src/kv/a.ts', text.join('\n')).functions
    expect(odd).toEqual({ name: 'odd', line: 1, lineCount: 7, isGroup: false })
  })

  test('a file without an opening comment', () => {
    const texts = ['import "./a.ts"\n// late', '\n// after an empty line', '']
    for (const text of texts) expect(rules.withoutOpening([sample('server/src/kv/a.ts', text)])).toHaveLength(1)
    for (const text of ['// a', '/** a */', '#!/usr/bin/env node\n// a']) {
      expect(rules.withoutOpening([sample('server/src/kv/a.ts', text)])).toEqual([])
    }
  })

  test.each(['kv/utils.ts', 'common/a.ts', 'kv/string-helpers.ts', 'kv/key-manager.ts', 'kv/KeyStore.ts', 'kv/a_b.ts'])(
    'the name %s',
    path => {
      expect(rules.badlyNamed([sample(`server/src/${path}`, '')])).toHaveLength(1)
    },
  )

  test.each(['kv/store.ts', 'kv/shared-secret.ts', 'domain/entity-types.ts', 'providers/protocols/cohere.ts'])(
    'nothing wrong with the name %s',
    path => {
      expect(rules.badlyNamed([sample(`server/src/${path}`, '')])).toEqual([])
    },
  )

  test.each([
    ['domain/a.ts', "import { b } from '../http/b.ts'", 'up'],
    ['kv/a.ts', "import type { B } from '../storage/b.ts'", 'sideways, a type'],
    ['kv/a.ts', "import { type B } from '../config/b.ts'", 'up to the top'],
    ['kv/a.ts', "import { type B } from '../app.ts'", 'up to a file of the top'],
    ['gateway/outage/a.ts', "import { b } from '../admission/b.ts'", 'to a neighbour that is listed the other way'],
    ['gateway/caller/a.ts', "import { b } from '../admission/b.ts'", 'to a neighbour that is not listed'],
    ['http/front/a.ts', "import { b } from '../../log/b.ts'", 'to a neighbour that is listed for another room'],
    ['gateway/a.ts', "export { b } from '../inference/b.ts'", 'sideways, passing on'],
    ['worker/a.ts', "export * from '../management/b.ts'", 'sideways, passing all on'],
    ['http/a.ts', "const b = await import('../kv/b.ts')", 'up, when it runs'],
    ['kv/a.ts', "import { b } from '../../test/b.ts'", 'into the tests'],
    ['kv/a.ts', "import { b } from '../../../dashboard/src/b.ts'", 'into another package'],
  ])('in %s: %s (%s)', (path, text) => {
    expect(rooms.upOrSideways([sample(`server/src/${path}`, text)], listed)).toHaveLength(1)
  })

  test.each([
    ['kv/a.ts', "import { b } from './b.ts'\nimport { c } from '../domain/c.ts'\nimport { d } from '../http/d.ts'"],
    ['providers/a.ts', "import { b } from './protocols/b.ts'"],
    ['providers/protocols/a.ts', "import { b } from '../b.ts'"],
    ['app.ts', "import { b } from './gateway/b.ts'\nimport type { Config } from './config/config.ts'"],
    ['commands/demo.ts', "import { b } from '../app.ts'"],
    ['gateway/admission/a.ts', "import { b } from '../outage/b.ts'\nimport { c } from '../c.ts'"],
    ['gateway/a.ts', "import { b } from './outage/b.ts'"],
    ['http/a.ts', "import { b } from '../log/b.ts'"],
    ['management/a.ts', "import type { Role } from '../../../sdk/src/wire.ts'\nimport { z } from 'zod'"],
    ['http/a.ts', "// import { b } from '../kv/b.ts'\nconst text = `import { b } from '../kv/b.ts'`"],
  ])('nothing wrong with the imports in %s: %s', (path, text) => {
    expect(rooms.upOrSideways([sample(`server/src/${path}`, text)], listed)).toEqual([])
  })

  test('an import of the command line from the server, except from its rules', () => {
    const from = (path: string) => sample('cli/src/a.ts', `import { b } from '../../server/src/${path}'`)
    expect(rooms.upOrSideways([from('crypto/b.ts'), from('storage/b.ts')], listed)).toHaveLength(2)
    expect(rooms.upOrSideways([from('domain/audit/b.ts')], listed)).toEqual([])
  })

  test('an import of the dashboard from the server, except from the table of providers', () => {
    const from = (path: string) => sample('dashboard/src/a.ts', `import { b } from '../../server/src/${path}'`)
    expect(rooms.upOrSideways([from('domain/money.ts'), from('providers/registry.ts')], listed)).toHaveLength(2)
    expect(rooms.upOrSideways([from('domain/provider.ts')], listed)).toEqual([])
  })

  test('a listed neighbour that nothing imports, and a circle of neighbours', () => {
    const sources = [
      sample('server/src/gateway/admission/a.ts', "import { b } from '../outage/b.ts'"),
      sample('server/src/http/a.ts', "import { b } from '../log/b.ts'"),
    ]
    expect(rooms.wrongNeighbours(sources, listed)).toEqual([
      'ARCHITECTURE.md lists http > sockets, which nothing imports',
    ])
    const circle = rooms.readNeighbours('| `http` | `log` |\n| `log` | `http` |')
    const both = [...sources, sample('server/src/log/a.ts', "import { b } from '../http/b.ts'")]
    expect(rooms.wrongNeighbours(both, circle)).toHaveLength(2)
  })

  test('a room of 25 files, and leaves one of 24', () => {
    const room = (count: number): Source[] =>
      Array.from({ length: count }, (_, index) => sample(`server/src/kv/a${index}.ts`, ''))
    expect(rooms.overfullRooms(room(25))).toEqual(['server/src/kv: 25 files, at most 24'])
    expect(rooms.overfullRooms([...room(24), sample('server/src/kv/redis/a.ts', '')])).toEqual([])
  })

  test('a type name twice on one level, and leaves it on two', () => {
    const [first, second, third] = [
      sample('server/src/kv/a.ts', 'export interface Reading {}'),
      sample('server/src/dns/b.ts', 'export type Reading = string\nexport const reading = 1'),
      sample('server/src/domain/c.ts', 'export class Reading {}'),
    ]
    expect(rooms.repeatedTypeNames([first, second, third])).toEqual([
      'Reading is exported by server/src/kv/a.ts and server/src/dns/b.ts',
    ])
  })

  test.each([
    'if (request instanceof FastLaneRequest) work()',
    'if (request instanceof RuntimeRequest) work()',
    'response.chunkedEncoding = false',
  ])('a reader of requests or framing outside http/: %s', text => {
    expect(rooms.reachingIntoHttp([sample('server/src/gateway/a.ts', text)])).toHaveLength(1)
    expect(rooms.reachingIntoHttp([sample('server/src/http/front/a.ts', text)])).toEqual([])
  })

  test('a comment of 121 characters, and leaves one of 120 and code of any width', () => {
    const widths = (text: string): string[] => rules.tooWideComments([sample('server/src/kv/a.ts', text)])
    const wide = (width: number, start: string, end = '') => start + 'x'.repeat(width - start.length - end.length) + end
    for (const text of [wide(121, '// '), wide(121, '/** ', ' */'), `/**\n${wide(121, ' * ')}\n */`]) {
      expect(widths(text), text).toHaveLength(1)
    }
    expect(widths(`/**\n${wide(120, ' * ')}\n */\n${wide(120, '// ')}\nconst a = '${'x'.repeat(200)}'`)).toEqual([])
  })

  test('prose of 101 characters, and leaves tables, code and the targets of links', () => {
    const prose = (text: string): string[] => rules.tooWideProse([{ path: 'docs/a.md', text }])
    const wide = 'x'.repeat(101)
    expect(prose(`# A\n\n${wide}\n- ${wide}\n`)).toHaveLength(2)
    expect(
      prose(`${'x'.repeat(100)}\n| ${wide} |\n\`\`\`sh\n${wide}\n\`\`\`\n[a](${wide})\n\`${wide}\`.\n<p>${wide}\n`),
    ).toEqual([])
  })

  test('a page that names a missing file, and leaves built ones and the changelog', () => {
    const text =
      'See `server/test/a.test.ts`, server/src/b.ts, `b.ts`, `b.test.ts`, sdk/a/, sdk/src/, bench/.cache/ and cli/dist/x.js.'
    const exists = (path: string): boolean => ['server/src/b.ts', 'sdk/src/'].includes(path)
    const named = [sample('server/src/b.ts', '')]
    const missing = (path: string): string[] => rules.missingFiles([{ path, text }], named, exists)
    expect(missing('docs/a.md')).toEqual(
      ['server/test/a.test.ts', 'sdk/a/', 'b.test.ts'].map(name => `docs/a.md: there is no ${name}`),
    )
    expect(missing('CHANGELOG.md')).toEqual([])
  })

  test('files on no floor', () => {
    const onNone = ['server/src/extras/a.ts', 'server/src/extra.ts'].map(path => sample(path, ''))
    const onOne = ['server/src/main.ts', 'server/src/config/schema.ts', 'sdk/src/index.ts', 'server/src/kv/a.ts']
    expect(rooms.withoutFloor(onNone)).toHaveLength(2)
    expect(rooms.withoutFloor(onOne.map(path => sample(path, '')))).toEqual([])
  })

  test('a cycle once, whoever is asked, and also one by types', () => {
    const cycle = [
      sample('server/src/kv/a.ts', "import { b } from './b.ts'"),
      sample('server/src/kv/b.ts', "import type { C } from './c.ts'"),
      sample('server/src/kv/c.ts', "import './a.ts'"),
      sample('server/src/kv/d.ts', "import './a.ts'"),
    ]
    expect(rules.inCycles(cycle)).toEqual([
      'cycle: server/src/kv/a.ts → server/src/kv/b.ts → server/src/kv/c.ts → server/src/kv/a.ts',
    ])
    expect(rules.inCycles(cycle.slice(1))).toEqual([])
  })

  test.each([
    'const a = process.env.PORT',
    "const a = process['env']",
    'const { env } = process',
    "import { env } from 'node:process'",
    "import process from 'process'",
  ])('an environment read: %s', text => {
    expect(rules.readingEnvironment([sample('server/src/kv/a.ts', text)])).toHaveLength(1)
    expect(rules.readingEnvironment([sample('server/src/config/config.ts', text)])).toEqual([])
  })

  test.each<[code: string, count: number]>([
    ['for (const one of many) all = [...all, one]', 1],
    ['this.all = isFirst ? one : { ...this.all, ...one }', 1],
    ['many.reduce((all, one) => ({ ...all, [one]: 1 }), {})', 1],
    ['for (let next = all.shift(); next; next = all.shift()) work(next)', 1],
    ['while (all.length > 0) {\n  work(all.shift())\n}', 1],
    ['all = [...others, one]', 0],
    ['one = { ...one, tries: 2 }', 0],
    ['const next = all.shift()', 0],
    ['many.reduce((sum, one) => sum + one, 0)', 0],
  ])('copies of what grows, in %s: %i', (code, count) => {
    expect(rules.normalisingElsewhere([sample('server/src/kv/a.ts', "text.normalize('NFC')")])).toHaveLength(1)
    expect(rules.copyingWhatGrows([sample('server/src/inference/a.ts', code)])).toHaveLength(count)
    expect(rules.copyingWhatGrows([sample('server/src/collections/a.ts', code)])).toEqual([])
  })

  test.each<[code: string, count: number]>([
    ["if (endpoint.operation === 'count') skip()", 1],
    ["if ('embed' !== operation) skip()", 1],
    ["switch (endpoint) {\n  case 'count_tokens':\n    skip()\n}", 1],
    ["if (prompt.format === 'messages') skip()", 0],
    ["if (endpoint.operation.caches) find('embeddings')", 0],
  ])('the name of an operation, in %s: %i', (code, count) => {
    expect(rules.comparingOperations([sample('server/src/inference/a.ts', code)])).toHaveLength(count)
  })

  test('no environment read in words or in other parts of process', () => {
    const text = "// process.env\nconst a = 'process.env'\nconst b = process.pid\nconst c = other.env"
    expect(rules.readingEnvironment([sample('server/src/kv/a.ts', text)])).toEqual([])
  })

  test('a folder that ARCHITECTURE.md does not name, also one inside another', () => {
    expect(rooms.unnamedFolders(['kv', 'providers/protocols'], 'the `kv/` and the `providers/` folders')).toEqual([
      'ARCHITECTURE.md does not name `providers/protocols/`',
    ])
  })

  test.each([
    'test.only("a", () => {})',
    'describe.skip("a", () => {})',
    'it.todo("a")',
    'test.skip.each([1])("a", () => {})',
    `// ${'TO'}DO: later`,
    `/* ${'FIX'}ME */`,
    `// @ts-${'ignore'}`,
    `// ${'biome'}-ignore lint/a/b: c`,
  ])('unfinished work: %s', text => {
    expect(rules.unfinished([sample('server/test/a.test.ts', text)])).toHaveLength(1)
  })

  test('a hook of a helper that test files share, and leaves those of a function or a test file', () => {
    expect(rules.hooksOfHelpers([sample('server/test/a-stage.ts', 'afterEach(() => stop())\n')])).toHaveLength(1)
    const inFunction = 'export function open() {\n  afterAll(() => stop())\n}\n'
    expect(rules.hooksOfHelpers([sample('server/test/a-stage.ts', inFunction)])).toEqual([])
    expect(rules.hooksOfHelpers([sample('server/test/a.test.ts', 'afterEach(() => stop())\n')])).toEqual([])
  })

  test('nothing unfinished in words', () => {
    const text = `const a = '${'TO'}DO'\nlist.only(1)\nstream.skip(2)`
    expect(rules.unfinished([sample('server/test/a.test.ts', text)])).toEqual([])
  })
})
