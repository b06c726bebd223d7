// The product as a process: it gets ready, ends in order at SIGTERM, and a start that is refused says why.
import { expect, test } from 'vitest'
import { startProduct } from './start-product.ts'

test('it is ready when startProduct returns, and SIGTERM ends it with code 0', async () => {
  const product = await startProduct()
  const answer = await fetch(`${product.baseUrl}/healthz`)
  expect(answer.status).toBe(200)
  expect(await answer.json()).toEqual({ status: 'ok' })
  expect(await product.stop()).toBe(0)
  expect(() => process.kill(product.pid, 0)).toThrow('ESRCH')
})

test('a start that is refused ends with its code and its words', async () => {
  const product = await startProduct({ env: { ROLE: 'janitor' }, waitForReady: false })
  expect(await product.exitCode).not.toBe(0)
  expect(product.stderr()).toContain('ROLE')
})
