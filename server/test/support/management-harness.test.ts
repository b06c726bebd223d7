// Tests the harness itself: what it creates exists, it reads the database directly, and the users it creates have
// access only to tenants that they were invited to.
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness } from './management-harness.ts'

describeEachBackend('the management harness', (start, backend) => {
  let plane: ManagementHarness
  beforeAll(async () => {
    plane = await start()
  })

  test('makes tenants, projects and keys, and sees their rows', async () => {
    const tenant = await plane.makeTenant({ plan: 'pro' })
    const project = await plane.makeProject(tenant.id)
    const key = await plane.makeApiKey(project.id)
    expect(await plane.query('select plan from tenants where id = ?', [tenant.id])).toEqual([{ plan: 'pro' }])
    expect(await plane.query('select project_id from api_keys where id = ?', [key.id])).toEqual([
      { project_id: project.id },
    ])
    expect(plane.backend).toBe(backend)
    expect(plane.store === null).toBe(backend === 'sqlite')
  })

  test('makes strangers and members', async () => {
    const tenant = await plane.makeTenant()
    const [stranger, member] = [
      await plane.makePerson(),
      await plane.makePerson({ tenantId: tenant.id, role: 'member' }),
    ]
    const read = (session: string) => plane.call('GET', `/auth/v1/tenants/${tenant.id}`, { session })
    expect((await read(stranger.session)).status).toBe(403)
    expect((await read(member.session)).status).toBe(200)
    expect(await plane.signIn(member.email, member.password)).toMatch(/^sess_/)
  })

  test('files with the same environment share a product, which none of them may stop; one of its own is another', async () => {
    const [neighbour, own] = [await start(), await start({ own: true })]
    const isShared = process.env['TEST_OWN'] !== '1'
    expect(neighbour.baseUrl === plane.baseUrl).toBe(isShared)
    if (isShared) await expect(neighbour.product.stop()).rejects.toThrow('{ own: true }')
    expect(own.baseUrl).not.toBe(plane.baseUrl)
    expect(own.redis === null).toBe(backend === 'sqlite')
    expect(await own.product.stop()).toBe(0)
    expect((await plane.call('GET', '/readyz')).status).toBe(200)
  })

  test.each([{ own: 'process' as const }, { own: true, env: { NODE_NO_WARNINGS: '1' } }])(
    'a product has a process of its own if its test asks for one or sets a variable of the runtime: %o',
    async options => {
      const { product } = await start(options)
      expect(product.pid).not.toBe(process.pid)
      expect(await product.stop()).toBe(0)
    },
  )

  test('failed attempts of one file do not keep its neighbours from signing in', async () => {
    const body = { email: `nobody-${randomUUID()}@example.com`, password: 'wrong' }
    const guess = () => plane.call('POST', '/auth/v1/sessions', { body })
    for (let failure = 0; failure < 10; failure++) expect((await guess()).status).toBe(401)
    expect((await guess()).status).toBe(429)
    expect((await start()).owner.session).toMatch(/^sess_/)
  })
})
