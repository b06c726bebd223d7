// What a page gets of the package: the figures of its README.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { gzippedBytes } from '../../server/test/packaging/gzipped-bytes.ts'

const sourceOf = (name: string) => JSON.stringify(join(import.meta.dirname, '../src', name))
const kilobyte = 1024

test.each([
  ['the whole of `@sallyport/sdk`', `export * from ${sourceOf('index.ts')}`, 6],
  [
    '`createTokenProvider` and `createGatewayFetch`',
    `export { createTokenProvider, createGatewayFetch } from ${sourceOf('index.ts')}`,
    3,
  ],
  [
    '`anonymousTokens` and `createGatewayFetch`',
    `export { anonymousTokens, createGatewayFetch } from ${sourceOf('index.ts')}`,
    4,
  ],
  ['the proof of work', `export * from ${sourceOf('solve-challenge.ts')}`, 1.5],
  ['`@sallyport/sdk/completions`', `export * from ${sourceOf('completions.ts')}`, 4],
  ['`@sallyport/sdk/management`', `export * from ${sourceOf('create-management.ts')}`, 5],
  ['`@sallyport/sdk/ai`', `export * from ${sourceOf('ai.ts')}`, 4],
])('%s is as small as the README says', async (name, code, maxKilobytes) => {
  const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')
  expect(readme).toContain(`| ${name} | ${maxKilobytes} KB |`)
  const bytes = await gzippedBytes(code)
  expect(bytes).toBeGreaterThan(kilobyte)
  expect(bytes).toBeLessThanOrEqual(maxKilobytes * kilobyte)
})
