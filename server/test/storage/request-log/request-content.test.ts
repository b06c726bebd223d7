// Content of requests is kept encrypted, by project and request, by day, on both databases; an earlier encryption key
// still opens it, another one does not.
import { randomBytes } from 'node:crypto'
import { describe, expect, inject, test } from 'vitest'
import type { KeptContent } from '../../../src/domain/requests/kept-content.ts'
import { deleteProjectRows } from '../../../src/storage/request-log/delete-project-rows.ts'
import { createRequestContent, eraseContentOfUser } from '../../../src/storage/request-log/request-content.ts'
import { contentDays as contentKind } from '../../../src/storage/request-log/request-tables.ts'
import { createDatabase } from '../../support/postgres.ts'
import { keepLog, openDistributed, openMigrated } from '../fixtures.ts'
import { noon, otherProject, project, recordAt } from './samples.ts'

const text = 'a canary that nobody may find'
const kept: KeptContent = {
  messages: [{ role: 'user', content: [{ type: 'text', text }] }],
  left_out: 0,
  answer: { role: 'assistant', content: [{ type: 'text', text: 'Hello' }] },
}
const day = '2026-05-01'

describe.each(['sqlite', 'postgres'])('on %s', backend => {
  async function open() {
    const { contentDays, requestDays } =
      backend === 'sqlite' ? await openMigrated() : await openDistributed(await createDatabase(inject('postgresUrl')))
    const metrics = { requestRows: () => undefined }
    const using = (...keys: [Buffer, ...Buffer[]]) =>
      createRequestContent({ contentDays, keys, metrics, log: keepLog() })
    return { contentDays, requestDays, using }
  }

  test('it comes back under its key, project and id alone', async () => {
    const { contentDays, requestDays, using } = await open()
    const [key, next] = [randomBytes(32), randomBytes(32)]
    const { id: requestId } = recordAt(noon)
    const content = using(key)
    content.add({ projectId: project, requestId }, 'alice', kept)
    await content.flush()
    expect(await content.find({ projectId: project, requestId })).toEqual(kept)
    expect(await content.find({ projectId: otherProject, requestId })).toBeNull()
    expect(await using(next, key).find({ projectId: project, requestId })).toEqual(kept)
    expect(await using(next).find({ projectId: project, requestId })).toBeNull()
    const rows = await contentDays.of(day).selectFrom('request_content').selectAll().execute()
    expect(rows.map(({ sealed }) => Buffer.from(sealed).toString('latin1')).join()).not.toContain('canary')
    expect(await contentDays.list()).toEqual([day])
    expect(await requestDays.list()).toEqual([])
    await contentDays.drop(day)
    expect(await content.find({ projectId: project, requestId })).toBeNull()
  })

  test('it goes with its end user and its project', async () => {
    const { contentDays, using } = await open()
    const content = using(randomBytes(32))
    const ids = ['alice', 'bob', 'alice'].map(userId => {
      const { id: requestId } = recordAt(noon)
      content.add({ projectId: project, requestId }, userId, kept)
      return requestId
    })
    await content.stop()
    const left = async () => {
      const found = await Promise.all(ids.map(requestId => content.find({ projectId: project, requestId })))
      return found.map(one => one !== null)
    }
    expect(await left()).toEqual([true, true, true])
    await eraseContentOfUser(contentDays, day, { projectId: project, userId: 'alice' })
    expect(await left()).toEqual([false, true, false])
    expect(await deleteProjectRows(contentDays, contentKind, { day, projectId: project, limit: 10 })).toBe(1)
    expect(await left()).toEqual([false, false, false])
  })
})
