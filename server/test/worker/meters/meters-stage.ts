// What the tests of meters start from: a database with tenants, a meter and usage rows, workers with a manual clock, and
// what a receiver got, by the id of the event.
import { randomBytes, randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import { inject, onTestFinished } from 'vitest'
import { meterSecretContext } from '../../../src/crypto/secrets/meter-secret.ts'
import { createSecretBox, type SecretBox } from '../../../src/crypto/secrets/secret-box.ts'
import { createProcessStore } from '../../../src/kv/process/store.ts'
import { createOutbound } from '../../../src/outbound/outbound.ts'
import { parseOutboundAllow } from '../../../src/outbound/policy.ts'
import { addUsageRows, type UsageRow } from '../../../src/storage/add-usage-rows.ts'
import { insertMeter } from '../../../src/storage/meters/meter-rows.ts'
import type { Schema } from '../../../src/storage/schema.ts'
import { transact } from '../../../src/storage/transact.ts'
import { deleteMeterEvents, queueMeterEvents } from '../../../src/worker/meters/queue-meter-events.ts'
import { type MeterSending, sendMeterEvents } from '../../../src/worker/meters/send-meter-events.ts'
import { createHandClock, createMemoryLog } from '../../kv/stores.ts'
import { openDistributed, openMigrated, sampleRows } from '../../storage/fixtures.ts'
import { createDatabase } from '../../support/postgres.ts'
import type { Received } from '../webhooks/deliver-webhooks-stage.ts'

export const minute = 60_000
export const bearer = 'om_0123456789abcdef'

export type CloudEvent = Record<'id' | 'type' | 'source' | 'subject' | 'time' | 'specversion', string> & {
  data: Record<string, unknown> & { value: string }
}

export const eventsIn = (received: readonly Received[]) =>
  received.flatMap(({ body }) => JSON.parse(body) as CloudEvent[])

/** Each event once, by its id. */
export const byId = (events: readonly CloudEvent[]) => new Map(events.map(event => [event.id, event]))

export interface NewMeter {
  url: string
  format?: 'cloudevents' | 'stripe'
  secret?: string
  value?: 'cost_usd' | 'total_tokens' | 'requests'
  subject?: 'uid' | 'tier' | 'project'
  at: number
}

export async function addMeter(
  sql: Kysely<Schema>,
  secretBox: Pick<SecretBox, 'seal'>,
  tenantId: string,
  wanted: NewMeter,
) {
  const { url, format = 'cloudevents', secret = bearer, value = 'cost_usd', subject = 'uid', at } = wanted
  const id = randomUUID()
  const ciphertext = secretBox.seal(secret, meterSecretContext({ tenantId, meterId: id, format, url }))
  const settings = { format, url, ciphertext, signs: 0 as const, event_name: 'sallyport.usage', value, subject }
  await transact(sql, trx => insertMeter(trx, id, tenantId, { ...settings, updated_at: at }))
  return id
}

export async function addTenant(sql: Kysely<Schema>): Promise<{ tenantId: string; projectId: string; slug: string }> {
  const [tenantId, projectId] = [randomUUID(), randomUUID()]
  const slug = `slug-${projectId}`
  const [tenant, project] = [sampleRows.tenants[1], sampleRows.projects[1]]
  await sql
    .insertInto('tenants')
    .values({ ...tenant, id: tenantId })
    .execute()
  await sql
    .insertInto('projects')
    .values({ ...project, id: projectId, tenant_id: tenantId, slug, deleted_at: null })
    .execute()
  return { tenantId, projectId, slug }
}

export function usageRow(
  place: { tenantId: string; projectId: string },
  at: number,
  more: Partial<UsageRow> = {},
): UsageRow {
  return {
    ...sampleRows.usage_records[0],
    request_id: randomUUID(),
    tenant_id: place.tenantId,
    project_id: place.projectId,
    user_id: 'user-1',
    cost_nanousd: 12_500,
    created_at: at,
    budget_day: null,
    platform_day: null,
    platform_nanousd: null,
    ...more,
  }
}

const postgresUrl = inject('postgresUrl')

export async function openStage(backend: string) {
  const isSqlite = backend === 'SQLite'
  const url = isSqlite ? '' : await createDatabase(postgresUrl)
  const { sql } = isSqlite ? await openMigrated() : await openDistributed(url)
  const second = isSqlite ? sql : (await openDistributed(url)).sql
  const clock = createHandClock(Date.UTC(2026, 4, 1))
  const { log, lines } = createMemoryLog()
  const secretBox = createSecretBox({ current: randomBytes(32), previous: [] })
  const outbound = createOutbound({ allow: parseOutboundAllow('127.0.0.1'), log })
  const kv = createProcessStore({ now: clock.now, log })
  onTestFinished(async () => {
    await Promise.all([outbound.close(), kv.close()])
  })
  const counts = { sent: 0, retried: 0, rejected: 0, dropped: 0 }
  const metrics: MeterSending['metrics'] = {
    meterEvents(outcome, events) {
      counts[outcome] += events
    },
  }
  const dependencies = { sql, kv, outbound, now: clock.now, log }
  const place = await addTenant(sql)

  function startSender({ isSecond }: { isSecond?: true } = {}) {
    const job = sendMeterEvents({ secretBox, randomId: randomUUID, metrics, pollMs: 5 })
    const ending = new AbortController()
    const running = job.run({ ...dependencies, sql: isSecond ? second : sql }, ending.signal)
    const stop = async () => {
      ending.abort()
      await running
    }
    onTestFinished(stop)
    return { stop }
  }

  return {
    sql,
    second,
    clock,
    lines,
    secretBox,
    counts,
    place,
    startSender,
    queue: () => queueMeterEvents.run(dependencies, new AbortController().signal),
    tidy: () => deleteMeterEvents(metrics).run(dependencies, new AbortController().signal),
    addMeter: (wanted: Omit<NewMeter, 'at'>) =>
      addMeter(sql, secretBox, place.tenantId, { ...wanted, at: clock.now() }),
    /** Rows of requests that were settled at that time, written now. */
    async addRows(count: number, at: number, more: Partial<UsageRow> = {}) {
      const rows = Array.from({ length: count }, () => usageRow(place, at, more))
      await addUsageRows({ sql, now: clock.now }, rows)
      return rows
    },
    ...readersOf(sql),
  }
}

const readersOf = (sql: Kysely<Schema>) => ({
  events: (meterId: string) =>
    sql
      .selectFrom('meter_events')
      .select(['request_id', 'state', 'attempts', 'due_at'])
      .where('meter_id', '=', meterId)
      .orderBy('due_at')
      .orderBy('request_id')
      .execute(),
  meter: (id: string) => sql.selectFrom('meters').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
})
