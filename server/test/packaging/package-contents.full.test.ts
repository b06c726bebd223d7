// What the two packages hold: the product as JavaScript and what it reads, exact versions, and nothing of the tests,
// the training or the machine that packed them.
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { publint } from 'publint'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rewriteImports } from '../../packaging/rewrite-imports.ts'
import { readSource } from '../tidy/source.ts'
import { packInto } from './packed-server.ts'

const checkout = join(import.meta.dirname, '../../..')
const repository = 'git+https://example.com/somebody/sallyport.git'
const folder = mkdtempSync(join(tmpdir(), 'sallyport-contents-'))
const server = join(folder, 'unpacked-server')
const sdk = join(folder, 'unpacked-sdk')
let tarballs: { server: string; sdk: string }

beforeAll(() => {
  tarballs = packInto(folder, repository)
  for (const [from, to] of [
    [tarballs.server, server],
    [tarballs.sdk, sdk],
  ] as const) {
    mkdirSync(to)
    execFileSync('tar', ['-xzf', from, '--strip-components=1', '-C', to])
  }
})
afterAll(() => rmSync(folder, { recursive: true }))

const list = (root: string, ...patterns: string[]) =>
  globSync(patterns, { cwd: root, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort()
const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'))

describe("the server's package", () => {
  test('holds each source as JavaScript, and each file that a source reads', () => {
    const written = list(checkout, 'server/src/**/*.*', 'server/bin/*.ts')
      .filter(path => !path.endsWith('.md') && !path.startsWith('server/src/commands/print-'))
      .map(path => path.replace(/\.ts$/, '.js'))
    const pages = list(checkout, 'docs/**/*.{md,svg,png}', 'dashboard/dist/**/*.*')
    expect(written).toContain('server/src/kv/scripts/admit.lua')
    expect(written).toContain('server/src/guardrails/pii/tagger/weights.bin')
    expect(pages).toContain('dashboard/dist/index.html')
    expect(list(server, '**/*')).toEqual(
      [...written, ...pages, 'LICENSE', 'NOTICE', 'README.md', 'package.json', 'server/loader.js'].sort(),
    )
  })

  test('imports only files that it holds', () => {
    const scripts = list(server, 'server/**/*.js')
    const broken = scripts.flatMap(path =>
      readSource(path, readFileSync(join(server, path), 'utf8'))
        .imports.filter(target => !existsSync(join(server, target)))
        .map(target => `${path}: ${target}`),
    )
    expect(broken).toEqual([])
    expect(scripts.length).toBeGreaterThan(300)
  })

  test('keeps lines and columns, so a stack frame leads to the source', () => {
    const path = 'server/src/app'
    const source = readFileSync(join(checkout, `${path}.ts`), 'utf8').split('\n')
    const packed = readFileSync(join(server, `${path}.js`), 'utf8').split('\n')
    expect(packed).toHaveLength(source.length)
    const find = (lines: string[]) => lines.findIndex(line => line.startsWith('export async function startApp('))
    expect(find(packed)).toBe(find(source))
    expect(packed[find(packed)]?.length).toBe(source[find(source)]?.length)
  })

  test('names neither the machine that packed it nor a secret', () => {
    const home = process.env.HOME ?? checkout
    for (const path of list(server, 'server/**/*.{js,json,lua,css}', 'package.json')) {
      const text = readFileSync(join(server, path), 'utf8')
      for (const place of [checkout, folder, `${home}/`]) expect([path, text.includes(place)]).toEqual([path, false])
      expect([path, /-----BEGIN [A-Z ]*PRIVATE KEY-----\n?[A-Za-z0-9+/]{20}/.test(text)]).toEqual([path, false])
    }
  })

  test('is described for npm: the command, the flags, the repository', () => {
    const root = readJson(join(checkout, 'package.json'))
    const manifest = readJson(join(server, 'package.json'))
    expect(manifest).toMatchObject({
      name: 'sallyport',
      version: root.version,
      license: 'Apache-2.0',
      type: 'module',
      bin: { sallyport: 'server/bin/sallyport.js' },
      engines: { node: '>=20' },
      config: root.config,
      repository: { type: 'git', url: repository },
    })
    for (const field of ['private', 'scripts', 'devDependencies', 'workspaces'])
      expect(manifest).not.toHaveProperty(field)
    expect(readFileSync(join(server, 'server/bin/sallyport.js'), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
  })

  test('pins every package that the lockfile has at its top, those of development left out', () => {
    const { dependencies, optionalDependencies } = readJson(join(server, 'package.json'))
    const { packages } = readJson(join(checkout, 'package-lock.json'))
    const pinned: Record<string, string> = { ...dependencies, ...optionalDependencies }
    for (const [name, version] of Object.entries(pinned)) {
      expect([name, packages[`node_modules/${name}`].version]).toEqual([name, version])
      expect([name, packages[`node_modules/${name}`].dev]).toEqual([name, undefined])
    }
    const needed = readJson(join(checkout, 'server/package.json')).dependencies
    expect(dependencies).toMatchObject(needed)
    expect(optionalDependencies).toMatchObject(readJson(join(checkout, 'package.json')).optionalDependencies)
    // What they bring.
    for (const name of Object.keys(needed)) {
      for (const inner of Object.keys(packages[`node_modules/${name}`].dependencies ?? {})) {
        expect(Object.keys(pinned)).toContain(inner)
      }
    }
    expect(Object.keys(pinned)).not.toContain('vitest')
  })

  test('has no fault that publint knows', async () => {
    const { buffer, byteOffset, length } = readFileSync(tarballs.server)
    const tarball = buffer.slice(byteOffset, byteOffset + length) as ArrayBuffer
    const { messages } = await publint({ pack: { tarball }, strict: true })
    expect(messages).toEqual([])
  })
})

test("the SDK's package holds its build and names its repository", () => {
  const built = list(join(checkout, 'sdk'), 'dist/*.{js,d.ts}')
  expect(list(sdk, '**/*')).toEqual([...built, 'LICENSE', 'README.md', 'package.json'].sort())
  const { scripts: _scripts, ...manifest } = readJson(join(checkout, 'sdk/package.json'))
  expect(readJson(join(sdk, 'package.json'))).toEqual({
    ...manifest,
    repository: { type: 'git', url: repository, directory: 'sdk' },
  })
})

test.each([
  ["import { a } from './a.ts'", "import { a } from './a.js'"],
  ["export * from '../b/a.ts'", "export * from '../b/a.js'"],
  ["await import('./a.ts')", "await import('./a.js')"],
  ["import './a.ts'", "import './a.js'"],
  ["import x from 'left.ts'", "import x from 'left.ts'"],
  ["read('./a.ts')", "read('./a.ts')"],
])('%s becomes %s', (source, rewritten) => {
  expect(rewriteImports(source)).toBe(rewritten)
})
