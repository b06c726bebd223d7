// The SDK on the oldest Node that it supports, from its package and from a clone right after `npm ci`.
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findNode20 } from '../support/programs/runtimes.ts'
import { run, testRuntime } from './packed-sdk.ts'

testRuntime(() => findNode20())

test('a clone imports it without a build', async () => {
  const program = "import('@sallyport/sdk').then(sdk => console.log(typeof sdk.createSallyport))"
  const checkout = join(import.meta.dirname, '../../..')
  expect(await run(findNode20() ?? '', ['-e', program], checkout)).toBe('function\n')
})
