// Measures memory and other clients' latency while clients send bodies in chunks of one byte: half of them to the login
// route, which requires no credential, half of them as completions. Each sends as fast as it can, almost up to the
// route's maximum, and then holds the connection.
// Usage: node bench/attack.ts [--trees=/path/to/another/checkout,.] [--connections=100] [--seconds=60] [--heap=1024]
// (in MB, of the product)
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { isMainThread, Worker, workerData } from 'node:worker_threads'
import { writeLoads } from './endpoints.ts'
import { type Mode, type Round, runRound, type Scene } from './load.ts'
import { loadCore, measuredCore, readResidentMegabytes } from './process.ts'
import { startEmbedded } from './products.ts'
import type { Target } from './target.ts'
import { startUpstream } from './upstream.ts'

interface Attack {
  port: number
  connections: number
  /** A project's host, with a token that is valid there. */
  host: string
  token: string
}

const others: Mode = { name: 'others, 8 connections', kind: 'short', connections: 8 }
const roundSeconds = 5
const chunk = '1\r\nx\r\n'
const batchChunks = 4_096

if (isMainThread) await main()
else attack(workerData as Attack)

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      trees: { type: 'string', default: '.' },
      connections: { type: 'string', default: '100' },
      seconds: { type: 'string', default: '60' },
      heap: { type: 'string', default: '1024' },
    },
  })
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-bench-'))
  const upstream = await startUpstream(join(import.meta.dirname, '.cache'))
  try {
    const scene: Scene = { upstream, pids: [upstream.pid], cores: [measuredCore, loadCore], loads: writeLoads(folder) }
    for (const tree of values.trees.split(',')) {
      const target = await startEmbedded({
        name: tree,
        about: '',
        checkout: resolve(tree),
        upstreamPort: upstream.port,
        answeredBy: 'openai',
        quantities: { projects: 400, tokensPerProject: 3 },
        nodeArgs: [`--max-old-space-size=${values.heap}`],
      })
      try {
        await measure(scene, target, Number(values.connections), Number(values.seconds))
      } finally {
        await target.stop()
      }
    }
  } finally {
    await upstream.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(scene: Scene, target: Target, connections: number, seconds: number): Promise<void> {
  for (let warmed = 0; warmed < 4; warmed++) await runRound(scene, target, others, roundSeconds)
  const calm = await runRound(scene, target, others, roundSeconds)
  say(`${target.name}: calm`, calm)
  const [host = '', token = ''] = readFileSync(target.tokensFile, 'utf8').split('\n', 1)[0]!.split(' ')
  const worker = new Worker(import.meta.filename, {
    workerData: { port: target.port, connections, host, token } satisfies Attack,
  })
  const began = performance.now()
  let most = 0
  const watch = setInterval(() => {
    most = Math.max(most, readMegabytes(target))
  }, 100)
  try {
    while (performance.now() - began < seconds * 1_000) {
      const round = await runRound(scene, target, others, roundSeconds)
      say(`${target.name}: attacked for ${((performance.now() - began) / 1_000).toFixed(0)} s`, round)
    }
  } catch (error) {
    const after = ((performance.now() - began) / 1_000).toFixed(0)
    process.stdout.write(`${target.name}: others were not served any more after ${after} s: ${error}\n`)
  } finally {
    clearInterval(watch)
    await worker.terminate()
  }
  await sleep(2_000)
  process.stdout.write(
    `${target.name}: ${most.toFixed(0)} MB at most, ${readMegabytes(target).toFixed(0)} MB afterwards\n`,
  )
}

/** Zero once the process has ended. */
function readMegabytes({ pid }: Target): number {
  try {
    return readResidentMegabytes(pid!)
  } catch {
    return 0
  }
}

function say(name: string, { requestsPerSecond, p50Ms, p99Ms, residentMegabytes }: Round): void {
  const words = [
    `${requestsPerSecond.toFixed(0)} requests per second`,
    `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`,
    `${residentMegabytes.toFixed(0)} MB`,
  ]
  process.stdout.write(`${name}: ${words.join('; ')}\n`)
}

/** Runs until its thread is ended. */
function attack({ port, connections, host, token }: Attack): void {
  const login = `POST /auth/v1/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\n`
  const completion = `POST /v1/chat/completions HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n`
  for (let at = 0; at < connections; at++) {
    if (at % 2 === 0) send(port, login, 1_000_000)
    else send(port, completion, 10_000_000)
  }
}

function send(port: number, head: string, bodyBytes: number): void {
  const socket = connect(port, '127.0.0.1')
  const batch = Buffer.from(chunk.repeat(batchChunks))
  let left = bodyBytes
  const fill = () => {
    while (left > batchChunks) {
      left -= batchChunks
      if (!socket.write(batch)) return
    }
  }
  socket.on('connect', () => {
    socket.write(`${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`)
    fill()
  })
  socket
    .on('drain', fill)
    .on('error', () => socket.destroy())
    .resume()
  // Rejected, or closed by the product: try again.
  socket.on('close', () => setTimeout(send, 100, port, head, bodyBytes))
}
