// Tests the product as a process: it becomes ready, SIGTERM ends it in order, and a failed start prints the reason.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
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

test('another server that answers on its port is not taken for it', async () => {
  const other = createServer((_request, response) => response.end('{}')).listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  await expect(startProduct({ env: { PORT: String(port) } })).rejects.toThrow(`PORT ${port} is already in use`)
})
