// The committed build is that of the sources: it is what an import of the package runs right after `npm ci`.
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { compile } from '../generate/compile.ts'

const folder = join(import.meta.dirname, '..')

function readFolder(path: string): Record<string, string> {
  const names = globSync('**/*.*', { cwd: path }).sort()
  return Object.fromEntries(names.map(name => [name, readFileSync(join(path, name), 'utf8')]))
}

test('sdk/dist is built from sdk/src: else run `npm run build --workspace sdk`', () => {
  const built = mkdtempSync(join(tmpdir(), 'sallyport-sdk-dist-'))
  onTestFinished(() => rmSync(built, { recursive: true }))
  compile(built)
  const expected = readFolder(built)
  expect(Object.keys(expected)).toContain('index.d.ts')
  expect(readFolder(join(folder, 'dist'))).toEqual(expected)
})
