// Tests windows while Redis is unreachable: they are counted in this process, the outage is logged once, and requests
// are given back where they were taken.
import { expect, onTestFinished, test } from 'vitest'
import { createRedisStore } from '../../src/kv/redis/store.ts'
import { withLocalWindows } from '../../src/kv/windows-with-fallback.ts'
import { startRedis } from '../support/redis.ts'
import { createMemoryLog } from './stores.ts'

const demands = [{ name: 'mint:key', limit: 2, windowSeconds: 60 }]

test('counts here while the store is away, and there again once it is back', async () => {
  const server = await startRedis()
  onTestFinished(() => server.stop())
  const { log, lines } = createMemoryLog()
  const store = await createRedisStore({ url: server.url, log: createMemoryLog().log, startTimeoutMs: 15_000 })
  onTestFinished(() => store.close())
  const windows = withLocalWindows(store, Date.now, log)
  const events = () => lines.map(line => line.event)

  const before = await windows.take(demands)
  expect(before).toMatchObject({ admitted: true })
  await server.kill()
  const first = await windows.take(demands)
  expect(first).toMatchObject({ admitted: true })
  expect(await windows.take(demands)).toMatchObject({ admitted: true })
  expect(await windows.take(demands)).toMatchObject({ admitted: false, name: 'mint:key' })
  if (first.admitted) await windows.giveBack(first.receipt)
  expect(await windows.take(demands)).toMatchObject({ admitted: true })
  expect(await windows.take(demands)).toMatchObject({ admitted: false })
  // A request that was counted in the store cannot be given back to this process.
  if (before.admitted) await windows.giveBack(before.receipt)
  expect(await windows.take(demands)).toMatchObject({ admitted: false })
  expect(events()).toEqual(['store cannot count limits, counting them in this process'])

  await server.restart()
  await expect
    .poll(() =>
      store.ping().then(
        () => 'back',
        () => 'away',
      ),
    )
    .toBe('back')
  expect(await windows.take(demands)).toMatchObject({ admitted: true })
  expect(await windows.take(demands)).toMatchObject({ admitted: true })
  expect(await windows.take(demands)).toMatchObject({ admitted: false })
  if (first.admitted) await windows.giveBack(first.receipt)
  expect(await windows.take(demands)).toMatchObject({ admitted: false })
  expect(events()).toEqual([
    'store cannot count limits, counting them in this process',
    'counting limits in the store again',
  ])
})

test('lets every other fault through', async () => {
  const fault = new TypeError('not away')
  const broken = { take: () => Promise.reject(fault), giveBack: () => Promise.reject(fault) }
  const { log, lines } = createMemoryLog()
  const windows = withLocalWindows(broken, Date.now, log)
  await expect(windows.take(demands)).rejects.toBe(fault)
  await expect(windows.giveBack([])).rejects.toBe(fault)
  expect(lines).toEqual([])
})
