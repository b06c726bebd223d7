// Measures an admission in microseconds per call, one after another and 64 at once, in the process and on Redis.
// Usage: node bench/parts/kv.ts [redis://127.0.0.1:6379]; without an address only in the process. Keys have their own prefix
// and expire after two minutes, except for the counters of spending, which expire after at most two days.
import { randomUUID } from 'node:crypto'
import { createProcessStore } from '../../server/src/kv/process/store.ts'
import { createRedisStore } from '../../server/src/kv/redis/store.ts'
import type { Store } from '../../server/src/kv/store.ts'

const say = (event: string): void => console.error(event)
const log = { debug: say, info: say, warn: say, error: say }
const calls = 20_000

async function measure(store: Store): Promise<void> {
  await store.putConfig('bench', { revision: 1, status: 'active', body: '{}' })
  await store.putKillSwitches({ global: false, tenants: [], projects: [] }, 1)
  await store.markSeeded(await store.startFilling())
  for (const atOnce of [1, 64]) {
    await callMany(store, 2_000, atOnce)
    const cpu = process.cpuUsage()
    const begun = performance.now()
    await callMany(store, calls, atOnce)
    const elapsed = ((performance.now() - begun) * 1000) / calls
    const { user, system } = process.cpuUsage(cpu)
    const own = (user + system) / calls
    const row = [
      store.kind.padEnd(8),
      `${atOnce} at once`.padEnd(11),
      elapsed.toFixed(1).padStart(7),
      own.toFixed(1).padStart(7),
    ]
    console.log(`${row.join('  ')}`)
  }
}

/** Each call is an admission and its settlement; the figures are for the pair. */
async function callMany(store: Store, count: number, atOnce: number): Promise<void> {
  const worker = async (): Promise<void> => {
    for (let i = 0; i < count / atOnce; i += 1) {
      const requestId = randomUUID()
      const answer = await store.admit({
        requestId,
        holder: 'bench',
        projectId: 'bench',
        tenantId: 'tenant',
        userId: 'user',
        configRevision: 1,
        restrictionsRevision: 0,
        projectRequests: 1_000_000_000,
        userRequests: 1_000_000_000,
        projectTokens: 1_000_000_000_000,
        userTokens: null,
        tokens: { prompt: 100, completion: 1_024 },
      })
      if (!answer.admitted) throw new Error(answer.reason)
      await store.settle('bench', requestId, 300)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

console.log('store     calls        µs/pair  CPU µs/pair (this process)')
const stores: Store[] = [createProcessStore({ now: Date.now, log })]
const url = process.argv[2]
if (url !== undefined) stores.push(await createRedisStore({ url, log, keyPrefix: `bench-${randomUUID()}:` }))
for (const store of stores) {
  await measure(store)
  await store.close()
}
