// What the package adds to a page that has React and the SDK.
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { gzippedBytes } from '../../server/test/packaging/gzipped-bytes.ts'

const source = join(import.meta.dirname, '../src/index.ts')

test('the whole package has at most 4 KB, minified and compressed by gzip', async () => {
  const bytes = await gzippedBytes(`export * from ${JSON.stringify(source)}`, [/^react$/, /^@sallyport\/sdk/])
  expect(bytes).toBeGreaterThan(1000)
  expect(bytes).toBeLessThanOrEqual(4 * 1024)
})
