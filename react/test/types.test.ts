// The types as applications see them: with the settings of a bundler and of Node, and with the declarations checked.
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const checkout = join(import.meta.dirname, '../..')
const typescript = join(checkout, 'node_modules/typescript/bin/tsc')

async function compile(path: string, resolution: string): Promise<string> {
  const flags = ['--ignoreConfig', '--noEmit', '--strict', '--jsx', 'react-jsx', '--types', '', '--target', 'es2022']
  const module = resolution === 'bundler' ? 'esnext' : resolution
  const modules = ['--lib', 'es2022,dom', '--module', module, '--moduleResolution', resolution]
  return await promisify(execFile)(process.execPath, [typescript, ...flags, ...modules, path]).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  )
}

test.each(['bundler', 'nodenext'])(
  'what applications may write compiles with moduleResolution %s',
  async resolution => {
    expect(await compile(join(import.meta.dirname, 'typed-usage.tsx'), resolution)).toBe('')
  },
)

test('what they must not write does not compile', async () => {
  const cache = join(checkout, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'react-types-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const wrong = [
    "export const a = () => useCompletion().complete({ prompt: { name: 'chat' } })",
    "export const b = () => useCompletion().complete([{ role: 'user', content: 'Hello' }])",
    "export const c = () => useCompletion({ prompt: { id: 'chat', variables: { topic: ['tea'] } } })",
    'export const d = () => useCompletion().error.length',
    'export const e = () => useLimits().requests.remaining',
    'export const f = <SallyportProvider baseUrl="https://project.example.com" />',
    'export const g = <SallyportProvider baseUrl="https://project.example.com" tokenProvider={() => 1} />',
    "export const h = <SallyportProvider tokenProvider={() => 'token'} />",
    'export const i = () => useSallyport().send({ messages: [] })',
  ]
  const path = join(folder, 'wrong.tsx')
  const line = "import { SallyportProvider, useCompletion, useLimits, useSallyport } from '@sallyport/react'"
  writeFileSync(path, [line, ...wrong].join('\n'))
  const output = await compile(path, 'bundler')
  const linesWithErrors = new Set([...output.matchAll(/wrong\.tsx\((\d+),/g)].map(([, number]) => Number(number)))
  expect([...linesWithErrors]).toEqual(wrong.map((_, at) => at + 2))
})
