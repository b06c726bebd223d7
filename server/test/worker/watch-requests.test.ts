// Alerts on requests: each begins once when what it measures is above its value, lasts, and ends once; on both databases.
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import type { AlertMeasure, RequestAlert } from '../../src/domain/requests/request-alert.ts'
import type { RequestRecord } from '../../src/domain/requests/request-record.ts'
import { createProcessStore } from '../../src/kv/process/store.ts'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { parseOutboundAllow } from '../../src/outbound/policy.ts'
import { listAlerts, putAlerts } from '../../src/storage/request-log/alert-rows.ts'
import { addFeedback } from '../../src/storage/request-log/change-requests.ts'
import { createRequestWriter } from '../../src/storage/request-log/write-requests.ts'
import { listTenantEvents } from '../../src/storage/webhooks/tenant-events.ts'
import { watchRequests } from '../../src/worker/request-log/watch-requests.ts'
import { createMemoryLog } from '../kv/stores.ts'
import { openDistributed, openMigrated, sampleRows } from '../storage/fixtures.ts'
import { noon, recordAt } from '../storage/request-log/samples.ts'
import { createDatabase } from '../support/postgres.ts'

const minuteMs = 60_000
const [{ id: projectId, tenant_id: tenantId }] = sampleRows.projects

const alertOn = (on: AlertMeasure, over: number, more: Partial<RequestAlert> = {}): RequestAlert => ({
  name: on,
  on,
  over,
  window_minutes: 10,
  for: {},
  ...more,
})

describe.each(['sqlite', 'postgres'])('on %s', backend => {
  async function open() {
    const database =
      backend === 'sqlite' ? await openMigrated() : await openDistributed(await createDatabase(inject('postgresUrl')))
    const { sql, requestDays } = database
    await sql.insertInto('tenants').values(sampleRows.tenants[0]).execute()
    await sql
      .insertInto('projects')
      .values({ ...sampleRows.projects[0], deleted_at: null })
      .execute()
    const { log } = createMemoryLog()
    const kv = createProcessStore({ now: Date.now, log })
    const outbound = createOutbound({ allow: parseOutboundAllow(undefined), log })
    onTestFinished(async () => {
      await Promise.all([outbound.close(), kv.close()])
    })
    const writer = createRequestWriter(requestDays)
    return {
      sql,
      requestDays,
      write: (...rows: Partial<RequestRecord>[]) =>
        writer.write(rows.map((row, at) => recordAt(noon - 1_000 + at, { projectId, ...row }))),
      run: (now: number) =>
        watchRequests(requestDays).run({ sql, kv, outbound, now: () => now, log }, new AbortController().signal),
      states: async () =>
        (await listTenantEvents(sql, { tenantId, type: 'request_alert' }, { after: null, limit: 99 }))
          .map(({ data }) => JSON.parse(data) as { state: string; on: string; value: number })
          .reverse(),
    }
  }

  test('begins once, lasts, and ends once', async () => {
    const { sql, write, run, states } = await open()
    await putAlerts(sql, projectId, [alertOn('error_rate', 0.4), alertOn('cost_usd', 100)])
    await write({}, { status: 502, errorCode: 'provider_unavailable' })
    for (const after of [0, 1, 2]) await run(noon + after * minuteMs)
    const began = { state: 'began', on: 'error_rate', over: 0.4, value: 0.5, window_minutes: 10 }
    expect(await states()).toEqual([began])
    expect((await listAlerts(sql, projectId)).map(({ beganAt }) => beganAt)).toEqual([noon, null])
    for (const after of [11, 12]) await run(noon + after * minuteMs)
    expect(await states()).toEqual([began, { ...began, state: 'ended', value: 0 }])
  })

  test('two replicas that notice the same record it once', async () => {
    const { sql, write, run, states } = await open()
    await putAlerts(sql, projectId, [alertOn('requests', 1)])
    await write({}, {})
    await Promise.all([run(noon), run(noon)])
    expect(await states()).toHaveLength(1)
  })

  test('one that is replaced without a change lasts; one that changed begins anew', async () => {
    const { sql, write, run, states } = await open()
    const kept = alertOn('requests', 1)
    await putAlerts(sql, projectId, [kept])
    await write({}, {})
    await run(noon)
    await putAlerts(sql, projectId, [alertOn('cost_usd', 5), kept])
    await run(noon)
    expect(await states()).toHaveLength(1)
    await putAlerts(sql, projectId, [{ ...kept, over: 0 }])
    await run(noon)
    expect(await states()).toHaveLength(2)
  })

  test.each<[AlertMeasure, number, Partial<RequestRecord>]>([
    ['p95_latency_ms', 5_000, { latencyMs: 9_000 }],
    ['first_token_ms', 500, { firstTokenMs: 800 }],
    ['cost_usd', 1, { cost: 2_000_000_000 }],
    ['requests', 0, {}],
    ['guardrail_blocks', 0, { guardrails: [{ type: 'pii_block', action: 'blocked', source: null }] }],
    ['feedback', 0, {}],
  ])('measures %s', async (on, over, row) => {
    const { sql, requestDays, write, run, states } = await open()
    const ofTier = { name: 'gold', for: { tier: 'gold' } }
    await putAlerts(sql, projectId, [alertOn(on, over), alertOn(on, over, ofTier)])
    const judged = recordAt(noon - 500, { projectId, userId: 'ada' })
    if (on === 'feedback') {
      await write(judged)
      await addFeedback(requestDays, { projectId, userId: 'ada', requestId: judged.id, score: -1, comment: null })
    } else {
      await write(row)
    }
    await run(noon)
    expect(await states()).toMatchObject([{ state: 'began', on }])
  })
})
