// Jobs whose claim or whose reason is over before their work is: what they may still write, on either database. The
// driver is the one that makes no names, held at a gate so that the order is the test's.
import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import { afterAll, expect, inject, onTestFinished, test } from 'vitest'
import { createDnsDriver } from '../../src/dns/create-driver.ts'
import type { DnsDriver } from '../../src/dns/driver.ts'
import { createProcessStore } from '../../src/kv/process/store.ts'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { parseOutboundAllow } from '../../src/outbound/policy.ts'
import { claimDnsJobs, enqueueDnsJob, holdDnsJob, releaseDnsJob } from '../../src/storage/dns-jobs.ts'
import type { Schema } from '../../src/storage/schema.ts'
import { transact } from '../../src/storage/transact.ts'
import { startWorker } from '../../src/worker/loop.ts'
import { provisionHosts } from '../../src/worker/provision-hosts.ts'
import { createMemoryLog } from '../kv/stores.ts'
import { openDistributed, openMigrated } from '../storage/fixtures.ts'
import { createDatabase } from '../support/postgres.ts'

type Sql = Kysely<Schema>

const outbound = createOutbound({ allow: parseOutboundAllow(undefined), log: createMemoryLog().log })
afterAll(() => outbound.close())

const open = {
  sqlite: async () => (await openMigrated()).sql,
  postgres: async () => (await openDistributed(await createDatabase(inject('postgresUrl')))).sql,
}
const databases = ['sqlite', 'postgres'] as const
const domains = { publicDomain: 'gate.test', internalDomain: 'dev.gate.test' }
const patience = { timeout: 60_000, interval: 20 }

/** A copy whose first registration waits until it is let go, and then ends as `outcome` does. */
function startHeldCopy(sql: Sql, { now = Date.now, outcome = () => Promise.resolve() } = {}) {
  const real = createDnsDriver({ provider: 'none' }, { outbound, now })
  const { log, lines } = createMemoryLog()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let held = 0
  const driver: DnsDriver = {
    async register(hosts, signal) {
      held++
      await released
      await outcome()
      await real.register(hosts, signal)
    },
    remove: real.remove,
  }
  const job = provisionHosts({ driver, madeFor: null, ...domains, randomId: randomUUID })
  const kv = createProcessStore({ now, log })
  const worker = startWorker([job], { sql, kv, outbound, now, log }, { holder: randomUUID() })
  onTestFinished(async () => {
    release()
    await worker.stop()
  })
  return {
    release,
    holds: () => expect.poll(() => held, patience).toBe(1),
    says: (event: string) => expect.poll(() => lines.map(line => line.event), patience).toContain(event),
  }
}

async function makeProject(sql: Sql): Promise<string> {
  const [tenantId, id] = [randomUUID(), randomUUID()]
  const tenant = { id: tenantId, name: 'Tenant', plan: 'pro' as const, provider_keys_revision: 0, created_at: 1 }
  await sql.insertInto('tenants').values(tenant).execute()
  const dns = { dns_status: 'PENDING' as const, dns_last_error: null, dns_updated_at: null }
  const project = { id, tenant_id: tenantId, name: 'Project', slug: `p-${id}`, status: 'active' as const, ...dns }
  await transact(sql, async trx => {
    await trx
      .insertInto('projects')
      .values({ ...project, created_at: 1 })
      .execute()
    await enqueueDnsJob(trx, id, Date.now())
  })
  return id
}

const untouched = { dns_status: 'PENDING', dns_last_error: null, dns_updated_at: null }
const statusOf = (sql: Sql, id: string) =>
  sql
    .selectFrom('projects')
    .select(['dns_status', 'dns_last_error', 'dns_updated_at'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
const jobOf = (sql: Sql, id: string) =>
  sql.selectFrom('dns_jobs').select(['claim', 'revision']).where('project_id', '=', id).executeTakeFirst()

test.each(databases)(
  'on %s: a copy whose claim another has by now ends no job and notes no outcome',
  async database => {
    const sql = await open[database]()
    const late = startHeldCopy(sql)
    const id = await makeProject(sql)
    await late.holds()
    // The clock of this one says that the first claim has long been over.
    const successor = startHeldCopy(sql, { now: () => Date.now() + 120_000 })
    await successor.holds()
    const claimed = await jobOf(sql, id)
    late.release()
    await late.says('project hosts registered')
    expect(await statusOf(sql, id)).toEqual(untouched)
    // Its work may have undone the successor's: there is one more run, which the successor's claim does not end.
    expect(await jobOf(sql, id)).toEqual({ claim: claimed?.claim, revision: Number(claimed?.revision) + 1 })
    successor.release()
    await expect.poll(() => jobOf(sql, id), patience).toBeUndefined()
    expect(await statusOf(sql, id)).toMatchObject({ dns_status: 'READY' })
  },
)

test.each(databases)('on %s: a claim that another has by now is neither kept nor given back', async database => {
  const sql = await open[database]()
  const id = await makeProject(sql)
  const time = Date.now()
  const claimAt = async (claim: string, at: number) => {
    const [job] = await claimDnsJobs(sql, { claim, time: at, claimMs: 1_000, limit: 1 })
    return job ?? expect.fail(`nothing to claim for ${claim}`)
  }
  const late = await claimAt('late', time)
  const successor = await claimAt('successor', time + 1_000)
  const row = () => sql.selectFrom('dns_jobs').selectAll().where('project_id', '=', id).executeTakeFirstOrThrow()
  const claimed = await row()
  expect(claimed.claim).toBe('successor')
  expect(await holdDnsJob(sql, { ...late, tries: 7 }, time + 60_000)).toBe(false)
  await releaseDnsJob(sql, { ...late, tries: 7 }, time + 60_000)
  expect(await row()).toEqual(claimed)
  expect(await holdDnsJob(sql, successor, time + 60_000)).toBe(true)
  await transact(sql, trx => enqueueDnsJob(trx, id, time))
  expect(await holdDnsJob(sql, successor, time + 90_000)).toBe(false)
})

test.each(
  databases.flatMap(
    database =>
      [
        [database, 'works', () => Promise.resolve()],
        [
          database,
          'fails',
          async () => {
            throw new TypeError('not this time')
          },
        ],
      ] as const,
  ),
)('on %s: a registration that %s after the suspension changes no dns_status', async (database, _how, outcome) => {
  const sql = await open[database]()
  const copy = startHeldCopy(sql, { outcome })
  const id = await makeProject(sql)
  await copy.holds()
  await transact(sql, async trx => {
    await trx.updateTable('projects').set({ status: 'suspended' }).where('id', '=', id).execute()
    await enqueueDnsJob(trx, id, Date.now())
  })
  copy.release()
  await copy.says('project hosts removed')
  await expect.poll(() => jobOf(sql, id), patience).toBeUndefined()
  expect(await statusOf(sql, id)).toEqual(untouched)
})
