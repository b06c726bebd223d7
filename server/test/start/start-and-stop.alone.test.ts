// How the embedded product ends as a process: its open requests, its answers meanwhile, and in time.
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { roomFor } from '../support/slowness.ts'
import { type Product, startProduct } from '../support/start-product.ts'
import { beginRequest, statusOf } from './begin-request.ts'
import { contentsOf, temporaryFolder } from './refusal.ts'

async function start(): Promise<Product> {
  const product = await startProduct({ env: { DATA_DIR: temporaryFolder() } })
  onTestFinished(() => product.kill())
  return product
}

test('SIGTERM: not ready at once, the open request is answered, and the end is in order', async () => {
  const product = await start()
  const idle = connect(product.port, '127.0.0.1').on('error', () => undefined)
  onTestFinished(() => void idle.destroy())
  const open = beginRequest(product)
  await sleep(300)
  const begun = performance.now()
  process.kill(product.pid, 'SIGTERM')
  await expect.poll(() => statusOf(`${product.baseUrl}/readyz`)).toBe(503)
  await sleep(500)
  expect(await statusOf(`${product.baseUrl}/readyz`)).toBe(503)
  open.finish()
  const answer = await open.answer
  expect(answer).toContain('HTTP/1.1 401 ')
  expect(answer.toLowerCase()).toContain('connection: close')
  expect(await product.exitCode).toBe(0)
  expect(performance.now() - begun).toBeLessThan(roomFor(10_000))
})

test('SIGINT ends it as SIGTERM does', async () => {
  const product = await start()
  process.kill(product.pid, 'SIGINT')
  expect(await product.exitCode).toBe(0)
})

test('the same signal twice at once is one; a later one ends the process without waiting', async () => {
  const product = await start()
  const open = beginRequest(product)
  await sleep(300)
  process.kill(product.pid, 'SIGTERM')
  await sleep(100)
  process.kill(product.pid, 'SIGTERM')
  await sleep(500)
  open.finish()
  expect(await open.answer).toContain('HTTP/1.1 401 ')
  expect(await product.exitCode).toBe(0)

  const other = await start()
  beginRequest(other)
  await sleep(300)
  process.kill(other.pid, 'SIGTERM')
  await sleep(1500)
  const begun = performance.now()
  process.kill(other.pid, 'SIGTERM')
  expect(await other.exitCode).toBe(1)
  expect(performance.now() - begun).toBeLessThan(roomFor(3_000))
})

test('a signal during the start ends it in order', async () => {
  const folder = temporaryFolder()
  const product = await startProduct({ env: { DATA_DIR: folder }, waitForReady: false })
  onTestFinished(() => product.kill())
  await expect.poll(() => existsSync(join(folder, 'sallyport.running')), { interval: 2 }).toBe(true)
  process.kill(product.pid, 'SIGTERM')
  expect(await product.exitCode).toBe(0)
  expect(existsSync(join(folder, 'sallyport.running'))).toBe(false)
})

test('--help and --version answer and open nothing', async () => {
  const folder = join(temporaryFolder(), 'data')
  const help = await startProduct({ env: { DATA_DIR: folder }, args: ['--help'], waitForReady: false })
  expect(await help.exitCode).toBe(0)
  expect(help.stdout()).toContain('Usage: npm start')
  for (const name of ['DATABASE_URL', 'SYNC_INTERVAL', 'METRICS_TOKEN']) expect(help.stdout()).toContain(`  ${name} `)
  const version = await startProduct({ env: { DATA_DIR: folder }, args: ['--version'], waitForReady: false })
  expect(await version.exitCode).toBe(0)
  expect(version.stdout()).toMatch(/^\d+\.\d+\.\d+\n$/)
  expect(help.stderr() + version.stderr()).toBe('')
  expect(contentsOf(folder)).toEqual({})
})
