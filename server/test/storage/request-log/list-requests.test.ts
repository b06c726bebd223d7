// Lists, filters and sums of the request log, over several days, on both databases.
import { describe, expect, inject, test } from 'vitest'
import { everyRequestOf, type RequestFilter } from '../../../src/domain/requests/request-filter.ts'
import { addFeedback } from '../../../src/storage/request-log/change-requests.ts'
import { findRequest, listRequests } from '../../../src/storage/request-log/list-requests.ts'
import { sumRequests } from '../../../src/storage/request-log/request-stats.ts'
import { createRequestWriter } from '../../../src/storage/request-log/write-requests.ts'
import { createDatabase } from '../../support/postgres.ts'
import { openDistributed, openMigrated } from '../fixtures.ts'
import { noon, otherProject, project, recordAt } from './samples.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000

const everything = everyRequestOf(project)

describe.each(['sqlite', 'postgres'])('on %s', backend => {
  async function open() {
    const { requestDays } =
      backend === 'sqlite' ? await openMigrated() : await openDistributed(await createDatabase(inject('postgresUrl')))
    const writer = createRequestWriter(requestDays)
    return { days: requestDays, write: writer.write }
  }

  test('pages go from the newest row to the oldest, over days, each row once, of one project', async () => {
    const { days, write } = await open()
    const rows = Array.from({ length: 25 }, (_none, at) => recordAt(noon + at * (dayMs / 10)))
    await write([...rows, recordAt(noon, { projectId: otherProject })])
    const found: string[] = []
    let after: string | null = null
    let pages = 0
    do {
      const page = await listRequests(days, everything, { after, limit: 10 })
      found.push(...page.rows.map(({ id }) => id))
      after = page.next
      pages++
    } while (after !== null && pages < 9)
    expect(found).toEqual(rows.map(({ id }) => id).reverse())
  })

  const failed = { status: 429, errorCode: 'rate_limited', provider: null } as const
  const samples = {
    plain: {},
    failed,
    slow: { latencyMs: 9_000 },
    dear: { cost: 2_000_000_000 },
    other: { userId: 'bob', tier: 'gold', threadId: 't-1', endpoint: 'responses', model: 'anthropic/claude' },
    prompted: { promptName: 'tutor', promptVersion: 3 },
    guarded: { guardrails: [{ type: 'pii.masked', action: 'masked', source: null }] as never },
  }

  test.each<[keyof typeof samples, Partial<RequestFilter>]>([
    ['failed', { status: { exactly: 429 } }],
    ['failed', { status: { hundreds: 4 } }],
    ['failed', { error: 'any' }],
    ['failed', { error: 'rate_limited' }],
    ['slow', { minLatencyMs: 1_000 }],
    ['dear', { minCostNanoUsd: 1_000_000_000 }],
    ['other', { uid: 'bob' }],
    ['other', { tier: 'gold' }],
    ['other', { thread: 't-1' }],
    ['other', { endpoint: 'responses' }],
    ['other', { model: 'anthropic/claude' }],
    ['prompted', { prompt: 'tutor' }],
    ['guarded', { guardrail: 'masked' }],
    ['guarded', { guardrail: 'pii.masked' }],
    ['slow', { feedback: 'negative' }],
    ['slow', { feedback: 'any', uid: 'user-1' }],
  ])('finds %s by %j', async (name, filter) => {
    const { days, write } = await open()
    const rows = Object.entries(samples).map(([sample, changes], at) => ({
      sample,
      row: recordAt(noon + at, changes),
    }))
    await write(rows.map(({ row }) => row))
    const slow = rows.find(({ sample }) => sample === 'slow')?.row.id ?? ''
    const feedback = { projectId: project, userId: 'user-1', requestId: slow, score: -1, comment: 'late' }
    expect(await addFeedback(days, feedback)).toBe(true)
    expect(await addFeedback(days, { ...feedback, userId: 'bob' })).toBe(false)
    const page = await listRequests(days, { ...everything, ...filter }, { after: null, limit: 10 })
    const ids = page.rows.map(({ id }) => rows.find(({ row }) => row.id === id)?.sample)
    expect(ids).toEqual([name])
    expect(page.next).toBeNull()
    for (const bucketMs of [60_000, hourMs, dayMs]) {
      const sums = await sumRequests(days, { ...everything, ...filter }, bucketMs)
      expect(sums.totals.requests).toBe(1)
    }
  })

  test('finds by time, and by the beginning of an id', async () => {
    const { days, write } = await open()
    const [first, second] = [recordAt(noon), recordAt(noon + 60_000)]
    await write([first, second])
    const idsOf = async (filter: Partial<RequestFilter>) =>
      (await listRequests(days, { ...everything, ...filter }, { after: null, limit: 10 })).rows.map(({ id }) => id)
    expect(await idsOf({ from: noon + 1 })).toEqual([second.id])
    expect(await idsOf({ to: noon })).toEqual([first.id])
    expect(await idsOf({ q: second.id.slice(0, 15) })).toEqual([second.id])
    expect((await findRequest(days, project, first.id))?.at).toBe(noon)
    expect(await findRequest(days, otherProject, first.id)).toBeNull()
  })

  test('rows that the settings no longer keep are not shown, by tier', async () => {
    const { days, write } = await open()
    const [old, kept] = [recordAt(noon), recordAt(noon + 1, { tier: 'gold' })]
    await write([old, kept])
    const since = { others: noon + dayMs, tiers: [{ name: 'gold', since: noon - dayMs }] }
    const page = await listRequests(days, { ...everything, kept: since }, { after: null, limit: 10 })
    expect(page.rows.map(({ id }) => id)).toEqual([kept.id])
  })

  test('sums by minute, with percentiles within two percent', async () => {
    const { days, write } = await open()
    await write(Array.from({ length: 1_000 }, (_none, at) => recordAt(noon + at * 100, { latencyMs: at + 1 })))
    const { buckets, totals, completeFrom } = await sumRequests(days, everything, 60_000)
    expect(buckets.map(({ at, requests }) => [at, requests])).toEqual([
      [noon, 600],
      [noon + 60_000, 400],
    ])
    expect(totals).toMatchObject({ requests: 1_000, errors: 0, prompt_tokens: 10_000, cost_nanousd: 1_500_000 })
    for (const [name, exact] of [
      ['p50', 500],
      ['p95', 950],
      ['p99', 990],
    ] as const) {
      const { latency_ms } = totals
      expect(Math.abs((latency_ms?.[name] ?? 0) - exact) / exact).toBeLessThan(0.025)
    }
    expect(completeFrom).toBeNull()
  })

  test('sums by hour are those of all rows, each counted once', async () => {
    const { days, write } = await open()
    const rows = Array.from({ length: 2_000 }, (_none, at) =>
      recordAt(noon - hourMs + at * 5_000, {
        latencyMs: 1 + ((at * 7919) % 1_000),
        model: at % 3 === 0 ? 'openai/gpt-x' : null,
        tier: at % 2 === 0 ? 'gold' : null,
        errorCode: at % 10 === 0 ? 'rate_limited' : null,
      }),
    )
    await write(rows.slice(0, 1_500))
    await write(rows.slice(1_000))
    const hours = await sumRequests(days, everything, hourMs)
    const minutes = await sumRequests(days, everything, 60_000)
    expect(hours.totals).toEqual(minutes.totals)
    expect(hours.totals).toMatchObject({ requests: 2_000, errors: 200 })
    expect(hours.buckets.map(({ at, requests }) => [at, requests])).toEqual([
      [noon - hourMs, 720],
      [noon, 720],
      [noon + hourMs, 560],
    ])
    const since = { others: noon + dayMs, tiers: [{ name: 'gold', since: noon - dayMs }] }
    const ofGold = await sumRequests(days, { ...everything, kept: since, error: 'any', from: noon + 1 }, hourMs)
    expect(ofGold.totals).toMatchObject({ requests: 128, errors: 128 })
  })

  test('sums of a prompt are those of its rows, each counted once, by everything else that can be asked for', async () => {
    const { days, write } = await open()
    const rows = Array.from({ length: 600 }, (_none, at) =>
      recordAt(noon + at * 20_000, {
        promptName: at % 3 === 0 ? null : at % 2 === 0 ? 'tutor' : 'summary',
        promptVersion: at % 3 === 0 ? null : at,
        latencyMs: 1 + ((at * 7919) % 1_000),
        tier: at % 5 === 0 ? 'gold' : null,
      }),
    )
    await write(rows.slice(0, 400))
    await write(rows.slice(200))
    const sumOf = async (filter: Partial<RequestFilter>, bucketMs: number) =>
      (await sumRequests(days, { ...everything, ...filter }, bucketMs)).totals
    for (const filter of [{ prompt: 'tutor' }, { prompt: 'tutor', tier: 'gold' }, { prompt: 'none' }]) {
      expect(await sumOf(filter, hourMs)).toEqual(await sumOf(filter, 60_000))
    }
    expect(await sumOf({ prompt: 'tutor' }, dayMs)).toMatchObject({ requests: 200, cost_nanousd: 300_000 })
    expect(await sumOf({ prompt: 'tutor', tier: 'gold' }, dayMs)).toMatchObject({ requests: 40 })
    expect(await sumOf({}, dayMs)).toMatchObject({ requests: 600 })
  })

  test('sums by hour read no rows', async () => {
    const { days, write } = await open()
    for (let at = 0; at < 11; at++) await write(Array.from({ length: 5_000 }, () => recordAt(noon + at)))
    expect(await sumRequests(days, everything, hourMs)).toMatchObject({
      totals: { requests: 55_000 },
      completeFrom: null,
    })
    const { totals, completeFrom } = await sumRequests(days, everything, 60_000)
    expect(totals.requests).toBe(50_000)
    expect(completeFrom).toBe(noon + 1)
  })
})
