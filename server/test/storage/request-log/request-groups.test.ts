// Requests added up by what they have in common, and the times until their first tokens, on both databases.
import { sql as text } from 'kysely'
import { describe, expect, inject, test } from 'vitest'
import { maxCost } from '../../../src/domain/money.ts'
import { everyRequestOf, type RequestFilter } from '../../../src/domain/requests/request-filter.ts'
import {
  type RequestDimension,
  type RequestOrder,
  requestDimensions,
} from '../../../src/domain/requests/request-groups.ts'
import type { RequestRecord } from '../../../src/domain/requests/request-record.ts'
import { listRequests } from '../../../src/storage/request-log/list-requests.ts'
import { dayOf } from '../../../src/storage/request-log/request-days.ts'
import { groupRequests } from '../../../src/storage/request-log/request-groups.ts'
import { sumRequests } from '../../../src/storage/request-log/request-stats.ts'
import { createRequestWriter } from '../../../src/storage/request-log/write-requests.ts'
import { createDatabase } from '../../support/postgres.ts'
import { openDistributed, openMigrated } from '../fixtures.ts'
import { noon, otherProject, project, recordAt } from './samples.ts'

const hourMs = 3_600_000
const dayMs = 86_400_000
const everything = everyRequestOf(project)

/** 300 requests of two days, in which each dimension has several values, and some requests have none. */
const sampleRows = (): RequestRecord[] =>
  Array.from({ length: 300 }, (_none, at) => {
    const hasFailed = at % 10 === 0
    return recordAt(noon + at * (dayMs / 300), {
      userId: at % 6 === 0 ? null : `user-${at % 6}`,
      tier: at % 2 === 0 ? 'gold' : null,
      endpoint: at % 3 === 0 ? 'responses' : 'chat_completions',
      model: at % 5 === 0 ? null : `openai/model-${at % 4}`,
      modelAsked: at % 5 === 0 && at % 2 === 0 ? 'openai/model-0' : at % 5 === 0 ? null : 'gpt-x',
      provider: at % 5 === 0 ? null : 'openai',
      status: hasFailed ? 429 : 200,
      errorCode: hasFailed ? 'rate_limited' : null,
      promptName: at % 4 === 0 ? 'tutor' : null,
      promptVersion: at % 4 === 0 ? 1 : null,
      threadId: at % 7 === 0 ? 't-1' : null,
      agentSessionId: at % 8 === 0 ? 's-1' : null,
      agentId: at % 16 === 0 ? 'agent-1' : null,
      latencyMs: 10 + at,
      firstTokenMs: hasFailed ? null : 5 + at,
      cost: at * 1_000,
    })
  })

