// Blocking end users and revoking their tokens over the wire: statuses, messages, how a uid is written in a path, and
// what the mint and the project's routes answer from then on.
import { beforeAll, describe, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'

const tilde = (uid: string) => `~${Buffer.from(uid).toString('base64url')}`

describeEachBackend('restricted end users', start => {
  let plane: ManagementHarness
  let project: { id: string; slug: string }
  let apiKey: string
  beforeAll(async () => {
    plane = await start()
    project = await plane.makeProject((await plane.makeTenant()).id)
    apiKey = (await plane.makeApiKey(project.id)).api_key
  })
  const owner = (body?: unknown) => ({ session: plane.owner.session, ...(body === undefined ? {} : { body }) })
  const pathOf = (uid: string, action: string) => `/auth/v1/projects/${project.id}/users/${uid}/${action}`
  const block = (uid: string, body: unknown = {}) => plane.call('PUT', pathOf(uid, 'block'), owner(body))
  const unblock = (uid: string) => plane.call('DELETE', pathOf(uid, 'block'), owner())
  const revoke = (uid: string) => plane.call('POST', pathOf(uid, 'revoke-tokens'), owner())
  const mint = (userId: string) => plane.call('POST', '/auth/v1/auth/mint', { apiKey, body: { user_id: userId } })
  const tokenFor = async (userId: string) => ((await mint(userId)).body as { access_token: string }).access_token
  const ask = (token: string) =>
    plane.call('GET', `/p/${project.slug}/v1/threads`, { headers: { authorization: `Bearer ${token}` } })
  const isoForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

  test('a block refuses requests and mints at once, and an unblock lets both in again', async () => {
    const token = await tokenFor('alice')
    expect(await ask(token)).toMatchObject({ status: 200 })
    const answer = await block('alice', { reason: 'Spam' })
    expect(answer).toMatchObject({ status: 200, body: { uid: 'alice', reason: 'Spam' } })
    const { blocked_at } = answer.body as { blocked_at: string }
    expect(blocked_at).toMatch(isoForm)
    const refused = { error: 'forbidden', message: 'User is blocked' }
    expect(await ask(token)).toMatchObject({ status: 403, body: refused })
    expect(await mint('alice')).toMatchObject({ status: 403, body: { error: 'User is blocked' } })
    const onHost = await plane.call('POST', `/p/${project.slug}/v1/auth/mint`, { apiKey, body: { user_id: ' alice ' } })
    expect(onHost).toMatchObject({ status: 403, body: { error: 'User is blocked' } })
    expect(await mint('bob')).toMatchObject({ status: 200 })
    // Again: since then, for another reason.
    expect(await block('alice')).toMatchObject({ status: 200, body: { uid: 'alice', blocked_at, reason: null } })
    expect(await unblock('alice')).toMatchObject({ status: 204, text: '' })
    expect(await unblock('alice')).toMatchObject({ status: 204 })
    expect(await ask(token)).toMatchObject({ status: 200 })
    expect(await mint('alice')).toMatchObject({ status: 200 })
  })

  test('a revocation ends the tokens issued until then; a token minted right after it is good', async () => {
    const old = await tokenFor('carol')
    expect(await ask(old)).toMatchObject({ status: 200 })
    const answer = await revoke('carol')
    expect(answer.status).toBe(200)
    const { revoked_before } = answer.body as { revoked_before: string }
    expect(revoked_before).toMatch(isoForm)
    expect(Math.abs(Date.parse(revoked_before) - Date.now())).toBeLessThan(60_000)
    expect(await ask(old)).toMatchObject({ status: 401, body: { error: 'unauthorized', message: 'Token revoked' } })
    expect(await ask(await tokenFor('carol'))).toMatchObject({ status: 200 })
    expect(await ask(await tokenFor('dave'))).toMatchObject({ status: 200 })
  })

  test.each([
    ['percent-encoded', 'zoë@example.com', encodeURIComponent('zoë@example.com')],
    ['in base64url', 'zoë@example.com', tilde('zoë@example.com')],
    ['with a slash', 'auth0|5f/7c', tilde('auth0|5f/7c')],
    ['that begins with a tilde', '~tilde', tilde('~tilde')],
    ['of dots', '..', tilde('..')],
    ['of a service', 'admin', 'admin'],
  ])('a uid %s', async (_name, uid, segment) => {
    expect(await block(segment)).toMatchObject({ status: 200, body: { uid } })
    expect(await unblock(segment)).toMatchObject({ status: 204 })
    const rows = await plane.query('select 1 from end_user_restrictions where project_id = ?', [project.id])
    // Carol's revocation stays.
    expect(rows.length).toBeLessThanOrEqual(1)
  })

  describe('refuses', () => {
    const malformed = 'uid must be a user id, or ~ and its base64url'
    test.each([
      ['base64url that is none', '~%24%24', malformed],
      ['base64url that is not canonical', `${tilde('ab')}=`, malformed],
      ['bytes that are no text', `~${Buffer.from([0xff, 0xfe]).toString('base64url')}`, malformed],
      ['an empty one', '~', 'uid must not be empty'],
      ['white space around it', '%20alice', malformed],
      ['one that is too long', 'x'.repeat(256), 'uid must be at most 255 characters'],
      ['a service account', 'svc:worker', 'uid cannot use the svc: prefix (reserved for service accounts)'],
    ])('%s', async (_name, segment, error) => {
      expect(await block(segment)).toMatchObject({ status: 400, body: { error } })
      expect(await unblock(segment)).toMatchObject({ status: 400, body: { error } })
      expect(await revoke(segment)).toMatchObject({ status: 400, body: { error } })
    })
    test.each([[5], ['x'.repeat(501)], ['nul \0'], [{}]])('the reason %j', async reason => {
      const error = 'reason must be a string (max 500 chars)'
      expect(await block('alice', { reason })).toMatchObject({ status: 400, body: { error } })
    })
    test('a viewer', async () => {
      const tenant = await plane.query<{ tenant_id: string }>('select tenant_id from projects where id = ?', [
        project.id,
      ])
      const viewer = await plane.makePerson({ tenantId: tenant[0]?.tenant_id ?? '', role: 'viewer' })
      const answer = await plane.call('PUT', pathOf('alice', 'block'), { session: viewer.session, body: {} })
      expect(answer).toMatchObject({ status: 403, body: { error: 'Forbidden' } })
    })
  })
})
