// What a document says of a project beside its draft: webhooks with their secrets, budgets of end users, and who may
// change and see them.
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'
import { expectOk, expectRefusal } from '../requests.ts'

const secretOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`
interface Compared {
  etag: string
  changes: { field: string; from: unknown; to: unknown }[]
}

describeEachBackend('a document of a project', start => {
  let plane: ManagementHarness
  let tenantId: string
  beforeAll(async () => {
    plane = await start()
    tenantId = (await plane.makeTenant({ plan: 'pro' })).id
  })
  beforeEach(() => {
    plane.upstream.reset()
    plane.upstream.on('*', { status: 204, body: '' })
  })

  async function makeProject() {
    const { id } = await plane.makeProject(tenantId)
    const path = `/auth/v1/projects/${id}`
    const call = (method: string, place: string, body?: object, session = plane.owner.session) =>
      plane.call(method, path + place, { session, ...(body === undefined ? {} : { body }) })
    const apply = async (body: object) => expectOk<Compared>(await call('PUT', '/draft', body))
    return { id, call, apply, url: `${plane.upstream.url}/of/${id}` }
  }
  async function makeAccount(permissions: string[]) {
    const body = { name: 'Pipeline', permissions }
    const path = `/auth/v1/tenants/${tenantId}/service-accounts`
    return expectOk<{ key: string }>(await plane.call('POST', path, { session: plane.owner.session, body }), 201).key
  }

  test('makes, changes and removes webhooks, whose secrets it needs only where there is none', async () => {
    const { call, apply, url } = await makeProject()
    const webhook = { url, types: ['settings_deployed'] }
    const missing = 'webhooks[0].secret is required: the project has no such webhook yet'
    expectRefusal(await call('PUT', '/draft', { webhooks: [webhook] }), 400, missing)
    expectOk(await call('POST', '/draft/compare', { webhooks: [webhook] }))
    const made = await apply({ webhooks: [{ ...webhook, secret: secretOf(1) }] })
    expect(made.changes).toEqual([{ field: `webhooks.${url}`, from: null, to: { types: ['settings_deployed'] } }])
    expect((await apply({ webhooks: [webhook] })).changes).toEqual([])
    expect((await apply({ webhooks: [{ ...webhook, secret: secretOf(1) }] })).changes).toEqual([])
    const replaced = await apply({ webhooks: [{ ...webhook, secret: secretOf(2) }] })
    expect(replaced.changes).toMatchObject([{ to: { secret: 'replaced' } }])
    expect(JSON.stringify(replaced)).not.toContain('whsec_')
    expectOk(await call('POST', '/settings/deploy'))
    const sent = () => plane.upstream.requests.filter(({ path }) => url.endsWith(path))
    await expect.poll(() => sent().length).toBe(1)
    // Both secrets sign for a day.
    expect(String(sent()[0]?.headers['webhook-signature']).split(' ')).toHaveLength(2)
    expect((await apply({ webhooks: [{ url }] })).changes).toMatchObject([{ to: { types: null } }])
    expect((await apply({ webhooks: [] })).changes).toEqual([])
    expect((await apply({ webhooks: [], prune: true })).changes).toMatchObject([{ to: null }])
    expect((await call('GET', '/draft')).body).toMatchObject({ webhooks: [] })
  })

  test('sets the budgets of end users, and removes those that it lacks only if it is asked to', async () => {
    const { call, apply } = await makeProject()
    const day = (usd: number) => [{ usd, period: 'day' }]
    const budgetsOf = async (uid: string) => (await call('GET', `/users/${uid}/budgets`)).body
    await apply({
      end_user_budgets: [['ann', 1] as const, ['ben', 2] as const].map(([uid, usd]) => ({ uid, budgets: day(usd) })),
    })
    expect(await budgetsOf('ann')).toMatchObject({ budgets: day(1) })
    await apply({ end_user_budgets: [{ uid: 'ben', budgets: day(3) }] })
    expect([await budgetsOf('ann'), await budgetsOf('ben')]).toMatchObject([{ budgets: day(1) }, { budgets: day(3) }])
    await apply({ end_user_budgets: [{ uid: 'ben', budgets: [] }] })
    expect(await budgetsOf('ben')).toMatchObject({ budgets: [] })
    await apply({ end_user_budgets: [], prune: true })
    expect(await budgetsOf('ann')).toMatchObject({ budgets: [] })
  })

  test('with ten thousand end users is applied, compared and read', async () => {
    const { call, apply } = await makeProject()
    const budgets = [{ usd: 1, period: 'month' }]
    const users = Array.from({ length: 10_000 }, (_, at) => ({ uid: `user-${at}`, budgets }))
    expect((await apply({ end_user_budgets: users })).changes).toHaveLength(10_000)
    expect((await apply({ end_user_budgets: users })).changes).toEqual([])
    expect((await call('GET', '/draft')).body).toMatchObject({ end_user_budgets: expect.arrayContaining([users[17]]) })
    const more = await call('PUT', '/draft', { end_user_budgets: [{ uid: 'one-more', budgets }] })
    expect(more.status).toBe(409)
  })

  test.each<[string, object, string]>([
    ['a user without an id', { end_user_budgets: [{ budgets: [] }] }, 'end_user_budgets[0].uid is required'],
    ['a user without budgets', { end_user_budgets: [{ uid: 'a' }] }, 'end_user_budgets[0].budgets must be an array'],
    [
      'a user twice',
      { end_user_budgets: [1, 2].map(() => ({ uid: 'a', budgets: [] })) },
      'end_user_budgets[1].uid is there twice',
    ],
    [
      'an address that is not allowed',
      { webhooks: [{ url: 'http://10.0.0.1/' }] },
      'webhooks[0].url: The address is not allowed',
    ],
    ['an unknown type', { webhooks: [{ url: 'https://8.8.8.8/', types: ['x'] }] }, 'webhooks[0].types must be'],
    ['a secret of no form', { webhooks: [{ url: 'https://8.8.8.8/', secret: 'x' }] }, 'webhooks[0].secret must be'],
    [
      'an address twice',
      { webhooks: [1, 2].map(() => ({ url: 'https://8.8.8.8/' })) },
      'webhooks[1].url is there twice',
    ],
    ['a name that is none', { name: ' ' }, 'name is required'],
    ['an unknown field', { webhooks: [{ url: 'https://8.8.8.8/', type: [] }] }, 'webhooks[0].type is not a field'],
  ])('with %s changes nothing', async (_, wrong, words) => {
    const { call } = await makeProject()
    const before = (await call('GET', '/draft')).body
    const answer = await call('PUT', '/draft', { settings: { rpm_limit: 5 }, ...wrong })
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining(words) } })
    expect((await call('GET', '/draft')).body).toEqual(before)
  })

  test('needs the permissions of what it changes, and shows budgets to those who may read them', async () => {
    const { call, apply, url } = await makeProject()
    const budgets = [{ usd: 1, period: 'day' }]
    const given = {
      name: 'New name',
      end_user_budgets: [{ uid: 'ann', budgets }],
      webhooks: [{ url, secret: secretOf(1) }],
    }
    const base = ['project:read', 'settings:write']
    const needed = { name: 'project:write', end_user_budgets: 'billing:write', webhooks: 'webhooks:write' } as const
    const key = await makeAccount(base)
    for (const [part, permission] of Object.entries(needed)) {
      const body = { settings: { rpm_limit: 9 }, [part]: given[part as keyof typeof needed] }
      const refused = await call('PUT', '/draft', body, key)
      expect(refused).toMatchObject({ status: 403, body: { error: expect.stringContaining(permission) } })
    }
    expectOk(await call('PUT', '/draft', given, await makeAccount([...base, ...Object.values(needed)])))
    expectOk(await call('PUT', '/draft', { ...given, settings: { rpm_limit: 9 } }, key))
    expect((await call('GET', '/draft', undefined, key)).body).not.toHaveProperty('end_user_budgets')
    expect(await call('POST', '/draft/compare', { end_user_budgets: [] }, key)).toMatchObject({ status: 403 })
    await apply({ webhooks: [], prune: true })
  })
})
