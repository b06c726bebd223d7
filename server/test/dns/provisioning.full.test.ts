// Host names as a user and an operator see them: the product's own processes, and a real BIND that is stopped, frozen
// and started again meanwhile.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { ask, createWorld, makeProject, signIn } from '../product/distributed-world.ts'
import { temporaryFolder } from '../start/refusal.ts'
import { type BindServer, makeUpdateKey, startBind } from '../support/simulated/name-server.ts'
import { roomFor } from '../support/slowness.ts'
import { type Product, startProduct } from '../support/start-product.ts'

const zone = 'gate.test'
const key = makeUpdateKey('sallyport')
const secret = key.secret.toString('base64')

async function startZone(): Promise<{ bind: BindServer; env: Record<string, string> }> {
  const bind = await startBind({ keys: [key], zones: { [zone]: `allow-update { key "${key.name}"; };` } })
  onTestFinished(async () => {
    process.kill(bind.pid, 'SIGCONT')
    await bind.stop()
  })
  const env = {
    DNS_PROVIDER: 'rfc2136',
    DNS_RFC2136_SERVER: `127.0.0.1:${bind.port}`,
    DNS_RFC2136_ZONE: zone,
    DNS_RFC2136_KEY: `${key.algorithm}:${key.name}:${secret}`,
    DNS_TARGET: '192.0.2.1',
    PUBLIC_DOMAIN: zone,
    INTERNAL_DOMAIN: `dev.${zone}`,
  }
  return { bind, env }
}

interface Provisioning {
  dns_status: string
  dns_last_error: string | null
  fqdn_dev: string
  fqdn_prod: string
  dns_updated_at: string | null
}
type Session = { authorization: string }

const readState = (product: Product, session: Session, id: string) =>
  ask<Provisioning>(product, 'GET', `/auth/v1/projects/${id}/provisioning`, session)
/** What a machine that others load too may take of it. */
const until = (calmMs: number) => ({ timeout: roomFor(5 * calmMs), interval: 100 })

/** A product with a zone that it registers hosts in; `restart` starts the next process on the same data. */
async function openInstallation() {
  const { bind, env } = await startZone()
  const owner = { BOOTSTRAP_EMAIL: 'owner@example.com', BOOTSTRAP_PASSWORD: 'correct horse battery staple' }
  const start = async (dataDir: string) => {
    const product = await startProduct({ env: { ...env, ...owner, DATA_DIR: dataDir } })
    onTestFinished(() => product.kill())
    return product
  }
  const dataDir = temporaryFolder()
  const installation = { product: await start(dataDir) }
  const session = await signIn(installation.product)
  const restart = async (): Promise<void> => {
    installation.product = await start(dataDir)
  }
  const call = <Body>(method: string, path: string) => ask<Body>(installation.product, method, path, session)
  const create = async () => {
    const tenant = await ask<{ id: string }>(installation.product, 'POST', '/auth/v1/tenants', session, {
      name: 'Tenant',
    })
    const path = `/auth/v1/tenants/${tenant.id}/projects`
    return await ask<Provisioning & { id: string; slug: string }>(installation.product, 'POST', path, session, {
      name: 'Project',
    })
  }
  const state = (id: string) => readState(installation.product, session, id)
  const statusOf = async (id: string) => (await state(id)).dns_status
  const addresses = async ({ slug }: { slug: string }) => [
    ...(await bind.ask(`${slug}.${zone}`, 'A')),
    ...(await bind.ask(`${slug}.dev.${zone}`, 'A')),
  ]
  return { bind, installation, restart, create, call, state, statusOf, addresses }
}

/** Registration is tried for a while before it fails. */
async function expectFailure(state: () => Promise<Provisioning>): Promise<void> {
  const triedAt = performance.now()
  await expect.poll(async () => (await state()).dns_last_error, until(20_000)).not.toBeNull()
  expect((await state()).dns_status).toBe('PENDING')
  await expect.poll(async () => (await state()).dns_status, until(60_000)).toBe('FAILED')
  const failedMs = performance.now() - triedAt
  console.info(`FAILED after ${failedMs.toFixed(0)} ms`)
  expect(failedMs).toBeGreaterThan(5_000)
  expect(failedMs).toBeLessThan(roomFor(30_000))
  expect(await state()).toMatchObject({
    dns_last_error: 'The DNS server is unreachable: the connection failed.',
  })
}

