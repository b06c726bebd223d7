// The job that provisions, against a real BIND: several copies at once, copies that freeze or stop in the middle,
// servers that never answer, and what an earlier version left behind.
import { randomInt, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest'
import { createDnsDriver, type DnsSettings, describeNames } from '../../src/dns/create-driver.ts'
import type { DnsDriver } from '../../src/dns/driver.ts'
import { createProcessStore } from '../../src/kv/process/store.ts'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { parseOutboundAllow } from '../../src/outbound/policy.ts'
import { claimDnsJobs, enqueueDnsJob } from '../../src/storage/dns-jobs.ts'
import { allMigrations } from '../../src/storage/migrations/all-migrations.ts'
import type { Schema } from '../../src/storage/schema.ts'
import { transact } from '../../src/storage/transact.ts'
import { startWorker, type Worker } from '../../src/worker/loop.ts'
import { provisionHosts } from '../../src/worker/provision-hosts.ts'
import { createMemoryLog } from '../kv/stores.ts'
import { openDistributed, openEmbedded, openMigrated, temporaryFolder } from '../storage/fixtures.ts'
import { createDatabase } from '../support/postgres.ts'
import { type BindServer, startBind } from '../support/simulated/name-server.ts'
import { roomFor } from '../support/slowness.ts'

type Sql = Kysely<Schema>

const zone = 'gate.test'
const { log, lines } = createMemoryLog()
const outbound = createOutbound({ allow: parseOutboundAllow(undefined), log })
let bind: BindServer

beforeAll(async () => {
  bind = await startBind({ zones: { [zone]: 'allow-update { 127.0.0.1; };' } })
})
afterAll(async () => {
  await bind.stop()
  await outbound.close()
})

const rfc2136 = (port = bind.port, target = '192.0.2.1'): DnsSettings => ({
  provider: 'rfc2136',
  target: { type: 'A', target },
  server: { host: '127.0.0.1', port },
  zone,
  key: null,
})
const driverOf = (settings: DnsSettings = rfc2136()): DnsDriver =>
  createDnsDriver(settings, { outbound, now: Date.now })

const usual = { publicDomain: zone, internalDomain: `dev.${zone}` }

function startCopy(sql: Sql, driver: DnsDriver, now = Date.now, settings = rfc2136(), domains = usual): Worker {
  const job = provisionHosts({ driver, madeFor: describeNames(settings, domains), ...domains, randomId: randomUUID })
  const kv = createProcessStore({ now, log })
  const worker = startWorker([job], { sql, kv, outbound, now, log }, { holder: randomUUID() })
  onTestFinished(() => worker.stop())
  return worker
}

/** As the management plane makes them. */
async function makeProjects(sql: Sql, count: number): Promise<{ id: string; slug: string }[]> {
  const tenantId = randomUUID()
  const tenant = { id: tenantId, name: 'Tenant', plan: 'pro' as const, provider_keys_revision: 0, created_at: 1 }
  await sql.insertInto('tenants').values(tenant).execute()
  const projects = Array.from({ length: count }, () => {
    const id = randomUUID()
    return { id, slug: `p-${id}` }
  })
  for (const project of projects) {
    await transact(sql, async trx => {
      const dns = { dns_status: 'PENDING' as const, dns_last_error: null, dns_updated_at: null }
      const named = { ...project, ...dns, tenant_id: tenantId, name: 'Project', status: 'active' as const }
      await trx
        .insertInto('projects')
        .values({ ...named, created_at: Date.now() })
        .execute()
      await enqueueDnsJob(trx, project.id, Date.now())
    })
  }
  return projects
}

async function suspend(sql: Sql, id: string): Promise<void> {
  await transact(sql, async trx => {
    await trx.updateTable('projects').set({ status: 'suspended' }).where('id', '=', id).execute()
    await enqueueDnsJob(trx, id, Date.now())
  })
}

const addressesOf = async ({ slug }: { slug: string }) => [
  ...(await bind.ask(`${slug}.${zone}`, 'A')),
  ...(await bind.ask(`${slug}.dev.${zone}`, 'A')),
]
const both = ['192.0.2.1', '192.0.2.1']
const jobsLeft = async (sql: Sql) => (await sql.selectFrom('dns_jobs').select('project_id').execute()).length
const rowOf = (sql: Sql, id: string) =>
  sql
    .selectFrom('projects')
    .select(['dns_status', 'dns_last_error', 'dns_updated_at'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
/** What a machine that others load too may take of it. */
const until = (calmMs: number) => ({ timeout: roomFor(5 * calmMs), interval: 50 })

test('three copies, suspended in the middle: nobody is at a project that another is at, and the last word holds', async () => {
  const databaseUrl = await createDatabase(inject('postgresUrl'))
  const pools = await Promise.all([1, 2, 3].map(() => openDistributed(databaseUrl)))
  const { sql } = pools[0]!
  const real = driverOf()
  const busy = new Set<string>()
  let overlaps = 0
  let registrations = 0
  const watch = (call: DnsDriver['register']): DnsDriver['register'] => {
    return async (hosts, signal) => {
      if (busy.has(hosts.public)) overlaps++
      busy.add(hosts.public)
      // Before and after, so that a suspension falls into every part of it.
      await sleep(randomInt(150))
      await call(hosts, signal)
      await sleep(randomInt(150))
      busy.delete(hosts.public)
    }
  }
  const register = watch(real.register)
  const driver: DnsDriver = {
    register: (hosts, signal) => {
      registrations++
      return register(hosts, signal)
    },
    remove: watch(real.remove),
  }
  for (const pool of pools) startCopy(pool.sql, driver)
  const projects = await makeProjects(sql, inject('prove') ? 400 : 60)
  const suspended = projects.filter((_, index) => index % 2 === 0)
  await Promise.all(
    suspended.map(async ({ id }) => {
      await sleep(randomInt(1_500))
      await suspend(sql, id)
    }),
  )
  await expect.poll(() => jobsLeft(sql), until(60_000)).toBe(0)
  for (const project of projects) {
    const isSuspended = suspended.includes(project)
    expect(await addressesOf(project)).toEqual(isSuspended ? [] : both)
    const { dns_status } = await rowOf(sql, project.id)
    if (!isSuspended) expect(dns_status).toBe('READY')
    else expect(['READY', 'PENDING']).toContain(dns_status)
  }
  expect(overlaps).toBe(0)
  expect(registrations).toBeLessThanOrEqual(projects.length)
})

test('copies that ask at the same moment never get the same row', async () => {
  const databaseUrl = await createDatabase(inject('postgresUrl'))
  const pools = await Promise.all([1, 2, 3].map(() => openDistributed(databaseUrl)))
  const projects = await makeProjects(pools[0]!.sql, 30)
  for (let round = 0; round < 20; round++) {
    // Each round comes after the claims of the one before are over.
    const time = Date.now() + round * 10_000
    const claims = await Promise.all(
      [...pools, ...pools].map(({ sql }) =>
        claimDnsJobs(sql, { claim: randomUUID(), time, claimMs: 5_000, limit: projects.length }),
      ),
    )
    const claimed = claims.flat().map(job => job.projectId)
    expect(claimed.toSorted()).toEqual(projects.map(({ id }) => id).toSorted())
  }
})

test('a copy that was frozen until its claim was over undoes nothing for good', async () => {
  const { sql } = await openMigrated()
  let removals = 0
  const { register, remove } = driverOf()
  const real: DnsDriver = {
    register,
    remove: (hosts, signal) => {
      removals++
      return remove(hosts, signal)
    },
  }
  const { promise: thawed, resolve: thaw } = Promise.withResolvers<void>()
  let isFrozen = false
  startCopy(sql, {
    ...real,
    async register(hosts) {
      isFrozen = true
      await thawed
      // No time is over for somebody who was frozen.
      await real.register(hosts, AbortSignal.timeout(5_000))
    },
  })
  const [project] = await makeProjects(sql, 1)
  await expect.poll(() => isFrozen, until(20_000)).toBe(true)
  // The clock of this one says that the claim has long been over.
  startCopy(sql, real, () => Date.now() + 120_000)
  await expect.poll(async () => (await rowOf(sql, project!.id)).dns_status, until(20_000)).toBe('READY')
  await suspend(sql, project!.id)
  await expect.poll(() => jobsLeft(sql), until(20_000)).toBe(0)
  expect(await addressesOf(project!)).toEqual([])
  const removalsBefore = removals
  thaw()
  // The job comes back for at least one more run, however short it stays.
  await expect.poll(() => removals, until(20_000)).toBeGreaterThan(removalsBefore)
  await expect.poll(() => jobsLeft(sql), until(20_000)).toBe(0)
  expect(await addressesOf(project!)).toEqual([])
})

test('a copy that is told to stop gives back what it is at, for the next to take at once', async () => {
  const { sql } = await openMigrated()
  const first = startCopy(sql, driverOf(rfc2136(await silentPort())))
  const [project, gone] = await makeProjects(sql, 2)
  await suspend(sql, gone!.id)
  const claimed = () => sql.selectFrom('dns_jobs').select('claim').where('claim', 'is not', null).execute()
  await expect.poll(claimed, until(20_000)).toHaveLength(2)
  const stoppedAt = performance.now()
  await first.stop()
  expect(performance.now() - stoppedAt).toBeLessThan(roomFor(3_000))
  expect(await claimed()).toEqual([])
  expect(await rowOf(sql, project!.id)).toMatchObject({ dns_status: 'PENDING', dns_last_error: null })
  startCopy(sql, driverOf())
  await expect.poll(() => jobsLeft(sql), until(8_000)).toBe(0)
  expect(await addressesOf(project!)).toEqual(both)
})

test('FAILED within 30 seconds of the first try, whatever is wrong, with what is wrong in words', async () => {
  const { sql } = await openMigrated()
  const silent = driverOf(rfc2136(await silentPort()))
  const outside = driverOf({ ...rfc2136(), zone: 'other.test' } as DnsSettings)
  const [hung, strange, broken] = await makeProjects(sql, 3)
  const triedAt = new Map<string, number>()
  const driver: DnsDriver = {
    async register(hosts, signal) {
      const id = hosts.public.slice(2, -zone.length - 1)
      if (!triedAt.has(id)) triedAt.set(id, performance.now())
      if (id === broken!.id) throw new TypeError('undefined is not a driver')
      await (id === hung!.id ? silent : outside).register(hosts, signal)
    },
    remove: silent.remove,
  }
  startCopy(sql, driver)
  const waitFor = async (id: string) => {
    await expect.poll(async () => (await rowOf(sql, id)).dns_status, until(60_000)).toBe('FAILED')
    const failedMs = performance.now() - (triedAt.get(id) ?? 0)
    console.info(`FAILED ${failedMs.toFixed(0)} ms after the first try`)
    expect(failedMs).toBeLessThan(roomFor(30_000))
    const { dns_last_error, dns_updated_at } = await rowOf(sql, id)
    expect(Math.abs(Date.now() - Number(dns_updated_at))).toBeLessThan(30_000)
    return dns_last_error
  }
  const errors = await Promise.all([hung, strange, broken].map(project => waitFor(project!.id)))
  expect(errors).toEqual([
    'The DNS server did not respond in time.',
    `The name p-${strange!.id}.${zone} is outside the DNS zone other.test: PUBLIC_DOMAIN must be the zone or a subdomain of it.`,
    'An internal error prevented the change of the host names.',
  ])
  expect(await jobsLeft(sql)).toBe(0)
  expect(lines).toContainEqual(expect.objectContaining({ level: 'error', event: 'dns driver failed' }))
  const tries = lines.filter(
    ({ event, fields }) => event.endsWith('not registered') && fields?.project_id === strange!.id,
  )
  expect(tries.map(({ fields }) => fields?.attempt)).toEqual([1, 2, 3, 4, 5])
})

test('projects that waited before there was a job get theirs, and with a wildcard nothing waits', async () => {
  const folder = temporaryFolder()
  const before = await openEmbedded(folder, {
    migrations: allMigrations.filter(({ name }) => name < '0006'),
  })
  const tenant = { id: 't', name: 'Tenant', plan: 'pro' as const, provider_keys_revision: 0, created_at: 1 }
  await before.sql.insertInto('tenants').values(tenant).execute()
  const dns = { dns_last_error: null, dns_updated_at: null, created_at: 1 }
  const states = [
    ['waits', 'active', 'PENDING'],
    ['ready', 'active', 'READY'],
    ['failed', 'active', 'FAILED'],
    ['gone', 'suspended', 'PENDING'],
  ] as const
  for (const [id, status, dns_status] of states) {
    const row = { id, slug: id, tenant_id: 't', name: id, status, dns_status, ...dns }
    await before.sql.insertInto('projects').values(row).execute()
  }
  await before.close()
  const { sql } = await openEmbedded(folder)
  expect(await sql.selectFrom('dns_jobs').select('project_id').execute()).toEqual([{ project_id: 'waits' }])
  startCopy(sql, driverOf({ provider: 'none' }), Date.now, { provider: 'none' })
  await expect.poll(() => jobsLeft(sql), until(20_000)).toBe(0)
  const found = await sql.selectFrom('projects').select(['id', 'dns_status']).orderBy('id').execute()
  expect(found.map(({ id, dns_status }) => `${id} ${dns_status}`)).toEqual([
    'failed FAILED',
    'gone PENDING',
    'ready READY',
    'waits READY',
  ])
})

test('names that lead where they led before are made once more, a few at a time, and stay READY until it works', async () => {
  const { sql } = await openMigrated()
  const before = startCopy(sql, driverOf())
  const projects = await makeProjects(sql, 40)
  const [suspended, failed, unknown] = await makeProjects(sql, 3)
  await expect.poll(() => jobsLeft(sql), until(30_000)).toBe(0)
  await suspend(sql, suspended!.id)
  await expect.poll(() => jobsLeft(sql), until(20_000)).toBe(0)
  await before.stop()
  const set = (id: string, fields: object) => sql.updateTable('projects').set(fields).where('id', '=', id).execute()
  await set(failed!.id, { dns_status: 'FAILED', dns_made_for: null })
  await set(unknown!.id, { dns_made_for: null })

  const settings = rfc2136(bind.port, '192.0.2.7')
  const real = driverOf(settings)
  let works = false
  let tries = 0
  let offset = 0
  const driver: DnsDriver = {
    async register(hosts, signal) {
      tries++
      if (!works) throw new TypeError('not yet')
      await real.register(hosts, signal)
    },
    remove: real.remove,
  }
  const copy = startCopy(sql, driver, () => Date.now() + offset, settings)
  const most: number[] = []
  await expect.poll(async () => most.push(await jobsLeft(sql)) && tries, until(20_000)).toBeGreaterThan(40)
  expect(Math.max(...most)).toBe(32)
  for (const { id } of projects)
    expect(await rowOf(sql, id)).toMatchObject({ dns_status: 'READY', dns_last_error: null })
  works = true
  const isMoved = async () => {
    const found = await Promise.all([...projects, unknown!].map(addressesOf))
    return found.every(addresses => addresses.join() === '192.0.2.7,192.0.2.7')
  }
  await expect.poll(isMoved, { interval: 500 }).toBe(true)
  await expect.poll(() => jobsLeft(sql), until(20_000)).toBe(0)
  const triesWhenDone = tries
  expect(await addressesOf(suspended!)).toEqual([])
  expect(await addressesOf(failed!)).toEqual(both)
  expect(await rowOf(sql, failed!.id)).toMatchObject({ dns_status: 'FAILED' })

  // What leads there stays as it is; what a copy with the settings of before makes meanwhile is found.
  await sleep(2_500)
  expect(tries).toBe(triesWhenDone)
  await driverOf().register(
    { public: `${unknown!.slug}.${zone}`, internal: `${unknown!.slug}.dev.${zone}` },
    AbortSignal.timeout(5_000),
  )
  await set(unknown!.id, { dns_made_for: describeNames(rfc2136(), usual) })
  await sleep(1_500)
  expect(tries).toBe(triesWhenDone)
  offset = 61_000
  await expect.poll(() => addressesOf(unknown!), until(20_000)).toEqual(['192.0.2.7', '192.0.2.7'])
  await expect.poll(() => jobsLeft(sql), until(20_000)).toBe(0)
  expect(tries).toBe(triesWhenDone + 1)
  await copy.stop()
})

test('after a change of the domains the names of ready projects are made under the new ones', async () => {
  const { sql } = await openMigrated()
  const before = startCopy(sql, driverOf())
  const [project] = await makeProjects(sql, 1)
  await expect.poll(() => jobsLeft(sql), until(20_000)).toBe(0)
  await before.stop()
  const domains = { publicDomain: `apps.${zone}`, internalDomain: `inside.${zone}` }
  const made = startCopy(sql, driverOf(), Date.now, rfc2136(), domains)
  const lookUp = (domain: string) => bind.ask(`${project!.slug}.${domain}`, 'A')
  await expect.poll(() => lookUp(domains.publicDomain), until(20_000)).toEqual(['192.0.2.1'])
  expect(await lookUp(domains.internalDomain)).toEqual(['192.0.2.1'])
  await made.stop()
})

/** Where connections are taken and nothing is ever said. */
async function silentPort(): Promise<number> {
  const server = createServer(socket => socket.on('error', () => undefined)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}
