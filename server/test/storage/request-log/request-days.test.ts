// Rows of the request log are written once, each in the storage of its day, which is dropped whole; on both databases
// and from another process.
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import type { Database } from '../../../src/storage/open-database.ts'
import { openRemoteDatabase } from '../../../src/storage/remote/open-remote.ts'
import { serveDatabase } from '../../../src/storage/remote/serve-database.ts'
import { createRequestBuffer } from '../../../src/storage/request-log/request-buffer.ts'
import { dayOf, idsOf, timeOfId } from '../../../src/storage/request-log/request-days.ts'
import { readTimeline, timelineText } from '../../../src/storage/request-log/timeline-text.ts'
import { createRequestWriter } from '../../../src/storage/request-log/write-requests.ts'
import { createLinks } from '../../processes/linked.ts'
import { createDatabase } from '../../support/postgres.ts'
import { keepLog, openDistributed, openMigrated } from '../fixtures.ts'
import { noon, project, recordAt } from './samples.ts'

const dayMs = 86_400_000

async function openRemote(): Promise<Database> {
  const own = await openMigrated()
  const { first, other } = await createLinks()
  serveDatabase(first, own, keepLog())
  const remote = openRemoteDatabase(other)
  onTestFinished(async () => {
    await remote.close()
    other.close()
  })
  return remote
}

const backends: Record<string, () => Promise<Database>> = {
  sqlite: () => openMigrated(),
  'sqlite of another process': openRemote,
  postgres: async () => await openDistributed(await createDatabase(inject('postgresUrl'))),
}

async function rowsOf({ requestDays }: Database, day: string) {
  const [from, to] = idsOf(day)
  return await requestDays
    .of(day)
    .selectFrom('requests')
    .selectAll()
    .where('id', '>=', from)
    .where('id', '<', to)
    .orderBy('id')
    .execute()
}

describe.each(Object.entries(backends))('%s', (_name, open) => {
  test('a row comes back as it was written, once', async () => {
    const database = await open()
    const writer = createRequestWriter(database.requestDays)
    const outcome = { type: 'sentinel.injection', action: 'blocked', source: 'user' } as never
    const conversation = { threadId: 't', sessionId: 's', agentSessionId: 'as', agentId: 'a' }
    const full = recordAt(noon, { guardrails: [outcome], tier: 'gold', ...conversation, cache: 'hit' })
    const sparse = recordAt(noon + 1, {
      userId: null,
      endpoint: null,
      firstTokenMs: null,
      timeline: [],
      client: '"\\é',
    })
    await writer.write([full, sparse, full])
    await writer.write([{ ...full, status: 500 }])
    const rows = await rowsOf(database, dayOf(noon))
    expect(rows).toHaveLength(2)
    expect(rows[0]).toMatchObject({
      id: full.id,
      at: noon,
      tier: 'gold',
      status: 200,
      cost_nanousd: 1_500,
      is_stream: 1,
      agent_session_id: 'as',
      agent_id: 'a',
    })
    expect(JSON.parse(rows[0]?.guardrails ?? '')).toEqual([outcome])
    expect(readTimeline(rows[0]?.timeline ?? null)).toEqual(full.timeline)
    expect(rows[1]).toMatchObject({ uid: null, endpoint: null, first_token_ms: null, timeline: null, client: '"\\é' })
    expect(timeOfId(full.id)).toBe(noon)
  })

  test('each day has storage of its own, which is dropped whole and made again', async () => {
    const database = await open()
    const { requestDays } = database
    expect(await requestDays.list()).toEqual([])
    const writer = createRequestWriter(requestDays)
    const midnight = Date.UTC(2026, 4, 2)
    await writer.write([recordAt(midnight - 1), recordAt(midnight), recordAt(midnight + dayMs)])
    expect(await requestDays.list()).toEqual(['2026-05-03', '2026-05-02', '2026-05-01'])
    expect(await rowsOf(database, '2026-05-02')).toHaveLength(1)
    await requestDays.drop('2026-05-01')
    expect(await requestDays.list()).toEqual(['2026-05-03', '2026-05-02'])
    expect(await rowsOf(database, '2026-05-02')).toHaveLength(1)
    await writer.write([recordAt(midnight - 1)]).catch(() => undefined)
    await writer.write([recordAt(midnight - 1)])
    expect((await rowsOf(database, '2026-05-01')).length).toBeGreaterThan(0)
  })

  test('days that are created at once, and again, are created once', async () => {
    const { requestDays } = await open()
    await Promise.all(['2026-05-01', '2026-05-01', '2026-05-02'].map(day => requestDays.create(day)))
    await requestDays.create('2026-05-01')
    expect(await requestDays.list()).toEqual(['2026-05-02', '2026-05-01'])
  })

  test('a stop writes what waits', async () => {
    const database = await open()
    const counts = { written: 0, dropped: 0, left_out: 0 }
    const delays: number[] = []
    const metrics = {
      requestRowsDelayed: (ms: number) => void delays.push(ms),
      requestRows(outcome: keyof typeof counts, rows: number) {
        counts[outcome] += rows
      },
    }
    const buffer = createRequestBuffer({
      requestDays: database.requestDays,
      metrics,
      now: () => noon + 2_000,
      log: keepLog(),
    })
    for (let at = 0; at < 1_500; at++) buffer.add(recordAt(noon + at, { projectId: project }))
    await buffer.stop()
    expect(counts).toEqual({ written: 1_500, dropped: 0, left_out: 0 })
    // The first of each batch, which ended 120 ms after it came.
    expect(delays).toEqual([1_880, 1_368, 856])
    expect(await rowsOf(database, dayOf(noon))).toHaveLength(1_500)
  })
})

test('a timeline is read as it was written, now and by earlier versions', () => {
  const steps = [
    { name: 'body', start: 0, end: 1, detail: null },
    { name: 'attempt', start: 1, end: 9, detail: { model: 'openai/gpt-4o-mini', error: null } },
  ] as const
  expect(readTimeline(timelineText(steps))).toEqual(steps)
  expect(readTimeline(JSON.stringify(steps))).toEqual(steps)
  expect(readTimeline(null)).toEqual([])
})
