// A row that the database cannot store is dropped and counted, and takes no other with it: rows of requests on both
// databases and from another process, and their content.
import { randomBytes } from 'node:crypto'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import type { KeptContent } from '../../../src/domain/requests/kept-content.ts'
import { everyRequestOf } from '../../../src/domain/requests/request-filter.ts'
import type { RequestRecord } from '../../../src/domain/requests/request-record.ts'
import type { Database } from '../../../src/storage/open-database.ts'
import { openRemoteDatabase } from '../../../src/storage/remote/open-remote.ts'
import { serveDatabase } from '../../../src/storage/remote/serve-database.ts'
import { listRequests } from '../../../src/storage/request-log/list-requests.ts'
import { createRequestBuffer } from '../../../src/storage/request-log/request-buffer.ts'
import { createRequestContent } from '../../../src/storage/request-log/request-content.ts'
import { sumRequests } from '../../../src/storage/request-log/request-stats.ts'
import { createLinks } from '../../processes/linked.ts'
import { createDatabase } from '../../support/postgres.ts'
import { keepLog, openDistributed, openMigrated } from '../fixtures.ts'
import { noon, project, recordAt } from './samples.ts'

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

/** Broken numbers, in columns that need a whole one. */
const broken: Partial<RequestRecord>[] = [
  { latencyMs: Number.NaN },
  { cost: 1.5 },
  { completionTokens: 1e19 },
  { at: Number.NaN },
]
/** Text that PostgreSQL cannot store, or cannot put into an index. */
const brokenText: Partial<RequestRecord>[] = [
  { client: 'a\0b' },
  { userId: '\ud800' },
  { threadId: randomBytes(8_000).toString('base64') },
]

function createCounts() {
  const counts = { written: 0, dropped: 0, left_out: 0 }
  const metrics = {
    requestRowsDelayed: () => undefined,
    requestRows(outcome: keyof typeof counts, rows: number) {
      counts[outcome] += rows
    },
  }
  return { counts, metrics }
}

describe.each(Object.entries(backends))('%s', (name, open) => {
  test('rows behind one that cannot be stored are written, and that one is counted', async () => {
    const { requestDays } = await open()
    const { counts, metrics } = createCounts()
    const buffer = createRequestBuffer({ requestDays, metrics, now: () => noon, log: keepLog() })
    onTestFinished(() => buffer.stop())
    const poison = name === 'postgres' ? [...broken, ...brokenText] : broken
    const good: string[] = []
    for (let at = 0; at < 60; at++) {
      const changes = at % 8 === 3 ? poison[at >> 3] : undefined
      const record = recordAt(noon + at, changes)
      if (changes === undefined) good.push(record.id)
      buffer.add(record)
    }
    await buffer.flush()
    const filter = everyRequestOf(project)
    const listed = async () => {
      const { rows } = await listRequests(requestDays, filter, { after: null, limit: 100 })
      return rows.map(({ id }) => id).reverse()
    }
    expect(await listed()).toEqual(good)
    // SQLite enters rows later, so that the next batch reports what could not be entered.
    const last = recordAt(noon + 100)
    buffer.add(last)
    await buffer.flush()
    expect(await listed()).toEqual([...good, last.id])
    expect(counts.dropped).toBe(poison.length)
    const { totals } = await sumRequests(requestDays, filter, 86_400_000)
    expect(totals.requests).toBe(good.length + 1)
  })

  test('content beside one that cannot be stored is kept', async () => {
    const { contentDays } = await open()
    const { counts, metrics } = createCounts()
    const log = keepLog()
    const content = createRequestContent({ contentDays, keys: [randomBytes(32)], metrics, log })
    onTestFinished(() => content.stop())
    const kept: KeptContent = { messages: [], left_out: 0, answer: null }
    const users = ['alice', 'b\0b', 'carol', 'dave']
    const keys = users.map(() => ({ projectId: project, requestId: recordAt(noon).id }))
    for (const [at, key] of keys.entries()) content.add(key, users[at] ?? '', kept)
    await content.flush()
    const found = await Promise.all(keys.map(key => content.find(key)))
    expect(found).toEqual([kept, null, kept, kept])
    expect(counts.dropped).toBe(1)
  })
})
