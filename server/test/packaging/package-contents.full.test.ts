// What the packages hold: the product as JavaScript and what it reads, exact versions, and nothing of the tests,
// the training or the machine that packed them.
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { publint } from 'publint'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { packInto } from './packed-server.ts'

const checkout = join(import.meta.dirname, '../../..')
const repository = 'git+https://example.com/somebody/sallyport.git'
const folder = mkdtempSync(join(tmpdir(), 'sallyport-contents-'))
const server = join(folder, 'unpacked-server')
const libraries = { sdk: join(folder, 'unpacked-sdk'), react: join(folder, 'unpacked-react') }
let tarballs: ReturnType<typeof packInto>

beforeAll(() => {
  tarballs = packInto(folder, repository)
  for (const [from, to] of [
    [tarballs.server, server],
    [tarballs.sdk, libraries.sdk],
    [tarballs.react, libraries.react],
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
async function faultsOf(path: string) {
  const { buffer, byteOffset, length } = readFileSync(path)
  const tarball = buffer.slice(byteOffset, byteOffset + length) as ArrayBuffer
  return (await publint({ pack: { tarball }, strict: true })).messages
}
const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'))

describe("the server's package", () => {
  test('holds the build, the pages, and the file that starts it', () => {
    const built = list(checkout, 'server/dist/**/*.*', 'dashboard/dist/**/*.*', 'cli/dist/*.*')
    const pages = list(checkout, 'docs/**/*.{json,md,svg,png}')
    for (const path of [
      'code/main.js',
      'code/main.js.map',
      'kv/scripts/admit.lua',
      'guardrails/pii/tagger/weights.bin',
    ]) {
      expect(built).toContain(`server/dist/${path}`)
    }
    expect(built).toEqual(expect.arrayContaining(['dashboard/dist/index.html', 'cli/dist/sallyport.js']))
    expect(list(server, '**/*')).toEqual(
      [...built, ...pages, 'LICENSE', 'NOTICE', 'README.md', 'package.json', 'server/start.js'].sort(),
    )
  })

  test('imports only files that it holds, packages that it names and the runtime', () => {
    const { dependencies } = readJson(join(server, 'package.json'))
    const imported = list(server, '{server,cli}/**/*.js').flatMap(path => {
      const text = readFileSync(join(server, path), 'utf8')
      const found = text.matchAll(/^(?:import|export) .*?["']([^"']+)["'];?$|\bimport\(["']([^"']+)["']\)/gm)
      return [...found].map(([, always = '', later = always]) => ({ path, target: later }))
    })
    const broken = imported.filter(({ path, target }) => {
      if (target.startsWith('.')) return !existsSync(join(server, path, '..', target))
      return !target.startsWith('node:') && !(target in dependencies)
    })
    // Only where there are sources.
    expect(broken).toEqual([{ path: 'server/start.js', target: './build/ensure-built.js' }])
    expect(imported.map(({ target }) => target)).toEqual(expect.arrayContaining(['fastify', 'pg', 'node:http']))
  })

  test('names neither the machine that packed it nor a secret', () => {
    const home = process.env.HOME ?? checkout
    for (const path of list(server, '{server,cli}/**/*.{js,map,json,lua,css}', 'package.json')) {
      const text = readFileSync(join(server, path), 'utf8')
      for (const place of [checkout, folder, `${home}/`]) expect([path, text.includes(place)]).toEqual([path, false])
      expect([path, /-----BEGIN [A-Z ]*PRIVATE KEY-----\n?[A-Za-z0-9+/]{20}/.test(text)]).toEqual([path, false])
    }
  })

  test('is described for npm: the command and the repository', () => {
    const root = readJson(join(checkout, 'package.json'))
    const manifest = readJson(join(server, 'package.json'))
    expect(manifest).toMatchObject({
      name: 'sallyport',
      version: root.version,
      license: 'Apache-2.0',
      type: 'module',
      bin: { sallyport: 'server/start.js' },
      engines: { node: '>=20' },
      repository: { type: 'git', url: repository },
    })
    for (const field of ['private', 'scripts', 'devDependencies', 'workspaces'])
      expect(manifest).not.toHaveProperty(field)
    expect(readFileSync(join(server, 'server/start.js'), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
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
    expect(await faultsOf(tarballs.server)).toEqual([])
  })
})

describe.each(['sdk', 'react'] as const)("the applications' package %s", name => {
  test('holds its build and names its repository', () => {
    const built = list(join(checkout, name), 'dist/*.{js,d.ts}')
    expect(list(libraries[name], '**/*')).toEqual([...built, 'LICENSE', 'README.md', 'package.json'].sort())
    const { devDependencies: _, ...manifest } = readJson(join(checkout, name, 'package.json'))
    expect(manifest).not.toHaveProperty('dependencies')
    expect(readJson(join(libraries[name], 'package.json'))).toEqual({
      ...manifest,
      repository: { type: 'git', url: repository, directory: name },
    })
  })

  test('has no fault that publint knows', async () => {
    expect(await faultsOf(tarballs[name])).toEqual([])
  })
})

test("Python's package holds its modules and types, in a wheel that runs and a source archive that builds the same", () => {
  const modules = readdirSync(join(checkout, 'python/src/sallyport')).filter(name => /\.(py|typed)$/.test(name))
  const wheel = tarballs.wheel
  const rebuilt = mkdtempSync(join(folder, 'python-'))
  execFileSync('tar', ['-xzf', tarballs.pythonSources, '--strip-components=1', '-C', rebuilt])
  const python = (...args: string[]) =>
    execFileSync('python3', ['-B', ...args], { encoding: 'utf8', env: { ...process.env, PYTHONPATH: wheel } })
  const listed = JSON.parse(
    python('-c', `import json, zipfile; print(json.dumps(zipfile.ZipFile('${wheel}').namelist()))`),
  )
  const info = listed
    .filter((path: string) => path.includes('.dist-info/'))
    .map((path: string) => path.split('info/')[1])
  expect(info).toEqual(['METADATA', 'WHEEL', 'licenses/LICENSE', 'RECORD'])
  const packed = listed.filter((path: string) => path.startsWith('sallyport/'))
  expect(packed.sort()).toEqual(modules.map(name => `sallyport/${name}`).sort())
  const show =
    "import sallyport; print(sallyport.__version__, 'sallyport-0' in sallyport.__file__, sallyport.__all__ != [])"
  expect(python('-c', show)).toMatch(/^\d+\.\d+\.\d+ True True\n$/)
  const [again = ''] = python(join(rebuilt, 'build_package.py'), join(rebuilt, 'dist')).split('\n')
  expect(readFileSync(again).equals(readFileSync(wheel))).toBe(true)
})
