// The pictures of the documentation: each page names only pictures that exist, and each screenshot is a small PNG that a
// page shows.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'

const checkout = join(import.meta.dirname, '../../..')
const maxBytes = 150 * 1024
const minAltLength = 30

const pictures = ['README.md', ...globSync('docs/**/*.md', { cwd: checkout })].flatMap(page =>
  [...readFileSync(join(checkout, page), 'utf8').matchAll(/!\[([^\]]*)\]\(([^)\s]+\.png)\)/g)].map(
    ([, alt = '', target = '']) => ({ page, alt, path: normalize(join(dirname(page), target)) }),
  ),
)

test('each screenshot is shown by a page, and each that a page names exists', () => {
  const files = globSync('docs/images/**/*.png', { cwd: checkout })
  expect(files.length).toBeGreaterThanOrEqual(9)
  expect([...new Set(pictures.map(({ path }) => path))].sort()).toEqual(files.sort())
  expect(pictures.filter(({ page }) => page === 'README.md')).toHaveLength(1)
})

test('each has a text that says what it shows', () => {
  expect(pictures.filter(({ alt }) => alt.length < minAltLength)).toEqual([])
})

test.each([...new Set(pictures.map(({ path }) => path))])('%s is a PNG of 150 KB at most', path => {
  const bytes = readFileSync(join(checkout, path))
  expect(bytes.toString('hex', 0, 8)).toBe('89504e470d0a1a0a')
  expect(bytes.toString('latin1', 12, 16)).toBe('IHDR')
  expect(bytes.length).toBeLessThanOrEqual(maxBytes)
  expect([1280, 585]).toContain(bytes.readUInt32BE(16))
})
