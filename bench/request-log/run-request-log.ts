// Fills the request log with generated rows, and measures its lists, sums and groups, the error of its percentiles, how
// long a day takes to drop beside a writer, and what rows take on the disk.
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import { everyRequestOf } from '../../server/src/domain/requests/request-filter.ts'
import { createLog } from '../../server/src/log/log.ts'
import { type Database, openDatabase } from '../../server/src/storage/open-database.ts'
import { startIdOf } from '../../server/src/storage/request-log/request-days.ts'
import { sumRequests } from '../../server/src/storage/request-log/request-stats.ts'
import { createRequestWriter } from '../../server/src/storage/request-log/write-requests.ts'
import { startPostgres, type TestServer } from '../../server/test/support/postgres.ts'
import { readBusyMicros, readCpuMicros, readOwnCpuMicros } from '../process.ts'
import { type Goal, renderTable } from '../report.ts'
import { writeResults } from '../results.ts'
import { callsOf, type MeasuredCall } from './calls.ts'
import { fillFiles, fillPartitions } from './fill.ts'
import { type Amount, createChance, dayMs, idOf, makeRow, makeRows, type Plan, planRows } from './rows.ts'
import { measureContent, sizeOfRows } from './size-on-disk.ts'

interface RequestLogOptions extends Amount {
  calls: number
  /** In place of SQLite. */
  usesPostgres: boolean
  /** Only calls whose kind and name match. */
  only: RegExp
  progress: (line: string) => void
  say: (line: string) => void
}

interface Timed {
  call: string
  p50: number
  p95: number
}

const maxCallMs = 100
const maxDropMs = 1_000
const maxErrorPercent = 2
const contentRows = 20_000

