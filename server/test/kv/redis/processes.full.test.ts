// Tests that several processes on one Redis stay exact when they run concurrently.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, inject, test } from 'vitest'
import { createRedisStore } from '../../../src/kv/redis/store.ts'
import type { Store } from '../../../src/kv/store.ts'
import { createMemoryLog, demandOf, newPrefix, requestOf, seed } from '../stores.ts'
import type { ContenderTask } from './contender.ts'

const url = inject('redisUrl')
const contender = fileURLToPath(new URL('./contender.ts', import.meta.url))
const copies = 3
const rounds = inject('prove') ? 10 : 1

interface Running {
  start: () => void
  result: Promise<number>
}

async function run(task: ContenderTask): Promise<Running> {
  const child = spawn(process.execPath, [contender, JSON.stringify(task)], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const exited = once(child, 'exit')
  expect((await lines.next()).value).toBe('ready')
  return {
    start: () => child.stdin.write('go\n'),
    result: lines.next().then(async ({ value }) => {
      await exited
      return Number(value)
    }),
  }
}

/** These tests count within one day of the server's clock. */
async function passMidnight(): Promise<void> {
  const left = 86_400_000 - (Date.now() % 86_400_000)
  if (left < 30_000) await sleep(left + 100)
}

describe('three processes on one Redis', { repeats: rounds - 1 }, () => {
  let store: Store
  let keyPrefix: string
  beforeEach(async () => {
    await passMidnight()
    keyPrefix = newPrefix()
    store = await createRedisStore({ url, log: createMemoryLog().log, keyPrefix, commandTimeoutMs: 30_000 })
    await seed(store, ['project'])
    return () => store.close()
  })

  async function contend(kind: ContenderTask['kind'], count: number): Promise<number> {
    const names = Array.from({ length: copies }, (_, i) => `copy-${i}`)
    const running = await Promise.all(names.map(name => run({ url, keyPrefix, kind, count, name })))
    for (const { start } of running) start()
    const results = await Promise.all(running.map(({ result }) => result))
    return results.reduce((sum, n) => sum + n, 0)
  }

  test('admit exactly the limit of requests', async () => {
    expect(await contend('requests', 200)).toBe(90)
    const another = await store.admit(requestOf({ projectRequests: 91, userId: 'another' }))
    expect(another).toMatchObject({ admitted: true, requests: { remaining: 0 } })
  })

  test('reserve exactly the tokens of the day', async () => {
    expect(await contend('tokens', 200)).toBe(142)
    const next = await store.admit(requestOf({ tokens: demandOf({ prompt: 7, completion: 0 }) }))
    expect(next).toMatchObject({ admitted: false, reason: 'tokens_reserved', tokens: { remaining: 6 } })
  })

  test('settle each request once', async () => {
    const ids = Array.from({ length: 50 }, (_, i) => `request-${i}`)
    const tokens = demandOf({ prompt: 1, completion: 0 })
    await Promise.all(ids.map(requestId => store.admit(requestOf({ requestId, tokens }))))
    expect(await contend('settle', 50)).toBe(50)
    expect(await store.findSpend('project', new Date().toISOString().slice(0, 10))).toBe(150)
  })

  test('take exactly the limit of a window', async () => {
    expect(await contend('take', 100)).toBe(50)
  })

  test('lose and mix no turn of one conversation', async () => {
    expect(await contend('append', 60)).toBe(180)
    const found = await store.recallTurns('c', 1_000, 600)
    expect(new Set(found).size).toBe(360)
    for (let i = 0; i < found.length; i += 2) expect(found[i + 1]).toBe(found[i]?.replace(/q$/, 'a'))
  })

  test('take each event once', async () => {
    await Promise.all(Array.from({ length: 100 }, (_, i) => store.emitEvent('t', { n: String(i) }, 1_000)))
    expect(await contend('claim', 40)).toBe(100)
    expect(await store.claimEvents('late', 10, 0)).toEqual([])
  })
})
