// The longest stop. A file of its own, since it waits for half a minute that other tests can use.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { roomFor } from '../support/slowness.ts'
import { startProduct } from '../support/start-product.ts'
import { beginRequest } from './begin-request.ts'
import { temporaryFolder } from './refusal.ts'

test('SIGTERM with a request that never ends: gone within 35 seconds', async () => {
  const folder = temporaryFolder()
  const product = await startProduct({ env: { DATA_DIR: folder } })
  onTestFinished(() => product.kill())
  beginRequest(product)
  await sleep(300)
  const begun = performance.now()
  process.kill(product.pid, 'SIGTERM')
  expect(await product.exitCode).toBe(0)
  const tookMs = performance.now() - begun
  console.info(`gone ${(tookMs / 1000).toFixed(1)} s after SIGTERM with a request that never ends`)
  expect(tookMs).toBeGreaterThan(29_000)
  expect(tookMs).toBeLessThan(roomFor(35_000))
  expect(existsSync(join(folder, 'sallyport.running'))).toBe(false)
})
