// Fills the request log with generated rows, and measures what lists, filters and sums of one project take, what its
// days take on the disk, and how long a day takes to drop while rows are written.
// Usage: node bench/parts/request-log.ts [--rows=1000000] [--days=10] [--projects=10] [--calls=40]
// [--database-url=postgres://…]; without it, the embedded database in a temporary folder.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Kysely, sql as text } from 'kysely'
import { everyRequestOf, type RequestFilter } from '../../server/src/domain/requests/request-filter.ts'
import type { RequestRecord } from '../../server/src/domain/requests/request-record.ts'
import { createLog } from '../../server/src/log/log.ts'
import { type Database, openDatabase } from '../../server/src/storage/open-database.ts'
import { listRequests } from '../../server/src/storage/request-log/list-requests.ts'
import { type RequestDays, startIdOf } from '../../server/src/storage/request-log/request-days.ts'
import { groupRequests } from '../../server/src/storage/request-log/request-groups.ts'
import { sumRequests } from '../../server/src/storage/request-log/request-stats.ts'
import { createRequestWriter } from '../../server/src/storage/request-log/write-requests.ts'

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    days: { type: 'string', default: '10' },
    projects: { type: 'string', default: '10' },
    calls: { type: 'string', default: '40' },
    'database-url': { type: 'string' },
  },
})
const rows = Number(values.rows)
const days = Number(values.days)
const databaseUrl = values['database-url'] ?? null
const rowsOfBatch = 512
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const end = Math.floor(Date.now() / dayMs) * dayMs
const start = end - days * dayMs
const projects = Array.from({ length: Number(values.projects) }, (_none, at) => idOf('00000000-0000-', at))
const project = projects[0]!
const models = ['openai/gpt-4o-mini', 'openai/gpt-4o', 'anthropic/claude-haiku', 'google/gemini-flash']
const endpoints = ['chat_completions', 'chat_completions', 'responses', 'messages', 'embeddings']

function idOf(beginning: string, at: number): string {
  return `${beginning}4${(at % 4096).toString(16).padStart(3, '0')}-8000-${at.toString(16).padStart(12, '0')}`
}

/** The same rows in each run: latencies from 40 ms to about a minute, an error in twenty rows, 2,000 end users. */
function makeRow(number: number): RequestRecord {
  const at = start + Math.floor((number / rows) * (end - start))
  const chance = ((number * 2_654_435_761) % 4_294_967_296) / 4_294_967_296
  const hasFailed = number % 20 === 7
  const model = models[(number % 7) % models.length]!
  const latencyMs = Math.round(40 * Math.exp(chance * 7))
  return {
    id: idOf(startIdOf(at), number),
    projectId: projects[number % projects.length]!,
    at,
    userId: `user-${Math.floor(chance * 2_000)}`,
    tier: number % 3 === 0 ? 'team' : null,
    endpoint: endpoints[(number % 11) % endpoints.length]!,
    isStream: number % 2 === 0,
    modelAsked: model,
    model,
    provider: model.slice(0, model.indexOf('/')),
    status: hasFailed ? (number % 3 === 0 ? 502 : 429) : 200,
    errorCode: hasFailed ? (number % 3 === 0 ? 'provider_unavailable' : 'rate_limited') : null,
    finishReason: hasFailed ? null : 'stop',
    latencyMs,
    firstTokenMs: Math.round(latencyMs / 3),
    attempts: 1,
    cache: null,
    promptTokens: 400 + (number % 600),
    cachedTokens: 0,
    completionTokens: 50 + (number % 300),
    reasoningTokens: 0,
    cost: 20_000 + (number % 90_000),
    guardrails: number % 5_000 === 11 ? [{ type: 'pii_block', action: 'blocked', source: 'user' }] : [],
    threadId: null,
    sessionId: null,
    agentSessionId: null,
    agentId: null,
    client: 'OpenAI/JS 5.1.0',
    isPlayground: false,
    promptName: null,
    promptVersion: null,
    timeline: [
      { name: 'body', start: 0, end: 1, detail: null },
      { name: 'admission', start: 1, end: 2, detail: null },
      { name: 'attempt', start: 2, end: latencyMs, detail: { model, error: null } },
      { name: 'end', start: latencyMs, end: latencyMs, detail: null },
    ],
  }
}

const everything = everyRequestOf(project)

const lists: Record<string, Partial<RequestFilter>> = {
  'the newest': {},
  'of an hour in the middle': { from: start + (days * dayMs) / 2, to: start + (days * dayMs) / 2 + hourMs },
  'of an end user': { uid: 'user-77' },
  'with a code of an error': { error: 'provider_unavailable' },
  'that failed': { status: { hundreds: 5 } },
  'of a model': { model: models[3]! },
  'that took 30 s': { minLatencyMs: 30_000 },
  'that a guardrail blocked': { guardrail: 'blocked' },
  'that cost more than any (none)': { minCostNanoUsd: 1e12 },
}

const sums: Record<string, [bucketMs: number, filter: Partial<RequestFilter>]> = {
  'of a day, by hour': [hourMs, { from: end - dayMs }],
  'of all days, by day': [dayMs, {}],
  'of all days, by hour': [hourMs, {}],
  'of all days, by day, of a model': [dayMs, { model: models[0]! }],
  'of all days, by day, of an end user': [dayMs, { uid: 'user-77' }],
  'of the newest rows, by minute': [60_000, {}],
}

