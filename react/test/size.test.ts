// What the package adds to a page that has React and the SDK.
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { gzippedBytes } from '../../server/test/packaging/gzipped-bytes.ts'

const source = JSON.stringify(join(import.meta.dirname, '../src/index.ts'))

test('the whole package has at most 4 KB, minified and compressed by gzip', async () => {
  const bytes = await gzippedBytes(`export * from ${source}`, [/^react$/, /^@sallyport\/sdk/])
  expect(bytes).toBeGreaterThan(1000)
  expect(bytes).toBeLessThanOrEqual(4 * 1024)
})

test('with anonymous tokens and the parts of the SDK that it uses it has at most 6 KB', async () => {
  const code = `export * from ${source}; export { anonymousTokens } from '@sallyport/sdk'`
  expect(await gzippedBytes(code, [/^react$/])).toBeLessThanOrEqual(6 * 1024)
})
