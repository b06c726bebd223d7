// Days of the request log that an earlier version began: this one reads them, and writes what it has added.
import { sql as text } from 'kysely'
import { describe, expect, inject, test } from 'vitest'
import { everyRequestOf, type RequestFilter } from '../../../src/domain/requests/request-filter.ts'
import { allMigrations } from '../../../src/storage/migrations/all-migrations.ts'
import type { Database, DatabaseOptions } from '../../../src/storage/open-database.ts'
import { deleteProjectRows } from '../../../src/storage/request-log/delete-project-rows.ts'
import { listRequests } from '../../../src/storage/request-log/list-requests.ts'
import { dayOf } from '../../../src/storage/request-log/request-days.ts'
import { sumRequests } from '../../../src/storage/request-log/request-stats.ts'
import { rowDays } from '../../../src/storage/request-log/request-tables.ts'
import { createRequestWriter } from '../../../src/storage/request-log/write-requests.ts'
import { createEmptyDatabase } from '../../support/postgres.ts'
import { openDistributed, openEmbedded, temporaryFolder } from '../fixtures.ts'
import { noon, project, recordAt } from './samples.ts'

const dayMs = 86_400_000
const addedColumns = [
  'prompt',
  'prompt_version',
  'first_token_range',
  'agent_session_id',
  'agent_id',
  'budget_level',
  'budget_period',
]

describe.each(['sqlite', 'postgres'])('on %s', backend => {
  async function makePlace(): Promise<(more?: Partial<DatabaseOptions>) => Promise<Database>> {
    if (backend === 'sqlite') {
      const folder = temporaryFolder()
      return more => openEmbedded(folder, more)
    }
    const url = await createEmptyDatabase(inject('postgresUrl'))
    return more => openDistributed(url, more)
  }

  /** Leaves the storage as it was before rows had prompts, ranges of their first token, agents and budgets. */
  async function forgetAdded({ requestDays }: Database): Promise<void> {
    // In PostgreSQL all days are in the same tables.
    const days = backend === 'sqlite' ? await requestDays.list() : (await requestDays.list()).slice(0, 1)
    for (const day of days) {
      const ofDay = requestDays.of(day)
      await text.raw('drop index requests_by_agent_session').execute(ofDay)
      for (const column of addedColumns) {
        await text.raw(`alter table requests drop column ${column}`).execute(ofDay)
      }
      for (const table of ['request_prompt_sums', 'request_first_token_sums']) {
        await text.raw(`drop table ${table}`).execute(ofDay)
      }
    }
  }

  const read = async ({ requestDays }: Database, filter: Partial<RequestFilter>) => {
    const asked = { ...everyRequestOf(project), ...filter }
    const { rows } = await listRequests(requestDays, asked, { after: null, limit: 10 })
    const { totals } = await sumRequests(requestDays, asked, dayMs)
    return { ids: rows.map(({ id }) => id), requests: totals.requests, firstTokens: totals.first_token_ms }
  }

  test('rows of both versions are listed, filtered, added up and deleted by prompt', async () => {
    const open = await makePlace()
    const [first, second] = [recordAt(noon - dayMs), recordAt(noon)]
    const earlier = await open({ migrations: allMigrations.filter(({ name }) => name < '0047') })
    await createRequestWriter(earlier.requestDays).write([first, second])
    await forgetAdded(earlier)
    await earlier.close()
    const database = await open()
    expect(await read(database, {})).toEqual({ ids: [second.id, first.id], requests: 2, firstTokens: null })
    expect(await read(database, { prompt: 'tutor' })).toMatchObject({ ids: [], requests: 0 })
    expect(await read(database, { agentSession: 's-1' })).toMatchObject({ ids: [], requests: 0 })
    const tutored = { promptName: 'tutor', promptVersion: 2, agentSessionId: 's-1' }
    const added = [noon - dayMs, noon].map(at => recordAt(at + 1, tutored))
    await createRequestWriter(database.requestDays).write(added)
    const ids = added.map(({ id }) => id).reverse()
    expect(await read(database, { prompt: 'tutor' })).toMatchObject({ ids, requests: 2 })
    expect(await read(database, { agentSession: 's-1' })).toMatchObject({ ids, requests: 2 })
    expect(await read(database, {})).toMatchObject({ requests: 4, firstTokens: { p50: expect.any(Number) } })
    const page = { day: dayOf(noon), projectId: project, limit: 9 }
    expect(await deleteProjectRows(database.requestDays, rowDays, page)).toBe(2)
    expect(await read(database, { prompt: 'tutor' })).toMatchObject({ ids: ids.slice(1), requests: 1 })
  })
})
