// docs/ describes every error message.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkout } from './fences.ts'

test('docs/ has every message of the error tables', () => {
  const tables = globSync(['errors.ts', 'errors/*.ts'], { cwd: join(checkout, 'server/src/domain') })
  const read = (folder: string) => (name: string) => readFileSync(join(checkout, folder, name), 'utf8')
  const source = tables.map(read('server/src/domain')).join('\n')
  const messages = [...source.matchAll(/message: (?:'((?:[^'\\]|\\.)+)'|"([^"]+)")/g)].map(([, a, b]) => a ?? b ?? '')
  expect(messages.length).toBeGreaterThan(80)
  const pages = globSync('*.md', { cwd: join(checkout, 'docs') })
    .map(read('docs'))
    .join('\n')
  expect(messages.filter(message => !pages.includes(`\`${message}`))).toEqual([])
})
