// A separate process with a store on the given Redis: prints `ready`, waits for a line, runs all its operations
// concurrently, and prints how many succeeded. Started by processes.test.ts.
import { once } from 'node:events'
import { createRedisStore } from '../../../src/kv/redis/store.ts'
import type { Store } from '../../../src/kv/store.ts'
import { createMemoryLog, demandOf, requestOf } from '../stores.ts'

export interface ContenderTask {
  url: string
  keyPrefix: string
  kind: 'requests' | 'tokens' | 'settle' | 'take' | 'append' | 'claim'
  count: number
  name: string
}

const task: ContenderTask = JSON.parse(process.argv[2] ?? '{}')

async function act(store: Store, i: number): Promise<number> {
  switch (task.kind) {
    case 'requests':
      return (await store.admit(requestOf({ projectRequests: 100, userRequests: 90 }))).admitted ? 1 : 0
    case 'tokens': {
      const tokens = demandOf({ prompt: 7, completion: 0 })
      return (await store.admit(requestOf({ tokens, projectRequests: 10_000 }))).admitted ? 1 : 0
    }
    case 'settle':
      return (await store.settle('project', `request-${i}`, 3)) === 'settled' ? 1 : 0
    case 'take':
      return (await store.take([{ name: 'w', limit: 50, windowSeconds: 600 }])).admitted ? 1 : 0
    case 'append':
      await store.appendTurn('c', [`${task.name} ${i} q`, `${task.name} ${i} a`], { keep: 10_000, ttlSeconds: 600 })
      return 1
    case 'claim': {
      const events = await store.claimEvents(task.name, 3, 600_000)
      await store.acknowledgeEvents(events.map(event => event.id))
      return events.length
    }
  }
}

const store = await createRedisStore({
  url: task.url,
  keyPrefix: task.keyPrefix,
  log: createMemoryLog().log,
  commandTimeoutMs: 30_000,
  startTimeoutMs: 30_000,
})
process.stdout.write('ready\n')
await once(process.stdin, 'data')
const results = await Promise.all(Array.from({ length: task.count }, (_, i) => act(store, i)))
process.stdout.write(`${results.reduce((sum, n) => sum + n, 0)}\n`)
await store.close()
process.exit(0)