test('READY once it resolves, FAILED while the server is away, READY by a retry, gone once suspended, back once active', async () => {
  const { bind, installation, restart, create, call, state, statusOf, addresses } = await openInstallation()

  const first = await create()
  expect(first).toMatchObject({ dns_status: 'PENDING', fqdn_prod: `${first.slug}.${zone}` })
  const createdAt = performance.now()
  await expect.poll(() => statusOf(first.id), until(20_000)).toBe('READY')
  console.info(`READY ${(performance.now() - createdAt).toFixed(0)} ms after the answer`)
  expect(await addresses(first)).toEqual(['192.0.2.1', '192.0.2.1'])
  expect(await state(first.id)).toMatchObject({ dns_last_error: null, dns_updated_at: expect.stringMatching(/Z$/) })

  // Away: what is new is tried until it has failed for long enough, what is suspended until it is done.
  await bind.halt()
  const second = await create()
  await expectFailure(() => state(second.id))
  await call('POST', `/auth/v1/projects/${first.id}/suspend`)
  await expect
    .poll(() => installation.product.stderr(), until(20_000))
    .toMatch(/project hosts not removed.*"attempt":2/)
  expect(await statusOf(first.id)).toBe('READY')

  // Back: what failed stays as it is until somebody asks; what is to be removed is removed by itself.
  await bind.restart()
  await expect.poll(() => addresses(first), until(90_000)).toEqual([])
  expect(await statusOf(second.id)).toBe('FAILED')
  expect(await addresses(second)).toEqual([])
  expect(await call('POST', `/auth/v1/projects/${second.id}/provisioning/retry`)).toEqual({ dns_status: 'PENDING' })
  await expect.poll(() => statusOf(second.id), until(20_000)).toBe('READY')
  expect(await addresses(second)).toEqual(['192.0.2.1', '192.0.2.1'])
  expect(await state(second.id)).toMatchObject({ dns_last_error: null })

  // Killed in the middle, with one to register and one to remove; the next process does both.
  process.kill(bind.pid, 'SIGSTOP')
  const third = await create()
  await call('POST', `/auth/v1/projects/${second.id}/suspend`)
  await sleep(2_000)
  await installation.product.kill()
  const saidBefore = installation.product.stdout() + installation.product.stderr()
  process.kill(bind.pid, 'SIGCONT')
  await restart()
  await expect.poll(() => statusOf(third.id), until(60_000)).toBe('READY')
  expect(await addresses(third)).toEqual(['192.0.2.1', '192.0.2.1'])
  await expect.poll(() => addresses(second), until(60_000)).toEqual([])
  expect(await statusOf(second.id)).toBe('READY')

  // Reactivated, its names are registered once more.
  const reactivated = await call('POST', `/auth/v1/projects/${second.id}/reactivate`)
  expect(reactivated).toEqual({ status: 'active', dns_status: 'PENDING' })
  await expect.poll(() => statusOf(second.id), until(20_000)).toBe('READY')
  expect(await addresses(second)).toEqual(['192.0.2.1', '192.0.2.1'])

  expect(await installation.product.stop()).toBe(0)
  const said = saidBefore + installation.product.stdout() + installation.product.stderr()
  expect(said).toContain('project hosts registered')
  for (const hidden of [secret, key.secret.toString('hex')]) expect(said).not.toContain(hidden)
})

test('three workers, one of them killed in the middle: every project gets its names', async () => {
  const { bind, env } = await startZone()
  const world = await createWorld()
  const start = async (ROLE: string) => {
    const product = await startProduct({ env: { ...world.env, ...env, ROLE } })
    onTestFinished(() => product.kill())
    return product
  }
  const [front, victim] = await Promise.all([start('all'), start('worker'), start('worker')])
  const session = await signIn(front)
  const makeSome = (count: number) => Promise.all(Array.from({ length: count }, () => makeProject(front, session)))
  const projects = await makeSome(8)
  process.kill(bind.pid, 'SIGSTOP')
  projects.push(...(await makeSome(8)))
  await sleep(1_500)
  await victim.kill()
  process.kill(bind.pid, 'SIGCONT')
  projects.push(...(await makeSome(8)))
  const readyCount = async () => {
    const { rows } = await world.database.query("select id from projects where dns_status = 'READY'")
    return rows.length
  }
  await expect.poll(readyCount, until(60_000)).toBe(projects.length)
  for (const { slug } of projects) expect(await bind.ask(`${slug}.dev.${zone}`, 'A')).toEqual(['192.0.2.1'])
  expect((await world.database.query('select * from dns_jobs')).rows).toEqual([])
})