const groups: Record<string, Parameters<typeof groupRequests>[2]> = {
  'of all days, by model': { by: 'model', order: 'requests', limit: 10 },
  'of all days, by error': { by: 'error', order: 'errors', limit: 10 },
  'of the newest rows, by end user': { by: 'uid', order: 'cost_usd', limit: 10 },
}

async function fill(requestDays: RequestDays): Promise<void> {
  const writer = createRequestWriter(requestDays)
  const began = performance.now()
  for (let first = 0; first < rows; first += rowsOfBatch) {
    const count = Math.min(rowsOfBatch, rows - first)
    await writer.write(Array.from({ length: count }, (_none, at) => makeRow(first + at)))
  }
  print('written', `${(((performance.now() - began) * 1_000) / rows).toFixed(1)} µs a row, one batch after another`)
}

async function measure(name: string, call: () => Promise<unknown>): Promise<void> {
  const times: number[] = []
  for (let at = 0; at < Number(values.calls); at++) {
    const began = performance.now()
    await call()
    times.push(performance.now() - began)
  }
  times.sort((a, b) => a - b)
  const of = (share: number): string => times[Math.min(times.length - 1, Math.floor(share * times.length))]!.toFixed(1)
  print(name, `${of(0.5)} ms, p95 ${of(0.95)} ms`)
}

/** The true percentiles of the project's rows beside those of the sums. */
async function comparePercentiles(requestDays: RequestDays): Promise<void> {
  const latencies: number[] = []
  for (let number = 0; number < rows; number += projects.length) latencies.push(makeRow(number).latencyMs)
  latencies.sort((a, b) => a - b)
  const { totals } = await sumRequests(requestDays, everything, dayMs)
  const found = totals.latency_ms ?? { p50: 0, p95: 0, p99: 0 }
  const shown = (
    [
      [50, found.p50],
      [95, found.p95],
      [99, found.p99],
    ] as const
  ).map(([share, value]) => {
    const exact = latencies[Math.ceil((share / 100) * latencies.length) - 1]!
    return `p${share} ${value} of ${exact} (${(((value - exact) / exact) * 100).toFixed(2)} %)`
  })
  print('percentiles', `${shown.join(', ')}; ${totals.requests} of ${latencies.length} requests`)
}

async function dropFirst(requestDays: RequestDays): Promise<void> {
  const writer = createRequestWriter(requestDays)
  const first = (await requestDays.list()).at(-1)!
  let slowest = 0
  let isDropped = false
  const began = performance.now()
  const dropping = requestDays.drop(first).then(() => {
    isDropped = true
  })
  for (let number = rows; !isDropped; number++) {
    const before = performance.now()
    await writer.write([{ ...makeRow(rows - 1), id: idOf(startIdOf(end - 1), number) }])
    slowest = Math.max(slowest, performance.now() - before)
  }
  await dropping
  const took = performance.now() - began
  print('a day dropped', `${took.toFixed(0)} ms; the slowest write meanwhile ${slowest.toFixed(0)} ms`)
}

async function sizeOf({ sql, dialect }: Database, folder: string): Promise<number> {
  if (dialect === 'postgres') return await sizeOfPartitions(sql as unknown as Kysely<unknown>)
  const requests = join(folder, 'requests')
  return readdirSync(requests).reduce((bytes, name) => bytes + statSync(join(requests, name)).size, 0)
}

async function sizeOfPartitions(sql: Kysely<unknown>): Promise<number> {
  const { rows: found } = await text<{ bytes: number }>`select sum(pg_total_relation_size(inhrelid)) as bytes
    from pg_inherits where inhparent in (to_regclass('requests'), to_regclass('request_sums'),
      to_regclass('request_prompt_sums'), to_regclass('request_first_token_sums'))`.execute(sql)
  return Number(found[0]?.bytes ?? 0)
}

function print(name: string, value: string): void {
  process.stdout.write(`${name}: ${value}\n`)
}

const folder = mkdtempSync(join(tmpdir(), 'sallyport-bench-requests-'))
const database = await openDatabase({ databaseUrl, dataDir: folder, log: createLog({ level: 'warn' }), now: Date.now })
try {
  const { requestDays } = database
  print('rows', `${rows} of ${projects.length} projects in ${days} days, ${database.dialect}`)
  await fill(requestDays)
  print('on the disk', `${((await sizeOf(database, folder)) / rows).toFixed(0)} bytes a row`)
  for (const [name, filter] of Object.entries(lists)) {
    await measure(`list ${name}`, () =>
      listRequests(requestDays, { ...everything, ...filter }, { after: null, limit: 50 }),
    )
  }
  for (const [name, [bucketMs, filter]] of Object.entries(sums)) {
    await measure(`sums ${name}`, () => sumRequests(requestDays, { ...everything, ...filter }, bucketMs))
  }
  for (const [name, asked] of Object.entries(groups)) {
    await measure(`groups ${name}`, () => groupRequests(requestDays, everything, asked))
  }
  await comparePercentiles(requestDays)
  await dropFirst(requestDays)
} finally {
  await database.close()
  rmSync(folder, { recursive: true, force: true })
}
