// Loaded into the product before its own code: measures, for each request of the test, the processor time of the main
// thread without the collections of the memory, the longest time for which it held the event loop, and what stays in
// memory afterwards.

import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { GCProfiler, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

/** What ends with the request, such as its usage, has ended after that. */
const settlingMs = 100
const longSettlingMs = 1_000
const muchBytes = 2_000_000
/** A turn of the event loop that does nothing takes less. */
const idleTurnMs = 0.2

interface Run {
  before: NodeJS.CpuUsage
  beganAt: number
  cpuMs: number
  lastedMs: number
  holdMs: number
  isDone: boolean
  /** Small objects are dropped where they were made, many are also moved: collections alone grow faster than the work. */
  collections: GCProfiler
}

function startProbe(file: string): void {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  let run: Run | null = null
  let heldBefore = 0

  const held = () => {
    collectGarbage()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  const begin = () => {
    heldBefore = held()
    const collections = new GCProfiler()
    collections.start()
    const start = { before: process.threadCpuUsage(), beganAt: performance.now() }
    const begun: Run = { ...start, cpuMs: 0, lastedMs: 0, holdMs: 0, isDone: false, collections }
    run = begun
    const turn = () => {
      const { user, system } = process.threadCpuUsage(begun.before)
      const ms = (user + system) / 1_000
      if (ms > idleTurnMs) {
        begun.cpuMs += ms
        begun.lastedMs += performance.now() - begun.beganAt
      }
      begun.holdMs = Math.max(begun.holdMs, ms)
      begun.before = process.threadCpuUsage()
      begun.beganAt = performance.now()
      if (!begun.isDone) setImmediate(turn)
    }
    setImmediate(turn)
  }
  const end = async () => {
    if (run === null) return {}
    run.isDone = true
    const { holdMs, lastedMs } = run
    const pausedMs = run.collections.stop().statistics.reduce((sum, { cost }) => sum + cost, 0) / 1_000
    // Pauses are reported in wall-clock time, of which other processes have their part.
    const cpuMs = run.cpuMs * Math.max(0, 1 - pausedMs / Math.max(lastedMs, pausedMs, 1))
    await sleep(settlingMs)
    let heldBytes = held() - heldBefore
    if (heldBytes > muchBytes) {
      await sleep(longSettlingMs)
      heldBytes = held() - heldBefore
    }
    return { cpuMs, holdMs, heldBytes }
  }
  const server = createServer(async ({ url }, response) => {
    if (url === '/begin') begin()
    const measured = url === '/end' ? await end() : {}
    response.writeHead(200, { connection: 'close' }).end(JSON.stringify(measured))
  })
  server.listen(0, '127.0.0.1', () => writeFileSync(file, String((server.address() as AddressInfo).port)))
  server.unref()
}

const file = process.env['GROWTH_PROBE']
if (isMainThread && file !== undefined) startProbe(file)
