// A project that a file manages: browsers change nothing that the file holds, programs do, and an owner releases it.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Route } from '../../../src/management/plane/route.ts'
import { describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'
import { openRouteTable, type RouteTable } from '../plane/route-table.ts'
import { expectOk, unknownId } from '../requests.ts'

let table: RouteTable
beforeAll(async () => {
  table = await openRouteTable()
})
afterAll(() => table.close())

const locked = {
  status: 409,
  body: {
    error: 'A file manages this project: change the file and apply it, or ask an owner to release the project',
    code: 'managed_by_file',
  },
}

/** Those that write settings, tiers or prompts, and nothing of what a file holds. */
const notInFile = [
  'POST /auth/v1/projects/:projectId/playground',
  'POST /auth/v1/projects/:projectId/guardrails/try',
  'PUT /auth/v1/projects/:projectId/alerts',
  'POST /auth/v1/projects/:projectId/file-lease',
  // They make live what the draft says already.
  'POST /auth/v1/projects/:projectId/settings/deploy',
  'POST /auth/v1/projects/:projectId/settings/model/publish',
]

const nameOf = ({ method, path }: Route) => `${method} ${path}`

test('every route that changes settings, tiers or prompts says that a file holds them', () => {
  const permissions = ['settings:write', 'settings:deploy', 'prompts:write']
  const writes = table.routes.filter(
    ({ method, owner, permission }) =>
      method !== 'GET' && owner === 'project' && permissions.some(one => one === permission),
  )
  expect(
    writes
      .filter(({ inFile }) => !inFile)
      .map(nameOf)
      .sort(),
  ).toEqual(notInFile.toSorted())
})

describeEachBackend('a project that a file manages', start => {
  let plane: ManagementHarness
  let tenantId: string
  beforeAll(async () => {
    plane = await start()
    tenantId = (await plane.makeTenant()).id
  })

  const asBrowser = (session: string) => ({ headers: { cookie: `sallyport=${session}`, 'x-sallyport': '1' } })
  async function makeManaged() {
    const { id } = await plane.makeProject(tenantId)
    const path = `/auth/v1/projects/${id}`
    await plane.call('PUT', `${path}/draft`, { session: plane.owner.session, body: { managed_by: 'file' } })
    return { id, path, session: plane.owner.session }
  }

  test('is not changed by a browser, on any route, and is by a program', async () => {
    const { id, session } = await makeManaged()
    const routes = table.routes.filter(({ inFile }) => inFile)
    expect(routes.length).toBeGreaterThan(10)
    for (const { method, path } of routes) {
      const place = path.replace(':projectId', id).replace(/:\w+/g, unknownId)
      expect([path, await plane.call(method, place, { ...asBrowser(session), body: {} })]).toMatchObject([path, locked])
      expect([path, (await plane.call(method, place, { session, body: {} })).body]).not.toMatchObject([
        path,
        { code: 'managed_by_file' },
      ])
    }
  })

  test('says so, and still deploys, suspends and reads from the dashboard', async () => {
    const { path, session } = await makeManaged()
    for (const place of [path, `${path}/draft`]) {
      expect((await plane.call('GET', place, asBrowser(session))).body).toMatchObject({ managed_by: 'file' })
    }
    const listed = await plane.call('GET', `/auth/v1/tenants/${tenantId}/projects`, { session })
    expect(listed.body).toEqual(expect.arrayContaining([expect.objectContaining({ managed_by: 'file' })]))
    expectOk(await plane.call('PUT', `${path}/settings`, { session, body: { rpm_limit: 7 } }))
    expectOk(await plane.call('POST', `${path}/settings/deploy`, asBrowser(session)))
    expectOk(await plane.call('POST', `${path}/suspend`, asBrowser(session)))
  })

  test('is released by an owner alone, by a file, and by nobody else', async () => {
    const { path, session } = await makeManaged()
    const member = await plane.makePerson({ tenantId, role: 'member' })
    const release = (by: string) => plane.call('POST', `${path}/release`, asBrowser(by))
    expect(await release(member.session)).toMatchObject({ status: 403 })
    expectOk(await release(session), 204)
    expectOk(await release(session), 204)
    expectOk(await plane.call('PUT', `${path}/settings`, { ...asBrowser(member.session), body: { rpm_limit: 9 } }))
    const apply = async (managed_by: unknown) =>
      await plane.call('PUT', `${path}/draft`, { session: member.session, body: { managed_by } })
    expectOk(await apply('file'))
    expect(await plane.call('PUT', `${path}/settings`, { ...asBrowser(session), body: {} })).toMatchObject(locked)
    expectOk(await apply(null))
    expectOk(await plane.call('PUT', `${path}/settings`, { ...asBrowser(session), body: { rpm_limit: 8 } }))
    expect(await apply('git')).toMatchObject({ status: 400, body: { error: 'managed_by must be file or null' } })
  })

  test('a stranger learns nothing, and what was refused is in the audit', async () => {
    const { id, path, session } = await makeManaged()
    const stranger = await plane.makePerson()
    expect(await plane.call('PUT', `${path}/settings`, asBrowser(stranger.session))).toMatchObject({ status: 403 })
    await plane.call('PUT', `${path}/settings`, { ...asBrowser(session), body: {} })
    const audit = `/auth/v1/tenants/${tenantId}/audit?action=settings.update&outcome=refused&target=${id}`
    const { data } = expectOk<{ data: { reason: string }[] }>(await plane.call('GET', audit, { session }))
    expect(data.map(({ reason }) => reason)).toEqual(['managed_by_file'])
  })
})
