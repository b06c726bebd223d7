// API keys by the rows of the contract: create, list, rotate and revoke on both path forms, and what is stored of them.
import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Answer, describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'
import { expectOk, expectRefusal, mint, unknownId, uuid, type Words } from '../requests.ts'

const onceMessage = 'Store this key now: it is shown only once.'
const plaintextShape = /^service_sk_live_[0-9a-f]{32}$/
const badRole = 'role is not a permitted role. Allowed: user, dashboard-service, admin'

interface Key {
  id: string
  api_key: string
}

describeEachBackend('API keys', start => {
  let plane: ManagementHarness
  let tenant: { id: string }
  let project: { id: string }
  let sibling: { id: string }
  let foreign: { id: string; key: Key }
  let viewer: { session: string }
  let stranger: { session: string }

  beforeAll(async () => {
    plane = await start()
    tenant = await plane.makeTenant({ plan: 'pro' })
    project = await plane.makeProject(tenant.id)
    sibling = await plane.makeProject(tenant.id)
    viewer = await plane.makePerson({ tenantId: tenant.id, role: 'viewer' })
    stranger = await plane.makePerson()
    const theirs = await plane.makeTenant({ session: stranger.session })
    const theirProject = await plane.makeProject(theirs.id, stranger.session)
    foreign = { id: theirProject.id, key: await plane.makeApiKey(theirProject.id, stranger.session) }
  })

  const owned = () => ({ session: plane.owner.session })
  const create = (body: unknown, more: object = owned()) =>
    plane.call('POST', `/auth/v1/projects/${project.id}/api-keys`, { body, ...more })
  const list = async (projectId = project.id) =>
    expectOk<Record<string, unknown>[]>(await plane.call('GET', `/auth/v1/projects/${projectId}/api-keys`, owned()))

  /** The same action by both of its paths. */
  const forms = {
    rotate: [
      (keyId: string, more: object = owned(), projectId = project.id) =>
        plane.call('POST', `/auth/v1/projects/${projectId}/api-keys/${keyId}/rotate`, more),
      (keyId: string, more: object = owned()) => plane.call('POST', `/auth/v1/api-keys/${keyId}/rotate`, more),
    ],
    revoke: [
      (keyId: string, more: object = owned(), projectId = project.id) =>
        plane.call('POST', `/auth/v1/projects/${projectId}/api-keys/${keyId}/revoke`, more),
      (keyId: string, more: object = owned()) => plane.call('DELETE', `/auth/v1/api-keys/${keyId}`, more),
    ],
  }
  const everyForm = Object.entries(forms).flatMap(([action, calls]) =>
    calls.map((call, index) => [`${action} by the ${index === 0 ? "project's" : 'short'} path`, call] as const),
  )

  describe('create', () => {
    test('shows the plaintext once, and stores a digest and a slow hash of it', async () => {
      const made = expectOk<Key>(await create({ name: 'backend' }), 201)
      expect(made).toEqual({
        id: expect.stringMatching(uuid),
        project_id: project.id,
        api_key: expect.stringMatching(plaintextShape),
        message: onceMessage,
      })
      const digest = createHash('sha256').update(made.api_key).digest('hex')
      const [stored] = await plane.query('select * from api_keys where id = ?', [made.id])
      expect(stored).toMatchObject({ digest, hash: expect.stringMatching(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/) })
      expect(JSON.stringify(stored)).not.toContain(made.api_key.slice(-32))
      expect((await list()).find(key => key['id'] === made.id)).toEqual({
        id: made.id,
        name: 'backend',
        role: 'user',
        prefix: `${digest.slice(0, 8)}…`,
        hint: made.api_key.slice(-4),
        createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
        created_by: expect.stringContaining('@'),
        last_used_at: null,
        expires_at: null,
        replaced_by: null,
      })
    })

    test.each<[string, unknown, object]>([
      ['nothing', undefined, { name: 'default', role: 'user' }],
      ['an empty object', {}, { name: 'default', role: 'user' }],
      ['a null name', { name: null }, { name: 'default', role: 'user' }],
      ['a name', { name: ' edge ' }, { name: 'edge', role: 'user' }],
      ['the dashboard role', { role: 'dashboard-service' }, { name: 'default', role: 'dashboard-service' }],
      ['the admin role', { role: 'admin', name: 'ops' }, { name: 'ops', role: 'admin' }],
      ['a field nobody knows', { extra: 1 }, { name: 'default', role: 'user' }],
    ])('takes %s', async (_what, body, expected) => {
      const made = expectOk<Key>(await create(body), 201)
      expect((await list()).find(key => key['id'] === made.id)).toMatchObject(expected)
    })

    test.each<[string, unknown, string]>([
      ['an empty name', { name: '' }, 'name is required'],
      ['a number', { name: 1 }, 'name must be a string'],
      ['256 characters', { name: 'x'.repeat(256) }, 'name must be at most 255 characters'],
      ['an unknown role', { role: 'owner' }, badRole],
      ['a null role', { role: null }, badRole],
      ['a list', [], 'Request body must be a JSON object'],
      ['broken JSON', '{', 'Invalid JSON body'],
    ])('refuses %s', async (_what, body, words) => {
      expectRefusal(await create(body), 400, words)
    })

    test('does not replay a plaintext for an Idempotency-Key', async () => {
      const more = { ...owned(), headers: { 'idempotency-key': 'key-once' } }
      expectOk(await create({ name: 'once' }, more), 201)
      const words = 'The answer to this Idempotency-Key held a secret and is not replayed'
      expectRefusal(await create({ name: 'once' }, more), 409, words)
      expect((await list()).filter(key => key['name'] === 'once')).toHaveLength(1)
    })
  })

  describe.each(forms.rotate.map((call, index) => [index === 0 ? "project's" : 'short', call] as const))(
    'rotate by the %s path',
    (_form, rotate) => {
      test('issues a new key with the old name and role, and kills the old one at once', async () => {
        const old = expectOk<Key>(await create({ name: 'rotated', role: 'admin' }), 201)
        expectOk(await mint(plane, old.api_key))
        const fresh = expectOk<Key>(await rotate(old.id))
        expect(fresh).toEqual({
          id: expect.stringMatching(uuid),
          api_key: expect.stringMatching(plaintextShape),
          message: onceMessage,
        })
        expect([fresh.id, fresh.api_key]).not.toContain(old.id)
        expectRefusal(await mint(plane, old.api_key), 401, 'API key revoked')
        expectOk(await mint(plane, fresh.api_key))
        const listed = await list()
        expect(listed.find(key => key['id'] === fresh.id)).toMatchObject({ name: 'rotated', role: 'admin' })
        expect(listed.find(key => key['id'] === old.id)).toBeUndefined()
        expectRefusal(await rotate(old.id), 404, 'API key not found')
      })
    },
  )

  describe.each(forms.revoke.map((call, index) => [index === 0 ? "project's" : 'short', call] as const))(
    'revoke by the %s path',
    (_form, revoke) => {
      test('is for good', async () => {
        const key = expectOk<Key>(await create({}), 201)
        expectOk(await mint(plane, key.api_key))
        expect(expectOk(await revoke(key.id))).toEqual({ message: 'API key revoked' })
        expectRefusal(await mint(plane, key.api_key), 401, 'API key revoked')
        expect((await list()).find(listed => listed['id'] === key.id)).toBeUndefined()
        expectRefusal(await revoke(key.id), 404, 'API key not found')
        for (const rotate of forms.rotate) expectRefusal(await rotate(key.id), 404, 'API key not found')
      })
    },
  )

  describe.each(everyForm)('%s', (_form, act) => {
    test('refuses everybody but members who may write', async () => {
      const key = expectOk<Key>(await create({}), 201)
      expectRefusal(await act(key.id, {}), 401, 'Bearer token required')
      expectRefusal(await act(key.id, { session: 'sess_no' }), 401, 'Invalid session')
      expectRefusal(await act(key.id, viewer), 403, 'Forbidden')
      expectRefusal(await act(key.id, stranger), 403, 'Forbidden')
      expectOk(await mint(plane, key.api_key))
    })

    test('knows no key that is not there', async () => {
      expect((await act(unknownId)).status).toBe(404)
      expect((await act('key-1')).status).toBe(404)
    })
  })

  test.each<[string, () => Promise<Answer>[], number, Words]>([
    [
      'a key of a sibling project under this one',
      () => [forms.rotate, forms.revoke].map(([act]) => act!(foreign.key.id, owned(), project.id)),
      404,
      'API key not found',
    ],
    [
      "another tenant's key by the short path",
      () => [forms.rotate, forms.revoke].map(([, act]) => act!(foreign.key.id)),
      403,
      'Forbidden',
    ],
    [
      "another tenant's key under its own project",
      () => [forms.rotate, forms.revoke].map(([act]) => act!(foreign.key.id, owned(), foreign.id)),
      403,
      'Forbidden',
    ],
  ])('refuses %s and leaves it alive', async (_what, calls, status, words) => {
    for (const answer of await Promise.all(calls())) expectRefusal(answer, status, words)
    expectOk(await mint(plane, foreign.key.api_key))
  })

  test('keeps the keys of sibling projects apart', async () => {
    const key = await plane.makeApiKey(sibling.id)
    expect((await list(sibling.id)).map(listed => listed['id'])).toEqual([key.id])
    expect((await list()).map(listed => listed['id'])).not.toContain(key.id)
    expectRefusal(await forms.revoke[0]!(key.id), 404, 'API key not found')
    expectOk(await mint(plane, key.api_key))
  })
})
