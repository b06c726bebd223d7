// What the product loads before it serves: modules of the runtime that take megabytes and that nothing here needs.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const app = join(import.meta.dirname, '../../src/app.ts')

/** The runtime's own modules that are loaded with the product, such as `http`, and the product's own files. */
function readLoadedModules(): string[] {
  const script = `
    import { registerHooks } from 'node:module'
    const files = []
    registerHooks({ load: (url, context, next) => (files.push(url), next(url, context)) })
    await import(${JSON.stringify(app)})
    process.stdout.write([...process.moduleLoadList, ...files].join('\\n'))`
  const loaded = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
  return loaded.split('\n').map(name => name.replace(/^NativeModule |^.*\/server\/src\//, ''))
}

test("the product does not load the runtime's fetch before it is needed", () => {
  const loaded = readLoadedModules()
  expect(loaded).toContain('http')
  expect(loaded).not.toContain('internal/deps/undici/undici')
})

test("the product loads Sentinel's words and rules with the first text", () => {
  const loaded = readLoadedModules()
  expect(loaded).toContain('guardrails/sentinel/sentinel.ts')
  expect(loaded.filter(name => /lexicon|match-rules|model-weights/.test(name) && name.includes('sentinel'))).toEqual([])
})
