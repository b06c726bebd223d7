// Projects by the rows of the contract: create, list, the free plan's limit, provisioning, suspension and what it
// leaves.
import { beforeAll, describe, expect, test } from 'vitest'
import { type Answer, describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'
import { expectOk, expectRefusal, mint, unknownId, uuid, type Words } from '../requests.ts'

interface Project {
  id: string
  tenant_id: string
  name: string
  slug: string
  status: string
  dns_status: string
  created_at: string
}

describeEachBackend('projects', start => {
  let plane: ManagementHarness
  let tenant: { id: string }
  let stranger: { session: string }
  let viewer: { session: string }
  let member: { session: string }

  beforeAll(async () => {
    plane = await start({ env: { PUBLIC_DOMAIN: 'gate.test', INTERNAL_DOMAIN: 'dev.gate.test' } })
    tenant = await plane.makeTenant({ plan: 'pro' })
    stranger = await plane.makePerson()
    viewer = await plane.makePerson({ tenantId: tenant.id, role: 'viewer' })
    member = await plane.makePerson({ tenantId: tenant.id, role: 'member' })
  })

  const owned = () => ({ session: plane.owner.session })
  const create = (body: unknown, tenantId = tenant.id, more: object = owned()): Promise<Answer> =>
    plane.call('POST', `/auth/v1/tenants/${tenantId}/projects`, { body, ...more })
  const list = async (tenantId = tenant.id): Promise<Project[]> =>
    expectOk(await plane.call('GET', `/auth/v1/tenants/${tenantId}/projects`, owned()))
  const onProject = (method: string, projectId: string, suffix: string, more: object = owned()) =>
    plane.call(method, `/auth/v1/projects/${projectId}/${suffix}`, more)

  describe('create', () => {
    test('answers the new project, whose name is trimmed and whose defaults are stored', async () => {
      const made = expectOk<Project>(await create({ name: '  Search  ' }), 201)
      expect(made).toEqual({
        id: expect.stringMatching(uuid),
        tenant_id: tenant.id,
        name: 'Search',
        slug: expect.stringMatching(/^[a-z]+-[a-z]+-\d{2,4}$/),
        fqdn_dev: `${made.slug}.dev.gate.test`,
        fqdn_prod: `${made.slug}.gate.test`,
        dns_status: 'PENDING',
      })
      const settings = expectOk(await onProject('GET', made.id, 'settings'))
      expect(settings).toMatchObject({ project_id: made.id, rpm_limit: 60, memory_window: 50, deployed_at: null })
      const [row] = await plane.query<{ revision: number }>('select revision from live_configs where project_id = ?', [
        made.id,
      ])
      expect(Number(row?.revision)).toBe(1)
    })

    test('lets a member create, and the list shows it to a viewer', async () => {
      const made = expectOk<Project>(await create({ name: 'By a member' }, tenant.id, member), 201)
      const listed = expectOk<Project[]>(await plane.call('GET', `/auth/v1/tenants/${tenant.id}/projects`, viewer))
      expect(listed.find(project => project.id === made.id)).toEqual({
        id: made.id,
        tenant_id: tenant.id,
        name: 'By a member',
        slug: made.slug,
        status: 'active',
        dns_status: 'READY',
        managed_by: null,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      })
    })

    test.each<[string, unknown, string]>([
      ['no name', {}, 'name is required'],
      ['no body', undefined, 'name is required'],
      ['null', { name: null }, 'name is required'],
      ['an empty name', { name: '' }, 'name is required'],
      ['a blank name', { name: ' \t\n' }, 'name is required'],
      ['a number', { name: 7 }, 'name must be a string'],
      ['256 characters', { name: 'x'.repeat(256) }, 'name must be at most 255 characters'],
      ['a control character', { name: 'a\u0000b' }, 'name must not contain control characters'],
      ['a list for a body', [], 'Request body must be a JSON object'],
      ['broken JSON', '{"name":', 'Invalid JSON body'],
    ])('refuses %s', async (_what, body, words) => {
      expectRefusal(await create(body), 400, words)
    })

    test.each<[string, () => Promise<Answer>, number, Words]>([
      ['nobody', () => create({ name: 'x' }, tenant.id, {}), 401, 'Bearer token required'],
      ['an ended session', () => create({ name: 'x' }, tenant.id, { session: 'sess_gone' }), 401, 'Invalid session'],
      ['a stranger', () => create({ name: 'x' }, tenant.id, stranger), 403, 'Forbidden'],
      ['a viewer', () => create({ name: 'x' }, tenant.id, viewer), 403, 'Forbidden'],
      [
        'an unknown tenant',
        () => create({ name: 'x' }, unknownId),
        404,
        { error: 'Tenant not found', code: 'TENANT_NOT_FOUND' },
      ],
      [
        'an id that is none',
        () => create({ name: 'x' }, 'acme'),
        404,
        { error: 'Tenant not found', code: 'TENANT_NOT_FOUND' },
      ],
    ])('refuses %s', async (_who, call, status, words) => {
      expectRefusal(await call(), status, words)
    })

    test('is the same route by its short path', async () => {
      const made = await plane.call('POST', `/v1/tenants/${tenant.id}/projects`, {
        body: { name: 'Short' },
        ...owned(),
      })
      expect(expectOk<Project>(made, 201).name).toBe('Short')
      expectRefusal(await plane.call('GET', `/v1/tenants/${tenant.id}/projects`, stranger), 403, 'Forbidden')
    })

    test('makes one project for one Idempotency-Key', async () => {
      const quiet = await plane.makeTenant()
      const more = { ...owned(), headers: { 'idempotency-key': 'create-once' } }
      const first = expectOk(await create({ name: 'Once' }, quiet.id, more), 201)
      expect(expectOk(await create({ name: 'Once' }, quiet.id, more), 201)).toEqual(first)
      expectRefusal(
        await create({ name: 'Twice' }, quiet.id, more),
        422,
        'This Idempotency-Key was used with another body',
      )
      expect(await list(quiet.id)).toHaveLength(1)
    })
  })

  test('lists oldest first, and nothing for a tenant without any', async () => {
    const quiet = await plane.makeTenant()
    expect(await list(quiet.id)).toEqual([])
    const made = [await plane.makeProject(quiet.id), await plane.makeProject(quiet.id)]
    expect((await list(quiet.id)).map(project => project.id)).toEqual(made.map(project => project.id))
  })

  test('holds a free tenant to three active projects, and no paying one', async () => {
    const free = await plane.makeTenant()
    const [first] = [
      await plane.makeProject(free.id),
      await plane.makeProject(free.id),
      await plane.makeProject(free.id),
    ]
    const full = {
      error: 'Free plan is limited to 3 projects',
      upgrade_url: `http://localhost:${plane.product.port}/upgrade`,
    }
    expectRefusal(await create({ name: 'Fourth' }, free.id), 403, full)
    expect(await list(free.id)).toHaveLength(3)
    expectOk(await onProject('POST', first?.id ?? '', 'suspend'))
    expectOk(await create({ name: 'In its place' }, free.id), 201)
    expectRefusal(await create({ name: 'One too many' }, free.id), 403, full)
    const paying = { adminSecret: plane.adminSecret, body: { plan: 'pro' } }
    expectOk(await plane.call('PUT', `/v1/admin/tenants/${free.id}/plan`, paying))
    expectOk(await create({ name: 'Paid' }, free.id), 201)
  })

  describe('provisioning', () => {
    const read = (projectId: string, more?: object) => onProject('GET', projectId, 'provisioning', more)
    const retry = (projectId: string, more?: object) => onProject('POST', projectId, 'provisioning/retry', more)

    test('is ready at once where a wildcard record exists', async () => {
      const project = await plane.makeProject(tenant.id)
      expect(expectOk(await read(project.id, viewer))).toEqual({
        dns_status: 'READY',
        dns_last_error: null,
        fqdn_dev: `${project.slug}.dev.gate.test`,
        fqdn_prod: `${project.slug}.gate.test`,
        slug: project.slug,
        dns_updated_at: expect.stringMatching(/Z$/),
      })
    })

    test('goes from FAILED to PENDING on retry, and from nothing else', async () => {
      const project = await plane.makeProject(tenant.id)
      const words = 'Provisioning can only be retried after it has failed'
      expectRefusal(await retry(project.id), 400, words)
      await plane.query("update projects set dns_status = 'FAILED', dns_last_error = 'refused' where id = ?", [
        project.id,
      ])
      expect(expectOk(await read(project.id))).toMatchObject({ dns_status: 'FAILED', dns_last_error: 'refused' })
      expectRefusal(await retry(project.id, viewer), 403, 'Forbidden')
      expect(expectOk(await retry(project.id))).toEqual({ dns_status: 'PENDING' })
      expect(expectOk(await read(project.id))).toMatchObject({ dns_last_error: null })
    })

    test.each(['FAILED', 'PENDING', 'READY'])('is not retried once suspended, and stays %s', async dnsStatus => {
      const project = await plane.makeProject(tenant.id)
      expectOk(await onProject('POST', project.id, 'suspend'))
      const set = "update projects set dns_status = ?, dns_last_error = 'refused' where id = ?"
      await plane.query(set, [dnsStatus, project.id])
      const before = expectOk(await read(project.id))
      expectRefusal(await retry(project.id), 409, 'Project is suspended')
      expect(expectOk(await read(project.id))).toEqual(before)
      expect(await plane.query('select project_id from dns_jobs where project_id = ?', [project.id])).toEqual([])
    })

    test.each<[string, () => Promise<Answer>, number, Words]>([
      ['an unknown project', () => read(unknownId), 404, 'Project not found'],
      ['an id that is none', () => read('nope'), 404, 'Project not found'],
      ['nobody', () => read(unknownId, {}), 401, 'Bearer token required'],
      ['an unknown project on retry', () => retry(unknownId), 404, 'Project not found'],
    ])('refuses %s', async (_who, call, status, words) => {
      expectRefusal(await call(), status, words)
    })
  })

  describe('suspend', () => {
    const suspend = (projectId: string, more?: object) => onProject('POST', projectId, 'suspend', more)

    test('revokes every key, tells the data plane, and changes nothing when repeated', async () => {
      const project = await plane.makeProject(tenant.id)
      const keys = [await plane.makeApiKey(project.id), await plane.makeApiKey(project.id)]
      const [before] = await readLive(project.id)
      expect(expectOk(await suspend(project.id, member))).toEqual({ status: 'suspended' })
      const [suspended] = await readLive(project.id)
      expect(suspended).toEqual({ ...before, status: 'suspended', revision: Number(before?.revision) + 1 })
      expect(await readRevoked(project.id)).toHaveLength(2)
      for (const key of keys) expectRefusal(await mint(plane, key.api_key), 401, 'Project is suspended')
      const revokedAt = await readRevoked(project.id)
      expect(expectOk(await suspend(project.id))).toEqual({ status: 'suspended' })
      expect(await readLive(project.id)).toEqual([suspended])
      expect(await readRevoked(project.id)).toEqual(revokedAt)
    })

    test('refuses new and rotated keys afterwards, and lets reading and editing go on', async () => {
      const project = await plane.makeProject(tenant.id)
      const key = await plane.makeApiKey(project.id)
      expectOk(await suspend(project.id))
      const rotate = `api-keys/${key.id}/rotate`
      expectRefusal(
        await onProject('POST', project.id, 'api-keys', { body: {}, ...owned() }),
        409,
        'Project is suspended',
      )
      expectRefusal(await onProject('POST', project.id, rotate), 409, 'Project is suspended')
      const short = await plane.call('POST', `/auth/v1/${rotate}`, owned())
      expectRefusal(short, 409, 'Project is suspended')
      expect(expectOk(await onProject('GET', project.id, 'api-keys'))).toEqual([])
      const edit = { body: { rpm_limit: 7 }, ...owned() }
      expect(expectOk(await onProject('PUT', project.id, 'settings', edit))).toMatchObject({ rpm_limit: 7 })
      expect((await list()).find(({ id }) => id === project.id)).toMatchObject({
        status: 'suspended',
        dns_status: 'READY',
      })
    })

    test.each<[string, () => Promise<Answer>, number, Words]>([
      ['nobody', () => suspend(unknownId, {}), 401, 'Bearer token required'],
      ['an unknown project', () => suspend(unknownId), 404, 'Project not found'],
    ])('refuses %s', async (_who, call, status, words) => {
      expectRefusal(await call(), status, words)
    })

    test('refuses strangers and viewers, and leaves the project active', async () => {
      const project = await plane.makeProject(tenant.id)
      expectRefusal(await suspend(project.id, stranger), 403, 'Forbidden')
      expectRefusal(await suspend(project.id, viewer), 403, 'Forbidden')
      expect(await readLive(project.id)).toMatchObject([{ status: 'active' }])
    })

    const readLive = (projectId: string) =>
      plane
        .query<{ status: string; revision: number }>(
          'select p.status, l.revision from projects p join live_configs l on l.project_id = p.id where p.id = ?',
          [projectId],
        )
        .then(rows => rows.map(row => ({ ...row, revision: Number(row.revision) })))
    const readRevoked = (projectId: string) =>
      plane.query('select id, revoked_at from api_keys where project_id = ? and revoked_at is not null order by id', [
        projectId,
      ])
  })
})
