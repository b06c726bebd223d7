// Lines of sources in the log of the built product: as the runtime's own reader of source maps finds them.
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, readFileSync, symlinkSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { findSourcePlace } from '../../src/log/source-lines.ts'
import { temporaryFolder } from '../start/refusal.ts'

const checkout = join(import.meta.dirname, '../../..')
const code = join(checkout, 'server/dist/code')

test('a place in the build is found in the source that the runtime finds', () => {
  // A file that only exports what others have has no map.
  const files = globSync('*.js.map', { cwd: code }).map(name => join(code, name.slice(0, -'.map'.length)))
  let compared = 0
  for (const file of files) {
    const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')))
    const lines = readFileSync(file, 'utf8').split('\n')
    for (let line = 0; line < lines.length; line += 5) {
      for (let column = 0; column < (lines[line]?.length ?? 0); column += 12) {
        const entry = map.findEntry(line, column)
        // For a column before the first mapping of its line, the runtime answers with another line.
        if (!('originalSource' in entry) || entry.generatedLine !== line) continue
        const found = findSourcePlace(file, line + 1, column + 1)
        const path = found === null ? '' : relative(code, found.path)
        expect([path, found?.line, found?.column]).toEqual([
          entry.originalSource,
          entry.originalLine + 1,
          entry.originalColumn + 1,
        ])
        compared += 1
      }
    }
  }
  expect(compared).toBeGreaterThan(10_000)
})

test('a place that has no source is none: a file without a map, a line that the file does not have', () => {
  expect(findSourcePlace(join(checkout, 'server/start.js'), 1, 1)).toBeNull()
  expect(findSourcePlace(join(code, 'main.js'), 1_000_000, 1)).toBeNull()
  expect(findSourcePlace(join(code, 'main.js'), 0, 1)).toBeNull()
})

test('the log of a built product names sources, also where there are none', () => {
  const folder = temporaryFolder()
  cpSync(join(checkout, 'server/dist'), join(folder, 'server/dist'), { recursive: true })
  symlinkSync(join(checkout, 'node_modules'), join(folder, 'node_modules'))
  // Without package.json there is no version to read.
  const { status, stderr } = spawnSync(process.execPath, [join(folder, 'server/dist/code/main.js'), '--version'], {
    env: { PATH: process.env.PATH },
    encoding: 'utf8',
  })
  expect(status).toBe(1)
  const source = readFileSync(join(checkout, 'server/src/start/version.ts'), 'utf8')
  const line = source.split('\n').findIndex(text => text.includes('readFileSync(')) + 1
  expect(stderr).toMatch(new RegExp(`"readVersion server/src/start/version.ts:${line}:\\d+"`))
  expect(stderr).not.toContain('server/dist')
})
