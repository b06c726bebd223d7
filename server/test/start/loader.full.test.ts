// What `npm start` loads in place of the sources: the same code without its types, from a cache that must not be stale.
import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startProcess, waitUntilReady, withFreePort } from '../support/server-process.ts'
import { temporaryFolder } from './refusal.ts'

const server = join(import.meta.dirname, '../..')

/** Runs a script under the loader of the given folder; returns what it prints. */
function runLoaded(folder: string, script: string): string {
  const args = ['--import', join(folder, 'loader.js'), '--input-type=module', '-e', script]
  return execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

/** A checkout with one source; `run` returns what it prints, and whether the runtime's TypeScript parser was loaded. */
function makeCheckout() {
  const root = temporaryFolder()
  const folder = join(root, 'server')
  mkdirSync(join(folder, 'src'), { recursive: true })
  cpSync(join(server, 'loader.js'), join(folder, 'loader.js'))
  const source = join(folder, 'src/main.ts')
  const script = `
    const { value } = await import(${JSON.stringify(source)})
    console.log(value, process.moduleLoadList.some(name => name.includes('amaro')))`
  return {
    cached: join(root, 'node_modules/.cache/stripped/main.ts.js'),
    modules: join(root, 'node_modules'),
    write: (text: string) => writeFileSync(source, text),
    run: () => runLoaded(folder, script).trim(),
  }
}

test('the product loads without the TypeScript parser and without the translations of zod', () => {
  const script = `
    await import(${JSON.stringify(join(server, 'src/app.ts'))})
    const { z } = await import('zod')
    console.log(process.moduleLoadList.some(name => name.includes('amaro')), Object.keys(z.locales).length)`
  expect(runLoaded(server, script)).toBe('false 0\n')
})

test('Fastify loads no compiler of schemas, no HTTP/2 and nothing of semver before it needs them', () => {
  const script = `
    const { createRequire } = await import('node:module')
    const { createManagementPlane } = await import(${JSON.stringify(join(server, 'src/management/plane/plane.ts'))})
    const require = createRequire(${JSON.stringify(join(server, 'src/app.ts'))})
    await createManagementPlane({ routes: [], dashboardOrigin: 'http://localhost' })
    const loaded = name => Object.keys(require.cache).filter(path => path.includes('/node_modules/' + name + '/')).length
    const hasHttp2 = () => process.moduleLoadList.includes('NativeModule internal/http2/core')
    const counts = () => ['fastify', 'semver', 'ajv', '@fastify/fast-json-stringify-compiler'].map(loaded).map(count => Math.min(count, 2))
    console.log(...counts(), hasHttp2())
    const { default: Fastify } = await import('fastify')
    const plugin = Object.assign(async () => {}, { [Symbol.for('plugin-meta')]: { fastify: '5.x', name: 'plugin' } })
    await Fastify({ http2: true }).register(plugin).ready()
    console.log(loaded('semver') > 1, hasHttp2())
    const old = Object.assign(async () => {}, { [Symbol.for('plugin-meta')]: { fastify: '4.x', name: 'plugin' } })
    await Fastify().register(old).ready().catch(error => console.log(error.code))`
  const [atStart, used, refused] = runLoaded(server, script).trim().split('\n')
  expect(atStart).toBe('2 1 0 0 false')
  expect(used).toBe('true true')
  expect(refused).toBe('FST_ERR_PLUGIN_VERSION_MISMATCH')
})

test('all that the sources import from Kysely is there', () => {
  const names = globSync('src/storage/**/*.ts', { cwd: server }).filter(name => {
    return /from 'kysely'/.test(readFileSync(join(server, name), 'utf8'))
  })
  const script = `
    for (const name of ${JSON.stringify(names)}) await import(${JSON.stringify(`${server}/`)} + name)
    const kysely = await import('kysely')
    console.log('MysqlDialect' in kysely, 'SqliteDialect' in kysely)`
  expect(names.length).toBeGreaterThan(10)
  expect(runLoaded(server, script)).toBe('false true\n')
})

test('a changed source is stripped again, and the first start needs no parser in its process either', () => {
  const checkout = makeCheckout()
  checkout.write('export const value: number = 1\n')
  expect(checkout.run()).toBe('1 false')
  checkout.write('export const value: number = 2\n')
  expect(checkout.run()).toBe('2 false')
  // The cache is used, and only if its mark belongs to the source.
  const text = readFileSync(checkout.cached, 'utf8')
  writeFileSync(checkout.cached, text.replace('= 2', '= 3'))
  expect(checkout.run()).toBe('3 false')
  checkout.write('export const value: number = 4\n')
  expect(checkout.run()).toBe('4 false')
})

test('where the cache cannot be written, the runtime strips the types', () => {
  const checkout = makeCheckout()
  writeFileSync(checkout.modules, '')
  checkout.write('export const value: number = 1\n')
  expect(checkout.run()).toBe('1 true')
})

test('`npm run dev` serves too, under the file watcher of the runtime', async () => {
  const checkout = join(server, '..')
  const { scripts } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const answer = await withFreePort(async port => {
    const env = { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: String(port), DATA_DIR: temporaryFolder() }
    const started = await startProcess({ command: 'sh', args: ['-c', scripts['dev'] ?? ''], cwd: checkout, env })
    onTestFinished(async () => {
      await started.end('SIGTERM')
    })
    await waitUntilReady(
      started,
      () => /Sallyport serves |Failed running/.test(started.stdout() + started.stderr()),
      120_000,
    )
    return await fetch(`http://127.0.0.1:${port}/healthz`)
  })
  expect(answer.status).toBe(200)
})
