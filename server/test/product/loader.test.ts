// What `npm start` loads in place of the sources: the same code without its types, from a cache that must not be stale.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
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
