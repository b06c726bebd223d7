// A token for the caller's own use of a project: whose it is, what it may be, and who gets none.
import { beforeAll, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness } from '../../../support/management-harness.ts'
import { expectOk, expectRefusal } from '../../requests.ts'

interface Minted {
  access_token: string
  uid: string
  expires_in: number
  warning?: string
}

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

describeEachBackend('own tokens', start => {
  let plane: ManagementHarness
  let tenant: { id: string }
  let project: { id: string; slug: string }
  beforeAll(async () => {
    plane = await start()
    tenant = await plane.makeTenant()
    project = await plane.makeProject(tenant.id)
  })

  const mint = (session: string, body: object = {}) =>
    plane.call('POST', `/auth/v1/projects/${project.id}/tokens`, { session, body })

  test("are of the account's email, for an hour or as asked, and the gateway accepts them", async () => {
    const minted = expectOk<Minted>(await mint(plane.owner.session))
    expect(minted).toMatchObject({ uid: plane.owner.email, expires_in: 3600 })
    expect(claimsOf(minted.access_token)).toMatchObject({ uid: plane.owner.email, role: 'user' })
    expect(expectOk<Minted>(await mint(plane.owner.session, { ttl: 60 })).expires_in).toBe(60)
    const models = await plane.call('GET', `/p/${project.slug}/v1/models`, { session: minted.access_token })
    expect(models.status).toBe(200)
    expect(expectOk<Minted>(await mint(plane.owner.session, { tier: 'gold' })).warning).toContain('gold')
  })

  test('of a service account are its own, and leave an entry in the audit', async () => {
    const path = `/auth/v1/tenants/${tenant.id}`
    const body = { name: 'ci', permissions: ['tokens:mint'], projects: [project.id] }
    const made = await plane.call('POST', `${path}/service-accounts`, { session: plane.owner.session, body })
    const { id, key } = expectOk<{ id: string; key: string }>(made, 201)
    expect(expectOk<Minted>(await mint(key)).uid).toBe(`svc:${id}`)
    const audit = await plane.call('GET', `${path}/audit?action=token.mint`, { session: plane.owner.session })
    const { data } = expectOk<{ data: { actor: object; target: object }[] }>(audit)
    expect(data[0]).toMatchObject({ actor: { kind: 'service_account', id }, target: { id: project.id } })
  })

  test('need the permission, an active project, and a user who is not blocked', async () => {
    const viewer = await plane.makePerson({ tenantId: tenant.id, role: 'viewer' })
    expect((await mint(viewer.session)).status).toBe(403)
    expectRefusal(await mint(plane.owner.session, { ttl: 59 }), 400, 'ttl must be at least 60 seconds')
    const member = await plane.makePerson({ tenantId: tenant.id, role: 'member' })
    const user = `/auth/v1/projects/${project.id}/users/${encodeURIComponent(member.email)}`
    expectOk(await plane.call('PUT', `${user}/block`, { session: plane.owner.session, body: {} }))
    expect((await mint(member.session)).status).toBe(403)
    const { id } = await plane.makeProject(tenant.id)
    expectOk(await plane.call('POST', `/auth/v1/projects/${id}/suspend`, { session: plane.owner.session }))
    const suspended = await plane.call('POST', `/auth/v1/projects/${id}/tokens`, { session: plane.owner.session })
    expectRefusal(suspended, 409, 'Project is suspended')
  })
})
