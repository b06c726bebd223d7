// The committed build is that of the sources: it is what the product serves right after `npm ci`. And it is small.
import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'

const folder = join(import.meta.dirname, '..')
const dist = join(folder, 'dist')

function readFolder(path: string): Record<string, string> {
  const names = globSync('**/*.*', { cwd: path }).sort()
  return Object.fromEntries(names.map(name => [name, readFileSync(join(path, name), 'utf8')]))
}

test('dashboard/dist is built from dashboard/src: else run `npm run build --workspace dashboard`', () => {
  const built = mkdtempSync(join(tmpdir(), 'sallyport-dashboard-dist-'))
  onTestFinished(() => rmSync(built, { recursive: true }))
  // A process of its own: the test runner's NODE_ENV would choose React's development build.
  const vite = join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), 'bin/vite.js')
  execFileSync(process.execPath, [vite, 'build', '--outDir', built, '--emptyOutDir', '--logLevel', 'error'], {
    cwd: folder,
    env: { PATH: process.env.PATH },
    stdio: 'inherit',
  })
  const expected = readFolder(built)
  expect(Object.keys(expected)).toContain('index.html')
  expect(Object.keys(readFolder(dist))).toEqual(Object.keys(expected))
  expect(readFolder(dist)).toEqual(expected)
})

test('the first load is below 200 KB compressed', () => {
  const html = readFileSync(join(dist, 'index.html'), 'utf8')
  const loaded = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path)
  expect(loaded.length).toBeGreaterThan(2)
  const sizes = loaded.map(path => gzipSync(readFileSync(join(dist, path))).length)
  expect(sizes.reduce((sum, size) => sum + size, html.length)).toBeLessThan(200_000)
})

test('the page and what it loads keep to a policy without inline code', () => {
  const html = readFileSync(join(dist, 'index.html'), 'utf8')
  expect(html).not.toMatch(/<style|style=|<script>|<script type="module">|\son\w+=|data:/)
})
