// Days of the request log that an earlier version began: this one reads them, and writes what it has added.
import { sql as text } from 'kysely'
import { describe, expect, inject, test } from 'vitest'
import { everyRequestOf, type RequestFilter } from '../../../src/domain/requests/request-filter.ts'
import { latencyRangeOf } from '../../../src/domain/requests/request-record.ts'
import { allMigrations } from '../../../src/storage/migrations/all-migrations.ts'
import type { Database, DatabaseOptions } from '../../../src/storage/open-database.ts'
import { deleteProjectRows } from '../../../src/storage/request-log/delete-project-rows.ts'
import { listRequests } from '../../../src/storage/request-log/list-requests.ts'
import { dayOf, idsOf, type RequestDays, startIdOf } from '../../../src/storage/request-log/request-days.ts'
import { sumRequests } from '../../../src/storage/request-log/request-stats.ts'
import { rowDays } from '../../../src/storage/request-log/request-tables.ts'
import { moveEarlierSums } from '../../../src/storage/request-log/sums/move-earlier-sums.ts'
import { createRequestWriter } from '../../../src/storage/request-log/write-requests.ts'
import { createEmptyDatabase } from '../../support/postgres.ts'
import { openDistributed, openEmbedded, temporaryFolder } from '../fixtures.ts'
import { noon, project, recordAt } from './samples.ts'

const [hourMs, dayMs] = [3_600_000, 86_400_000]
const texts = ['project_id', 'id', 'tier', 'endpoint', 'model_asked', 'model', 'provider', 'error_code']
const numbers = [
  'status',
  'latency_range',
  'requests',
  'prompt_tokens',
  'cached_tokens',
  'completion_tokens',
  'reasoning_tokens',
  'cost_nanousd',
]
/** Of the table that had a sum for each range. */
const earlierColumns = [
  ...texts.slice(0, 2).map(name => `${name} text not null`),
  'at bigint not null',
  ...texts.slice(2).map(name => `${name} text not null`),
  ...numbers.map(name => `${name} bigint not null`),
].join(', ')
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
    const days = await requestDays.list()
    // In PostgreSQL all days are in the same tables.
    for (const day of backend === 'sqlite' ? days : days.slice(0, 1)) {
      const run = (statement: string) => text.raw(statement).execute(requestDays.of(day))
      await run('drop index requests_by_agent_session')
      for (const column of addedColumns) await run(`alter table requests drop column ${column}`)
      await run('drop table request_hours')
      await run(
        `create table request_sums (${earlierColumns}) ${backend === 'sqlite' ? '' : 'partition by range (id)'}`,
      )
      if (backend === 'sqlite') {
        await addEarlierSums(requestDays, day, noon - days.indexOf(day) * dayMs)
        continue
      }
      for (const [index, partition] of days.entries()) {
        await createPartition(requestDays, 'request_sums', partition)
        await addEarlierSums(requestDays, partition, noon - index * dayMs)
      }
    }
  }

  async function createPartition(days: RequestDays, table: string, day: string): Promise<void> {
    const [from, to] = idsOf(day)
    const name = `${table}_${day.replaceAll('-', '')}`
    const statement = `create table ${name} partition of ${table} for values from ('${from}') to ('${to}')`
    await text.raw(statement).execute(days.of(day))
  }

  /** A sum of one row of that hour. */
  async function addEarlierSums(days: RequestDays, day: string, at: number): Promise<void> {
    const values = `'${project}', '${startIdOf(at)}', ${at}, '', 'chat_completions', 'gpt-x', 'openai/gpt-x', 'openai', '',
      200, ${latencyRangeOf(120)}, 1, 10, 2, 5, 1, 1500`
    await text.raw(`insert into request_sums values (${values})`).execute(days.of(day))
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
    const { requestDays } = database
    if (backend === 'postgres') await moveEarlierSums(requestDays, new AbortController().signal)
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

  /** SQLite has no replicas. */
  if (backend === 'sqlite') return
  test('sums that replicas of an earlier version write later are moved, too', async () => {
    const open = await makePlace()
    const earlier = await open({ migrations: allMigrations.filter(({ name }) => name < '0047') })
    await createRequestWriter(earlier.requestDays).write([recordAt(noon)])
    await forgetAdded(earlier)
    await earlier.close()
    const database = await open()
    const { requestDays } = database
    const move = () => moveEarlierSums(requestDays, new AbortController().signal)
    await move()
    await createRequestWriter(requestDays).write([recordAt(noon + 1)])
    expect(await read(database, {})).toMatchObject({ requests: 2 })
    await addEarlierSums(requestDays, dayOf(noon), noon)
    expect(await read(database, {})).toMatchObject({ requests: 2 })
    await Promise.all([move(), createRequestWriter(requestDays).write([recordAt(noon + 2)]), move()])
    expect(await read(database, {})).toMatchObject({ requests: 4 })
  })

  test('each hour of a project is moved in a transaction of its own', async () => {
    const open = await makePlace()
    const earlier = await open({ migrations: allMigrations.filter(({ name }) => name < '0047') })
    await createRequestWriter(earlier.requestDays).write([recordAt(noon)])
    await forgetAdded(earlier)
    await earlier.close()
    const database = await open()
    const { requestDays } = database
    for (const hours of [-3, -1, 2]) await addEarlierSums(requestDays, dayOf(noon), noon + hours * hourMs)
    await moveEarlierSums(requestDays, AbortSignal.abort())
    expect(await read(database, {})).toMatchObject({ requests: 0 })
    await moveEarlierSums(requestDays, new AbortController().signal)
    expect(await read(database, {})).toMatchObject({ requests: 4 })
    // A row has the number of the transaction that wrote it.
    const { rows } = await text`select distinct xmin::text from request_hours`.execute(requestDays.of(dayOf(noon)))
    expect(rows).toHaveLength(4)
  })
})