describe.each(['sqlite', 'postgres'])('on %s', backend => {
  async function open() {
    const { requestDays } =
      backend === 'sqlite' ? await openMigrated() : await openDistributed(await createDatabase(inject('postgresUrl')))
    const { write } = createRequestWriter(requestDays)
    return { days: requestDays, write }
  }

  const groupsOf = (
    { days }: Awaited<ReturnType<typeof open>>,
    by: RequestDimension,
    filter: Partial<RequestFilter> = {},
    { order = 'requests', limit = 50 }: { order?: RequestOrder; limit?: number } = {},
  ) => groupRequests(days, { ...everything, ...filter }, { by, order, limit })

  test('each dimension counts every request once, as its filter finds them', async () => {
    const log = await open()
    await log.write([...sampleRows(), recordAt(noon, { projectId: otherProject, userId: 'stranger' })])
    for (const by of requestDimensions) {
      // The second filter is one that the sums of hours do not have.
      for (const filter of [{}, { minLatencyMs: 0 }]) {
        const { groups, others, totals, completeFrom } = await groupsOf(log, by, filter)
        expect([by, others, completeFrom]).toEqual([by, null, null])
        expect([by, groups.length > 1 || by === 'prompt']).toEqual([by, true])
        expect([by, totals.requests]).toEqual([by, by === 'prompt' ? 75 : 300])
        expect(groups.reduce((sum, { requests }) => sum + requests, 0)).toBe(totals.requests)
        for (const { value, requests, cost_nanousd } of groups) {
          if (value === null) continue
          const asked = {
            ...everything,
            [by === 'agent_session' ? 'agentSession' : by]: by === 'status' ? { exactly: Number(value) } : value,
          }
          const { rows } = await listRequests(log.days, asked, { after: null, limit: 300 })
          // The filter by model also finds requests that asked for it and got another one.
          const found = by === 'model' ? rows.filter(({ model }) => model === null || model === value) : rows
          expect([by, value, requests]).toEqual([by, value, found.length])
          expect(cost_nanousd).toBe(found.reduce((sum, row) => sum + Number(row.cost_nanousd), 0))
        }
      }
    }
  })

  test('the first groups are those with the most of the order, all others are one', async () => {
    const log = await open()
    await log.write([
      ...Array.from({ length: 5 }, (_none, at) => recordAt(noon + at, { userId: 'many' })),
      recordAt(noon + 10, { userId: 'dear', cost: 9_000_000 }),
      recordAt(noon + 11, { userId: 'wordy', completionTokens: 900 }),
      recordAt(noon + 12, { userId: 'unlucky', errorCode: 'timeout', status: 504, cost: 0 }),
    ])
    const orders = { requests: 'many', cost_usd: 'dear', tokens: 'wordy', errors: 'unlucky' } as const
    for (const [order, uid] of Object.entries(orders)) {
      const asked = { order: order as RequestOrder, limit: 1 }
      const { groups, others, totals } = await groupsOf(log, 'uid', {}, asked)
      expect([order, groups.map(({ value }) => value)]).toEqual([order, [uid]])
      expect((groups[0]?.requests ?? 0) + (others?.requests ?? 0)).toBe(8)
      expect(totals.requests).toBe(8)
    }
    const ofErrors = await groupsOf(log, 'error', {}, { order: 'errors' })
    expect(ofErrors.groups.map(({ value, errors }) => [value, errors])).toEqual([
      ['timeout', 1],
      [null, 0],
    ])
    expect(await groupsOf(log, 'tier', { tier: 'none' })).toMatchObject({ groups: [], others: null })
  })

  test('first tokens have percentiles within two percent, from sums and from rows, of all that have one', async () => {
    const log = await open()
    await log.write(
      Array.from({ length: 1_000 }, (_none, at) =>
        recordAt(noon + at * 100, {
          firstTokenMs: at % 2 === 0 ? at / 2 + 1 : null,
          promptName: at < 500 ? 'tutor' : null,
        }),
      ),
    )
    for (const bucketMs of [60_000, hourMs]) {
      const { totals } = await sumRequests(log.days, everything, bucketMs)
      for (const [name, exact] of [
        ['p50', 250],
        ['p95', 475],
        ['p99', 495],
      ] as const) {
        expect(Math.abs((totals.first_token_ms?.[name] ?? 0) - exact) / exact).toBeLessThan(0.025)
      }
      const ofPrompt = (await sumRequests(log.days, { ...everything, prompt: 'tutor' }, bucketMs)).totals
      expect(Math.abs((ofPrompt.first_token_ms?.p99 ?? 0) - 248) / 248).toBeLessThan(0.025)
      const ofNone = await sumRequests(log.days, { ...everything, endpoint: 'none' }, bucketMs)
      expect(ofNone.totals.first_token_ms).toBeNull()
    }
    const { groups } = await groupsOf(log, 'prompt')
    expect(groups).toMatchObject([{ value: 'tutor', requests: 500, first_token_ms: { p50: expect.any(Number) } }])
  })

  test('costs that add up to more than a number holds exactly are shown', async () => {
    const log = await open()
    await log.write(Array.from({ length: 1_500 }, (_none, at) => recordAt(noon + at, { cost: maxCost })))
    for (const bucketMs of [60_000, hourMs]) {
      const { totals } = await sumRequests(log.days, everything, bucketMs)
      expect(totals).toMatchObject({ requests: 1_500, cost_nanousd: 1_500 * maxCost })
    }
    expect(await groupsOf(log, 'model')).toMatchObject({ groups: [{ cost_nanousd: 1_500 * maxCost }] })
    // The greatest whole number of both databases, in one sum beside another.
    await text`update request_hours set cost_nanousd = 9223372036854775807`.execute(log.days.of(dayOf(noon)))
    for (const model of ['acme/gpt', 'openai/gpt-x'])
      await log.write([recordAt(noon + 2_000, { model, cost: maxCost })])
    const { totals } = await sumRequests(log.days, everything, hourMs)
    expect(totals).toMatchObject({ requests: 1_502, cost_nanousd: expect.any(Number) })
  })

  test('by end user, the newest rows are read, and the answer says since when', async () => {
    const log = await open()
    for (let at = 0; at < 11; at++) {
      const rows = Array.from({ length: 5_000 }, (_none, index) => recordAt(noon + at, { userId: `user-${index % 9}` }))
      await log.write(rows)
    }
    const ofUsers = await groupsOf(log, 'uid')
    expect([ofUsers.totals.requests, ofUsers.completeFrom]).toEqual([50_000, noon + 1])
    const ofModels = await groupsOf(log, 'model')
    expect([ofModels.totals.requests, ofModels.completeFrom]).toEqual([55_000, null])
  })
})
