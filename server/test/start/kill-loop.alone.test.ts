// kill -9 while clients write over HTTP: what was acknowledged is there afterwards, and the product is back at once.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, inject, test } from 'vitest'
import { roomFor } from '../support/slowness.ts'
import { type Product, startProduct } from '../support/start-product.ts'
import { temporaryFolder } from './refusal.ts'

const cycles = inject('prove') ? 50 : 3
const writers = 4
const adminSecret = 'admin-secret-of-the-tests'
const password = 'correct horse battery staple'

interface Acknowledged {
  tenants: string[]
  projects: { id: string; tenantId: string }[]
  /** By tenant, the switch as it was acknowledged last; null while an answer is outstanding. */
  switches: Map<string, boolean | null>
}

async function send<Body>(product: Product, method: string, path: string, headers: object, body?: object) {
  const response = await fetch(`${product.baseUrl}${path}`, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (response.status >= 300) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
  return JSON.parse(text) as Body
}

async function signIn(product: Product): Promise<{ authorization: string }> {
  const credentials = { email: 'admin@localhost', password }
  const { session_token } = await send<{ session_token: string }>(product, 'POST', '/auth/v1/sessions', {}, credentials)
  return { authorization: `Bearer ${session_token}` }
}

/** Tenants, projects and switches, one after the other, until the product is gone. */
async function writeUntilGone(product: Product, session: object, done: Acknowledged, isOver: () => boolean) {
  const admin = { 'x-admin-secret': adminSecret }
  try {
    for (let turn = 0; !isOver(); turn++) {
      const { id } = await send<{ id: string }>(product, 'POST', '/auth/v1/tenants', session, {
        name: `Tenant ${turn}`,
      })
      done.tenants.push(id)
      const path = `/auth/v1/tenants/${id}/projects`
      const project = await send<{ id: string }>(product, 'POST', path, session, { name: 'Project' })
      done.projects.push({ id: project.id, tenantId: id })
      done.switches.set(id, null)
      await send(product, 'POST', `/v1/admin/killswitch/tenant/${id}`, admin, { enabled: true })
      done.switches.set(id, true)
    }
  } catch (error) {
    // Whatever fails before the kill is a fault of the product; what fails by it is expected.
    if (!isOver()) throw error
  }
}

/** Read past the product, after its end, as the restart would find it. */
function expectSound(dataDir: string): void {
  const database = new DatabaseSync(join(dataDir, 'sallyport.db'))
  expect(database.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  expect(database.prepare('pragma foreign_key_check').all()).toEqual([])
  database.close()
}

async function expectAll(product: Product, session: object, done: Acknowledged): Promise<void> {
  const found = await send<{ id: string }[]>(product, 'GET', '/auth/v1/tenants', session)
  const tenants = new Set(found.map(tenant => tenant.id))
  expect(done.tenants.filter(id => !tenants.has(id))).toEqual([])
  const admin = { 'x-admin-secret': adminSecret }
  const status = await send<{ tenants: string[] }>(product, 'GET', '/v1/admin/killswitch/status', admin)
  const on = [...done.switches].filter(([, state]) => state === true).map(([id]) => id)
  expect(on.filter(id => !status.tenants.includes(id))).toEqual([])
}

/** The latest ones through the product; all of them were counted in the file. */
async function expectProjects(product: Product, session: object, done: Acknowledged): Promise<void> {
  for (const { id, tenantId } of done.projects.slice(-20)) {
    const path = `/auth/v1/tenants/${tenantId}/projects`
    const found = await send<{ id: string }[]>(product, 'GET', path, session)
    expect(found.map(project => project.id)).toContain(id)
    await send(product, 'GET', `/auth/v1/projects/${id}/settings`, session)
  }
}

function projectsIn(dataDir: string): Set<unknown> {
  const database = new DatabaseSync(join(dataDir, 'sallyport.db'))
  const rows = database.prepare('select projects.id from projects join settings on project_id = projects.id').all()
  database.close()
  return new Set(rows.map(row => row.id))
}

test(`${cycles} kills under writes lose nothing that was acknowledged`, { timeout: cycles * 100_000 }, async () => {
  const dataDir = temporaryFolder()
  const env = { DATA_DIR: dataDir, BOOTSTRAP_PASSWORD: password, ADMIN_SECRET: adminSecret }
  const done: Acknowledged = { tenants: [], projects: [], switches: new Map() }
  const restarts: number[] = []
  let product = await startProduct({ env })
  for (let cycle = 0; cycle < cycles; cycle++) {
    const session = await signIn(product)
    let isOver = false
    const before = done.tenants.length
    const writing = Array.from({ length: writers }, () => writeUntilGone(product, session, done, () => isOver))
    await expect.poll(() => done.tenants.length).toBeGreaterThan(before)
    await sleep(300 + Math.random() * 500)
    isOver = true
    await product.kill()
    await Promise.all(writing)
    expectSound(dataDir)
    const kept = projectsIn(dataDir)
    expect(done.projects.filter(({ id }) => !kept.has(id))).toEqual([])
    const begun = performance.now()
    // Ready means: the lock was free, the file was checked, and the first cycle is over.
    product = await startProduct({ env })
    restarts.push(performance.now() - begun)
    const again = await signIn(product)
    await expectAll(product, again, done)
    await expectProjects(product, again, done)
  }
  expect(await product.stop()).toBe(0)
  const slowest = Math.max(...restarts)
  console.info(
    `${cycles} kills, ${done.tenants.length} tenants and ${done.projects.length} projects acknowledged, slowest restart ${slowest.toFixed(0)} ms`,
  )
  expect(slowest).toBeLessThan(roomFor(4_000))
})
