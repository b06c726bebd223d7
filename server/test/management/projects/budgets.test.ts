// Budgets of tenants and end users over the wire, on both topologies: what is stored, which values are rejected, and
// which tenant or end user they apply to. `inference/spent-budgets` tests what was spent, with real answers.
import { beforeAll, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'
import { expectOk, expectRefusal, unknownId } from '../requests.ts'

const day = { usd: 1.5, period: 'day' }
const month = { usd: 20, period: 'month' }
const values =
  'budgets must be an array of {usd: a number 0.000001-1000000, period: one of day, month}, at most one of each period'

describeEachBackend('budgets', start => {
  let plane: ManagementHarness
  beforeAll(async () => {
    plane = await start()
  })

  const makeOwners = async () => {
    const { id: tenantId } = await plane.makeTenant({ plan: 'pro' })
    const { id: projectId } = await plane.makeProject(tenantId)
    return { tenantId, projectId }
  }
  const ofTenant = (tenantId: string) => `/auth/v1/tenants/${tenantId}/budgets`
  const ofUser = (projectId: string, uid: string) => `/auth/v1/projects/${projectId}/users/${uid}/budgets`
  const put = (path: string, body: unknown) => plane.call('PUT', path, { session: plane.owner.session, body })
  const get = async (path: string) => expectOk(await plane.call('GET', path, { session: plane.owner.session })).budgets

  test('are none at first, are replaced as a whole, and are removed by an empty list', async () => {
    const { tenantId, projectId } = await makeOwners()
    for (const path of [ofTenant(tenantId), ofUser(projectId, 'alice')]) {
      expect(await get(path)).toEqual([])
      for (const budgets of [[day, month], [month], [{ ...month, usd: 0.000001 }], []]) {
        expect(expectOk(await put(path, { budgets })).budgets).toEqual(budgets)
        expect(await get(path)).toEqual(budgets)
      }
    }
  })

  test('concern one tenant, and one end user of one project, whatever the uid contains', async () => {
    const [one, other] = [await makeOwners(), await makeOwners()]
    const odd = `~${Buffer.from('team/ä~').toString('base64url')}`
    expectOk(await put(ofTenant(one.tenantId), { budgets: [day] }))
    expectOk(await put(ofUser(one.projectId, odd), { budgets: [month] }))
    expectOk(await put(ofUser(one.projectId, 'bob'), { budgets: [day] }))
    expect(await get(ofTenant(other.tenantId))).toEqual([])
    expect(await get(ofUser(other.projectId, odd))).toEqual([])
    expect(await get(ofUser(one.projectId, 'alice'))).toEqual([])
    expect(await get(ofUser(one.projectId, odd))).toEqual([month])
    expectOk(await put(ofUser(one.projectId, odd), { budgets: [] }))
    expect(await get(ofUser(one.projectId, 'bob'))).toEqual([day])
    expect(await get(ofTenant(one.tenantId))).toEqual([day])
  })

  test('with a wrong value are rejected, and the old ones stay', async () => {
    const { tenantId, projectId } = await makeOwners()
    for (const path of [ofTenant(tenantId), ofUser(projectId, 'alice')]) {
      expectOk(await put(path, { budgets: [day] }))
      const wrong: unknown[] = [
        {},
        { budgets: day },
        { budgets: [day, day] },
        { budgets: [{ ...day, usd: 0 }] },
        { budgets: [{ ...day, usd: 1_000_000.5 }] },
        { budgets: [{ ...day, usd: '1' }] },
        { budgets: [{ ...day, period: 'year' }] },
        { budgets: [{ ...day, currency: 'EUR' }] },
        { budgets: [{ usd: 1 }] },
        { budgets: 'none' },
      ]
      for (const body of wrong) expectRefusal(await put(path, body), 400, values)
      expect(await get(path)).toEqual([day])
    }
  })

  test('are those of members only, and of what exists', async () => {
    const { tenantId, projectId } = await makeOwners()
    const stranger = await plane.makePerson()
    for (const path of [ofTenant(tenantId), ofUser(projectId, 'alice')]) {
      for (const [method, body] of [
        ['GET', undefined],
        ['PUT', { budgets: [] }],
      ] as const) {
        expect((await plane.call(method, path, { body })).status).toBe(401)
        const refused = await plane.call(method, path, { session: stranger.session, body })
        expect([403, 404]).toContain(refused.status)
      }
    }
    for (const path of [ofTenant(unknownId), ofUser(unknownId, 'alice')]) {
      expect([403, 404]).toContain((await put(path, { budgets: [day] })).status)
    }
  })
})
