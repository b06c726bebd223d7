// Opens the store on a Redis of the test, and watches the commands that reach it.
import { onTestFinished } from 'vitest'
import { createRedisStore, type RedisStoreOptions } from '../../../src/kv/redis/store.ts'
import type { StoreChange } from '../../../src/kv/store.ts'
import type { startRedis } from '../../support/redis.ts'
import { createMemoryLog } from '../stores.ts'

export type Server = Awaited<ReturnType<typeof startRedis>>

export async function open(server: { url: string }, options: Partial<RedisStoreOptions> = {}) {
  const memory = createMemoryLog()
  const store = await createRedisStore({ url: server.url, log: memory.log, startTimeoutMs: 15_000, ...options })
  const changes: StoreChange[] = []
  store.subscribe(change => changes.push(change))
  onTestFinished(() => store.close())
  return { store, changes, lines: memory.lines }
}

/** Runs a command with a client of its own, as an operator would. */
export async function runCommand(server: { url: string }, ...args: string[]): Promise<string> {
  const { createClient } = await import('redis')
  const client = createClient({ url: server.url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    const reply = await client.sendCommand(args)
    return Array.isArray(reply) ? reply.join('\n') : String(reply)
  } finally {
    client.destroy()
  }
}
