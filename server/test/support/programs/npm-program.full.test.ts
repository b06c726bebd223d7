// Installing programs from npm, with the real npm and a registry that serves one package.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { installMissing } from './install-missing.ts'
import type { Need } from './needs.ts'
import { findNpmProgram, type NpmProgram } from './npm-program.ts'

const folder = mkdtempSync(join(tmpdir(), 'sallyport-npm-program-'))
const trace = join(folder, 'install-script-ran')
const cache = join(import.meta.dirname, '../../../../node_modules/.cache/test-programs')
const testFile = join(folder, 'some.test.ts')
let registry: Worker
let program: NpmProgram

/** Answers each request with the package's description or its tarball. A thread, because installing blocks this one. */
const registrySource = `
const { parentPort, workerData } = require('node:worker_threads')
const server = require('node:http').createServer((request, response) => {
  if (request.url.endsWith('.tgz')) return response.end(workerData.tarball)
  const dist = { tarball: 'http://localhost:' + server.address().port + '/tool.tgz', integrity: workerData.integrity }
  const version = { ...workerData.manifest, dist }
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ name: version.name, versions: { [version.version]: version }, 'dist-tags': {} }))
})
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))`

beforeAll(async () => {
  const source = join(folder, 'source')
  mkdirSync(source)
  const manifest = {
    name: 'sallyport-test-tool',
    version: '1.0.0',
    bin: { tool: 'tool.sh' },
    scripts: { install: `touch ${trace}` },
  }
  writeFileSync(join(source, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(source, 'tool.sh'), '#!/bin/sh\necho works\n')
  chmodSync(join(source, 'tool.sh'), 0o755)
  writeFileSync(testFile, "use('tool')")
  execFileSync('npm', ['pack', '--ignore-scripts'], { cwd: source, stdio: 'pipe' })
  const tarball = readFileSync(join(source, 'sallyport-test-tool-1.0.0.tgz'))
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
  registry = new Worker(registrySource, { eval: true, workerData: { tarball, integrity, manifest } })
  const port = await new Promise(resolve => registry.once('message', resolve))
  vi.stubEnv('npm_config_registry', `http://localhost:${port}/`)
  vi.stubEnv('npm_config_cache', join(folder, 'cache'))
  // `npm test` passes on the setting of the repository's .npmrc.
  vi.stubEnv('npm_config_ignore_scripts', 'false')
  const { name, version, bin } = manifest
  program = { command: 'tool', packages: [{ name, version, bin, integrity }] }
})

afterEach(() => {
  for (const name of globSync('tool-*', { cwd: cache })) rmSync(join(cache, name), { recursive: true })
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await registry?.terminate()
  rmSync(folder, { recursive: true })
})

function install(npmProgram: NpmProgram, other: string | null = null): { missing: string[]; lines: string[] } {
  const lines: string[] = []
  const need: Need = {
    name: 'The tool',
    packages: [],
    npmProgram,
    find: () => findNpmProgram(npmProgram) ?? other,
    usedBy: /use\('tool'\)/,
  }
  const missing = installMissing([testFile], line => void lines.push(line), [need])
  return { missing: missing.map(({ need: { name } }) => name), lines }
}

test('installs the command into the cache, and runs no script of the package', () => {
  expect(findNpmProgram(program)).toBeNull()
  const { missing, lines } = install(program)
  expect(missing).toEqual([])
  expect(lines).toEqual([
    'Not installed: The tool.',
    'Installing The tool for 1 test file below node_modules, from npm: sallyport-test-tool 1.0.0',
  ])
  const path = findNpmProgram(program) ?? ''
  expect([dirname(dirname(dirname(dirname(path)))), basename(path)]).toEqual([cache, 'tool'])
  expect(execFileSync(path, { encoding: 'utf8' })).toBe('works\n')
  expect(existsSync(trace)).toBe(false)
  expect(install(program).lines).toEqual([])
})

test('installs nothing that is not the pinned package, and says so', () => {
  const other = `sha512-${createHash('sha512').update('other').digest('base64')}`
  const wrong = { ...program, packages: program.packages.map(each => ({ ...each, integrity: other })) }
  const { missing, lines } = install(wrong)
  expect(missing).toEqual(['The tool'])
  expect(lines.at(-1)).toMatch(/^Installing The tool from npm failed: .*EINTEGRITY/s)
  expect([findNpmProgram(wrong), globSync('{tool,installing}-*', { cwd: cache })]).toEqual([null, []])
})

test('another version is another program', () => {
  install(program)
  const [first] = program.packages
  if (first === undefined) throw new Error('the program has a package')
  expect(findNpmProgram({ ...program, packages: [{ ...first, version: '1.0.1' }] })).toBeNull()
  expect(findNpmProgram(program)).not.toBeNull()
})

test('another version on this machine does not stand in for the pinned one, unless npm fails', () => {
  expect(install(program, '/usr/bin/tool').missing).toEqual([])
  expect(findNpmProgram(program)).not.toBeNull()
  const unknown = { ...program, packages: program.packages.map(each => ({ ...each, integrity: 'sha512-AAAA' })) }
  expect(install(unknown, '/usr/bin/tool')).toMatchObject({ missing: [], lines: { length: 3 } })
})
