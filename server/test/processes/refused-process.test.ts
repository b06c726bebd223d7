// A process that is told that it is one of several, but was not started by the first one.
import { expect, test } from 'vitest'
import { startProduct } from '../support/start-product.ts'

test('is refused in one sentence', async () => {
  const product = await startProduct({ args: ['--process=2'], waitForReady: false })
  expect(await product.exitCode).toBe(1)
  expect(product.stderr()).toBe('--process= is for processes that Sallyport starts itself; set PROCESSES instead.\n')
})
