// The built dashboard is small, and keeps to the policy of the pages.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'

const folder = join(import.meta.dirname, '..')
const dist = join(folder, 'dist')

test('the first load is at most 220 KB compressed', () => {
  const html = readFileSync(join(dist, 'index.html'), 'utf8')
  const loaded = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path)
  expect(loaded.length).toBeGreaterThan(2)
  const sizes = loaded.map(path => gzipSync(readFileSync(join(dist, path))).length)
  expect(sizes.reduce((sum, size) => sum + size, html.length)).toBeLessThanOrEqual(220_000)
})

test('the page of the design system is left out', () => {
  const files = readdirSync(join(dist, 'assets'))
  expect(files.length).toBeGreaterThan(20)
  for (const file of files)
    expect(readFileSync(join(dist, 'assets', file), 'utf8'), file).not.toContain('Design system')
})

test('the page and what it loads keep to a policy without inline code', () => {
  const html = readFileSync(join(dist, 'index.html'), 'utf8')
  expect(html).not.toMatch(/<style|style=|<script>|<script type="module">|\son\w+=|data:/)
})
