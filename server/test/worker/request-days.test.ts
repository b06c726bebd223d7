// What the worker does with the request log: creates the next day, drops days that no project wants, and removes end
// users and projects from the rows.
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import type { RequestRecord } from '../../src/domain/requests/request-record.ts'
import { createProcessStore } from '../../src/kv/process/store.ts'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { parseOutboundAllow } from '../../src/outbound/policy.ts'
import { requestErasure } from '../../src/storage/end-users/erase.ts'
import { deleteProjectRows } from '../../src/storage/request-log/delete-project-rows.ts'
import { rowDays } from '../../src/storage/request-log/request-tables.ts'
import { createRequestWriter } from '../../src/storage/request-log/write-requests.ts'
import { eraseEndUsers } from '../../src/worker/erase-end-users.ts'
import type { Job } from '../../src/worker/job.ts'
import { keepRequestDays } from '../../src/worker/request-log/keep-request-days.ts'
import { createMemoryLog } from '../kv/stores.ts'
import { openDistributed, openMigrated, sampleRows } from '../storage/fixtures.ts'
import { recordAt } from '../storage/request-log/samples.ts'
import { createDatabase } from '../support/postgres.ts'

const noon = Date.UTC(2026, 4, 1, 12)
const dayMs = 86_400_000

describe.each(['sqlite', 'postgres'])('on %s', backend => {
  async function open() {
    const database =
      backend === 'sqlite' ? await openMigrated() : await openDistributed(await createDatabase(inject('postgresUrl')))
    const { log } = createMemoryLog()
    const kv = createProcessStore({ now: Date.now, log })
    const outbound = createOutbound({ allow: parseOutboundAllow(undefined), log })
    onTestFinished(async () => {
      await Promise.all([outbound.close(), kv.close()])
    })
    const { sql, requestDays } = database
    const writer = createRequestWriter(requestDays)
    const run = (job: Job, now = noon) =>
      job.run({ sql, kv, outbound, now: () => now, log }, new AbortController().signal)
    const uidsOf = async () =>
      (await requestDays.of('2026-05-01').selectFrom('requests').select('uid').orderBy('id').execute()).map(
        ({ uid }) => uid,
      )
    return { database, sql, requestDays, write: (...rows: RequestRecord[]) => writer.write(rows), run, uidsOf }
  }

  test('a project without a document keeps the day of today; the next one is made ahead', async () => {
    const { database, requestDays, write, run } = await open()
    await write(recordAt(noon), recordAt(noon - dayMs), recordAt(noon - 5 * dayMs))
    await run(keepRequestDays(database))
    expect(await requestDays.list()).toEqual(['2026-05-02', '2026-05-01'])
  })

  test('an erased end user leaves the rows, and nobody else does', async () => {
    const { database, sql, write, run, uidsOf } = await open()
    for (const table of ['tenants', 'projects'] as const)
      await sql.insertInto(table).values(sampleRows[table]).execute()
    const projectId = sampleRows.projects[0].id
    const rows = ['alice', 'bob', 'alice'].map((userId, at) => recordAt(noon + at, { projectId, userId }))
    await write(...rows, recordAt(noon + 9, { projectId: 'another', userId: 'alice' }))
    await requestErasure(sql, { projectId, userId: 'alice' }, noon)
    await run(eraseEndUsers(database), noon + 5_000)
    expect(await uidsOf()).toEqual(['erased', 'bob', 'erased', 'alice'])
  })

  test('the rows of a project are deleted in pages', async () => {
    const { requestDays, write, uidsOf } = await open()
    await write(...[0, 1, 2].map(at => recordAt(noon + at)), recordAt(noon, { projectId: 'another', userId: 'carol' }))
    const { projectId } = recordAt(noon)
    const page = { day: '2026-05-01', projectId, limit: 2 }
    expect(await deleteProjectRows(requestDays, rowDays, page)).toBe(2)
    expect(await deleteProjectRows(requestDays, rowDays, page)).toBe(1)
    expect(await uidsOf()).toEqual(['carol'])
    const sums = requestDays.of('2026-05-01').selectFrom('request_hours').select(['project_id', 'requests'])
    expect(await sums.execute()).toEqual([{ project_id: 'another', requests: 1 }])
  })
})
