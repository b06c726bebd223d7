// The start of several processes: not ready before all accept, and what a signal does meanwhile.
import { expect, onTestFinished, test } from 'vitest'
import { distributedSecrets } from '../product/distributed-world.ts'
import { roomFor } from '../support/slowness.ts'
import { type Product, startProduct } from '../support/start-product.ts'
import { suspendProcess } from '../support/suspend-process.ts'
import { childrenOf, topologies } from './processes-stage.ts'

/** Starts the product, and suspends one of its processes before it accepts connections. */
async function startWithSuspended(environment: Record<string, string>) {
  const env = { ...distributedSecrets(), PROCESSES: '4', ...environment }
  const product = await startProduct({ env, waitForReady: false })
  onTestFinished(() => product.kill())
  await expect.poll(() => childrenOf(product.pid).length, { interval: 10 }).toBe(3)
  const [suspended = 0, other = 0] = childrenOf(product.pid)
  // A suspended process would outlive the product, and keep its output open.
  onTestFinished(() => {
    if (childrenOf(product.pid).includes(suspended)) process.kill(suspended, 'SIGKILL')
  })
  await suspendProcess(suspended)
  return { product, suspended, other }
}

/** Null while the port is closed. */
async function readiness({ baseUrl }: Product): Promise<{ status: number; text: string } | null> {
  const response = await fetch(`${baseUrl}/readyz`).catch(() => null)
  return response && { status: response.status, text: await response.text() }
}

const notReady = { status: 503, text: expect.stringContaining('other_processes') }

test.each(topologies)(
  'is not over before all accept, and outlives one that a signal ends: %s',
  async (_, environment) => {
    const { product, suspended, other } = await startWithSuspended(await environment())
    process.kill(other, 'SIGKILL')
    await expect.poll(() => product.stderr()).toContain('a process ended unexpectedly, starting it again')
    await expect.poll(() => childrenOf(product.pid).length).toBe(3)
    const until = performance.now() + 3_000
    while (performance.now() < until)
      expect([null, expect.objectContaining(notReady)]).toContainEqual(await readiness(product))
    expect(product.stdout()).not.toContain('Sallyport serves ')
    process.kill(suspended, 'SIGCONT')
    await expect.poll(async () => (await readiness(product))?.status).toBe(200)
    expect(childrenOf(product.pid)).toHaveLength(3)
    expect(await product.stop()).toBe(0)
  },
)

test('SIGTERM is heard during the start: nothing becomes ready, and all end at once', async () => {
  const { product } = await startWithSuspended({})
  await expect.poll(() => readiness(product)).toMatchObject({ status: 503 })
  const signalledAt = performance.now()
  const stopped = product.stop()
  const seen = await readiness(product)
  expect(seen === null || seen.status === 503).toBe(true)
  expect(await stopped).toBe(0)
  expect(performance.now() - signalledAt).toBeLessThan(roomFor(3_000))
})
