// Who last changed each thing of a list: the newest change of each, in its project, for those who read the audit.
import { beforeAll, expect, test } from 'vitest'
import type { AuditEntry } from '../../../src/domain/audit/entry.ts'
import { describeEachBackend, type ManagementHarness, type Person } from '../../support/management-harness.ts'
import { expectOk, expectRefusal } from '../requests.ts'

const targetsWords = 'targets must be a list of 1 to 200 strings of 1 to 512 characters'

describeEachBackend('the last changes of the things of a list', start => {
  let plane: ManagementHarness
  let owner: Person
  let tenantId: string
  beforeAll(async () => {
    plane = await start()
    owner = await plane.makePerson()
    ;({ id: tenantId } = await plane.makeTenant({ session: owner.session, plan: 'pro' }))
  })

  const call = (method: string, path: string, body?: unknown, session = owner.session) =>
    plane.call(method, path, { session, body })
  const ask = (body: unknown, session?: string) =>
    call('POST', `/auth/v1/tenants/${tenantId}/audit/last-changes`, body, session)
  const find = async (body: unknown) => {
    const { data } = expectOk<{ data: AuditEntry[] }>(await ask(body))
    return Object.fromEntries(data.map(({ target, action, actor }) => [target.id, [action, actor.name]]))
  }
  const putRole = async (name: string, permissions = ['project:read'], session = owner.session) =>
    expectOk(await call('PUT', `/auth/v1/tenants/${tenantId}/roles/${name}`, { permissions }, session))

  test('are the newest of each, by whoever did them, and none where nothing was done', async () => {
    const second = await plane.makePerson()
    await plane.join(tenantId, second, 'owner', owner.session)
    for (const name of ['one', 'two', 'three']) await putRole(name)
    await putRole('two', ['project:read', 'project:write'], second.session)
    // What differs in nothing is no change.
    await putRole('one', ['project:read'], second.session)
    expect(await find({ actions: ['role.put'], targets: ['one', 'two', 'never', 'one'] })).toEqual({
      one: ['role.put', owner.email],
      two: ['role.put', second.email],
    })
    expect(await find({ actions: ['role.delete'], targets: ['one', 'two'] })).toEqual({})
  })

  test('are acts that were done and changed something', async () => {
    const member = await plane.makePerson()
    await plane.join(tenantId, member, 'member', owner.session)
    const path = `/auth/v1/tenants/${tenantId}/members/${member.id}`
    expectOk(await call('PATCH', path, { role: 'viewer' }))
    // Refused, and without a difference.
    expect((await call('PATCH', path, { role: 'owner' }, member.session)).status).toBe(403)
    const changes = () => find({ actions: ['member.role'], targets: [member.id] })
    expect(await changes()).toEqual({ [member.id]: ['member.role', owner.email] })
    const [before] = await plane.query<{ seq: number }>(
      'select max(seq) as seq from audit_entries where tenant_id = ? and target_id = ? and is_change = 1',
      [tenantId, member.id],
    )
    expectOk(await call('PATCH', path, { role: 'viewer' }))
    const { data } = expectOk<{ data: AuditEntry[] }>(await ask({ actions: ['member.role'], targets: [member.id] }))
    expect(data.map(({ seq, after }) => [seq, after])).toEqual([[Number(before?.seq), { role: 'viewer' }]])
  })

  test('are found in the project that is named, where ids are names, and by entries of old versions', async () => {
    const ids = []
    for (const _ of [1, 2]) {
      const { id } = await plane.makeProject(tenantId, owner.session)
      const body = { messages: [{ role: 'system', content: 'Be brief.' }] }
      expectOk(await call('PUT', `/auth/v1/projects/${id}/prompts/greeting`, body))
      ids.push(id)
    }
    const wanted = { actions: ['prompt.put'], targets: ['greeting'] }
    const seqs = async (body: object) => expectOk<{ data: AuditEntry[] }>(await ask(body)).data.map(({ seq }) => seq)
    const [first, second] = [
      await seqs({ ...wanted, project_id: ids[0] }),
      await seqs({ ...wanted, project_id: ids[1] }),
    ]
    expect([first.length, second.length]).toEqual([1, 1])
    expect(first[0]).toBeLessThan(second[0] ?? 0)
    await plane.query('update audit_entries set is_change = null, project_id = null where tenant_id = ?', [tenantId])
    expect(await seqs({ ...wanted, project_id: ids[1] })).toEqual([])
    expect(await seqs(wanted)).toEqual(second)
  })

  test('are those of the own tenant, for who reads its audit', async () => {
    const stranger = await plane.makePerson()
    const { id } = await plane.makeTenant({ session: stranger.session })
    const wanted = { actions: ['role.put'], targets: ['one'] }
    const elsewhere = await call('POST', `/auth/v1/tenants/${id}/audit/last-changes`, wanted, stranger.session)
    expect(expectOk(elsewhere)).toEqual({ data: [] })
    expect((await ask(wanted, stranger.session)).status).toBe(403)
  })

  test.each([
    ['no action', { actions: [] }, 'actions must be a list of 1 to 20 strings of 1 to 512 characters'],
    ['no target', { targets: [] }, targetsWords],
    ['more targets than a page has rows', { targets: Array.from({ length: 201 }, (_, at) => `${at}`) }, targetsWords],
    ['a NUL', { targets: ['\0'] }, targetsWords],
    ['another kind of project', { project_id: 7 }, 'project_id must be a string of 1 to 512 characters, or null'],
  ])('are not found for %s', async (_, wrong, words) => {
    expectRefusal(await ask({ actions: ['role.put'], targets: ['one'], ...wrong }), 400, words)
  })

  test('of 200 things come at once', async () => {
    const targets = Array.from({ length: 199 }, (_, index) => `role-${index}`)
    expect(await find({ actions: ['role.put'], targets: [...targets, 'three'] })).toHaveProperty('three')
  })
})