export async function runRequestLog(options: RequestLogOptions): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-bench-requests-'))
  const server = options.usesPostgres ? await startServer() : null
  try {
    await runIn(folder, server, options)
  } finally {
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** It syncs to the disk, as in production, with 2 GB for its pages. */
const startServer = () => startPostgres({ durable: true, settings: ['shared_buffers=2GB', 'max_wal_size=4GB'] })

async function runIn(folder: string, server: TestServer | null, options: RequestLogOptions): Promise<void> {
  const plan = planRows(options)
  const { progress, say } = options
  if (server === null) fillFiles(folder, plan, progress)
  const databaseUrl = server?.url ?? null
  const log = createLog({ level: 'warn' })
  const database = await openDatabase({ databaseUrl, dataDir: folder, log, now: Date.now, statementTimeoutMs: 600_000 })
  try {
    const { requestDays } = database
    if (databaseUrl !== null) {
      await fillPartitions(database.sql as unknown as Kysely<unknown>, { requestDays, databaseUrl }, plan, progress)
    }
    const bytesOfRow = (await sizeOfRows(database, folder)) / plan.rows
    const readForeign = createForeignReader(server)
    const timed: Timed[] = []
    for (const call of callsOf(requestDays, plan).filter(({ name }) => options.only.test(name))) {
      const one = await time(call, options.calls)
      timed.push(one)
      say(`${one.call}: ${one.p50.toFixed(1)} ms, p95 ${one.p95.toFixed(1)} ms`)
    }
    const foreignPercent = readForeign()
    const percentiles = await comparePercentiles(database, plan)
    const dropped = await dropFirst(database, plan)
    const bytesOfContent = await measureContent(database, folder, plan, contentRows)
    const measured = { timed, percentiles, dropped, bytesOfRow, bytesOfContent, foreignPercent }
    report(plan, { ...measured, method: describeMethod(plan, options, database) }, database.dialect, say)
  } finally {
    await database.close()
  }
}

interface Measured {
  method: string
  timed: Timed[]
  percentiles: Percentile[]
  dropped: Dropped
  bytesOfRow: number
  bytesOfContent: number
  foreignPercent: number
}

function report(
  { rows, days, projects }: Plan,
  { method, foreignPercent, ...data }: Measured,
  dialect: string,
  say: (line: string) => void,
): void {
  const { timed, percentiles, dropped, bytesOfRow, bytesOfContent } = data
  const times = timed.map(({ call, p50, p95 }) => [call, p50.toFixed(1), p95.toFixed(1)])
  const errors = percentiles.map(each => [
    `${each.of}, ${each.name}`,
    String(each.found),
    String(each.exact),
    errorOf(each).toFixed(2),
  ])
  const tables = [
    renderTable('', ['p50 ms', 'p95 ms'], times),
    renderTable('', ['found', 'exact', 'error %'], errors),
    `A million rows take ${megabytes(bytesOfRow)} on the disk, and with their content ` +
      `${megabytes(bytesOfRow + bytesOfContent)} (conversations of 3 KB).`,
    `A day of ${rows / days} rows was dropped in ${dropped.tookMs.toFixed(0)} ms. Of the writes meanwhile the slowest ` +
      `took ${dropped.slowestMs.toFixed(0)} ms, of those in the two seconds before ${dropped.usualMs.toFixed(0)} ms.`,
  ]
  for (const table of tables) say(`\n${table}`)
  const goals = judge(timed, percentiles, dropped)
  const about = { name: `request-log-${dialect}`, method, facts: { rows, days, projects }, targets: [], notes: [] }
  writeResults({ ...about, tables, goals, foreignPercent, data }, say)
}

const megabytes = (bytesOfOne: number) => `${bytesOfOne.toFixed(0)} MB`

function describeMethod(plan: Plan, { calls }: RequestLogOptions, { dialect }: Database): string {
  return (
    `${plan.rows} rows of ${plan.projects} projects in ${plan.days} days, on ${dialect}; ${calls} calls each, ` +
    'of another project each time.'
  )
}

/** The share of the machine that neither this process nor the database server used since. */
function createForeignReader(server: TestServer | null): () => number {
  const cores = cpus().map((_, core) => core)
  const read = () => {
    const own = readOwnCpuMicros() + (server === null ? 0 : readCpuMicros(server.pid))
    return { foreign: readBusyMicros(cores) - own, at: performance.now() }
  }
  const before = read()
  return () => {
    const after = read()
    return Math.max(0, (100 * (after.foreign - before.foreign)) / (cores.length * (after.at - before.at) * 1_000))
  }
}

async function time({ name, run }: MeasuredCall, calls: number): Promise<Timed> {
  const times: number[] = []
  for (let number = 0; number < calls; number++) {
    const began = performance.now()
    await run(number)
    times.push(performance.now() - began)
  }
  times.sort((a, b) => a - b)
  const of = (share: number): number => times[Math.min(times.length - 1, Math.floor(share * times.length))]!
  return { call: name, p50: of(0.5), p95: of(0.95) }
}

interface Percentile {
  of: 'latency_ms' | 'first_token_ms'
  name: 'p50' | 'p95' | 'p99'
  found: number
  exact: number
}

const errorOf = ({ found, exact }: Percentile): number => (100 * Math.abs(found - exact)) / exact

const shares = { p50: 0.5, p95: 0.95, p99: 0.99 } as const

/** The exact percentiles of a project's rows beside those of the sums. */
async function comparePercentiles({ requestDays }: Database, plan: Plan): Promise<Percentile[]> {
  const exact = { latency_ms: [] as number[], first_token_ms: [] as number[] }
  for (let day = 0; day < plan.days; day++) {
    for (const { latencyMs, firstTokenMs } of makeRows(plan, day, 0)) {
      exact.latency_ms.push(latencyMs)
      if (firstTokenMs !== null) exact.first_token_ms.push(firstTokenMs)
    }
  }
  const { totals } = await sumRequests(requestDays, everyRequestOf(plan.projectIds[0]!), dayMs)
  if (totals.requests !== exact.latency_ms.length) throw new Error(`${totals.requests} requests were counted`)
  return (['latency_ms', 'first_token_ms'] as const).flatMap(of => {
    const ordered = exact[of].sort((a, b) => a - b)
    return (['p50', 'p95', 'p99'] as const).map(name => {
      const found = totals[of]?.[name] ?? 0
      return { of, name, found, exact: ordered[Math.ceil(shares[name] * ordered.length) - 1]! }
    })
  })
}

interface Dropped {
  tookMs: number
  /** Of the batches written meanwhile, and of those before. */
  slowestMs: number
  usualMs: number
}

const usualMs = 2_000

async function dropFirst({ requestDays }: Database, plan: Plan): Promise<Dropped> {
  const writer = createRequestWriter(requestDays)
  const chance = createChance(0)
  let number = 0
  const writeUntil = async (isOver: () => boolean): Promise<number> => {
    let slowest = 0
    do {
      const before = performance.now()
      const at = plan.end + (number % dayMs)
      const id = idOf(startIdOf(at), plan.rows + number++)
      await writer.write([makeRow(id, plan.projectIds[number % plan.projects]!, at, chance)])
      slowest = Math.max(slowest, performance.now() - before)
    } while (!isOver())
    return slowest
  }
  // Creates the day of these rows, too.
  await writeUntil(() => true)
  const began = performance.now()
  const usual = await writeUntil(() => performance.now() - began > usualMs)
  const first = (await requestDays.list()).at(-1)!
  let tookMs: number | null = null
  const start = performance.now()
  const dropping = requestDays.drop(first).then(() => {
    tookMs = performance.now() - start
  })
  const slowestMs = await writeUntil(() => tookMs !== null)
  await dropping
  return { tookMs: tookMs ?? 0, slowestMs, usualMs: usual }
}

function judge(timed: readonly Timed[], percentiles: readonly Percentile[], { tookMs }: Dropped): Goal[] {
  const errors = percentiles.map(errorOf)
  const most = (words: string, reached: number, bound: number, isBinding: boolean): Goal => {
    return { words, reached, wanted: `≤ ${bound}`, met: reached <= bound, isBinding }
  }
  return [
    ...timed.map(({ call, p95 }) => most(`${call}, p95 ms`, p95, maxCallMs, false)),
    most('percentiles, error in percent', Math.max(...errors), maxErrorPercent, true),
    most('a day dropped, ms', tookMs, maxDropMs, false),
  ]
}
