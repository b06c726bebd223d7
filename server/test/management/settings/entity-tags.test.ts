// A write with If-Match is refused if what it would overwrite is not what its sender has read.
import { beforeAll, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'
import { expectOk } from '../requests.ts'

const changed = { error: 'The draft has changed since it was read', code: 'draft_changed' }

describeEachBackend('tags of the draft', start => {
  let plane: ManagementHarness
  let path: string
  beforeAll(async () => {
    plane = await start()
    path = `/auth/v1/projects/${(await plane.makeProject((await plane.makeTenant()).id)).id}`
  })

  const call = (method: string, place: string, body?: object, ifMatch?: string) =>
    plane.call(method, `${path}${place}`, {
      session: plane.owner.session,
      ...(body === undefined ? {} : { body }),
      ...(ifMatch === undefined ? {} : { headers: { 'if-match': ifMatch } }),
    })
  const tagOf = async (place: string) => (await call('GET', place)).headers.get('etag') ?? ''

  test('the settings have one that changes with each change, and with nothing else', async () => {
    const first = await tagOf('/settings')
    expect(first).toMatch(/^"[\w-]{27}"$/)
    const saved = await call('PUT', '/settings', { rpm_limit: 11 }, first)
    expectOk(saved)
    expect(saved.headers.get('etag')).toBe(await tagOf('/settings'))
    expect(await call('PUT', '/settings', { rpm_limit: 12 }, first)).toMatchObject({ status: 409, body: changed })
    const second = await tagOf('/settings')
    expectOk(await call('POST', '/settings/deploy'))
    expect(await tagOf('/settings')).toBe(second)
    for (const tag of [`${first}, ${second}`, '*', undefined]) {
      expectOk(await call('PUT', '/settings', { rpm_limit: 11 }, tag))
    }
    expect((await call('GET', '/settings')).body).toMatchObject({ rpm_limit: 11 })
  })

  test('the tiers have one for all of them', async () => {
    const none = await tagOf('/tiers')
    const gold = expectOk<{ id: string }>(await call('POST', '/tiers', { name: 'gold' }, none), 201)
    const refused = [
      await call('POST', '/tiers', { name: 'silver' }, none),
      await call('PUT', `/tiers/${gold.id}`, { sort_order: 3 }, none),
      await call('DELETE', `/tiers/${gold.id}`, undefined, none),
    ]
    for (const answer of refused) expect(answer).toMatchObject({ status: 409, body: changed })
    expectOk(await call('PUT', `/tiers/${gold.id}`, { sort_order: 3 }, await tagOf('/tiers')))
    expectOk(await call('DELETE', `/tiers/${gold.id}`, undefined, await tagOf('/tiers')), 204)
  })

  test('of two writes at once that have read the same, one is refused', async () => {
    const tag = await tagOf('/settings')
    const both = await Promise.all([21, 22].map(limit => call('PUT', '/settings', { rpm_limit: limit }, tag)))
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
  })
})
