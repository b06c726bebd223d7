// The routes of the audit: who reads it, its filters and pages, one entry, its exports, its webhook; refused acts and
// sign-ins; what the worker drops.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { tokenDigest } from '../../../src/crypto/secrets/credentials.ts'
import type { AuditEntry } from '../../../src/domain/audit/entry.ts'
import { describeEachBackend, type ManagementHarness, type Person } from '../../support/management-harness.ts'
import { expectOk, expectRefusal, times } from '../requests.ts'

interface List {
  data: AuditEntry[]
  next_cursor: string | null
}

describeEachBackend('the audit', start => {
  let plane: ManagementHarness
  let owner: Person
  let tenantId: string
  let path: string
  beforeAll(async () => {
    plane = await start({ own: true, env: { AUDIT_DAYS: '1', SYNC_INTERVAL: '1' } })
    owner = await plane.makePerson()
    ;({ id: tenantId } = await plane.makeTenant({ session: owner.session, plan: 'pro' }))
    path = `/auth/v1/tenants/${tenantId}`
  })

  const call = (method: string, rest: string, body?: unknown, session = owner.session) =>
    plane.call(method, `${path}${rest}`, { session, body })
  const list = async (query = '') => expectOk<List>(await call('GET', `/audit${query}`))
  const ofInstallation = async (query = '') =>
    expectOk<List>(await plane.call('GET', `/v1/admin/audit${query}`, { adminSecret: plane.adminSecret }))

  test('is read with the permission alone, and by operators', async () => {
    const member = await plane.makePerson()
    await plane.join(tenantId, member, 'member', owner.session)
    for (const rest of ['', '/head', '/verify', '/export', '/1']) {
      expect((await call('GET', `/audit${rest}`, undefined, member.session)).status).toBe(403)
      expect((await plane.call('GET', `/v1/admin/audit${rest}`, { session: member.session })).status).toBe(401)
      expect((await call('GET', `/audit${rest}`)).status).toBe(200)
    }
  })

  test.each(['PUT', 'POST', 'PATCH', 'DELETE'])('has no route that changes it by %s', async method => {
    for (const rest of ['/audit', '/audit/1', '/audit/head']) {
      expect((await call(method, rest, {})).status).toBe(405)
    }
  })

  test('is filtered by who did what to what, when, and how it ended; in pages', async () => {
    const { id: projectId } = await plane.makeProject(tenantId, owner.session)
    await plane.makeApiKey(projectId, owner.session)
    const created = await list('?action=api_key.create')
    expect(created.data.map(({ action }) => action)).toEqual(['api_key.create'])
    expect((await list(`?target=${projectId}`)).data.map(({ action }) => action)).toEqual(['project.create'])
    expect((await list(`?actor=${owner.id}&action=project.create`)).data).toHaveLength(1)
    expect((await list('?actor=nobody')).data).toEqual([])
    expect((await list('?from=2100-01-01T00:00:00Z')).data).toEqual([])
    expect((await list('?to=2001-01-01')).data).toEqual([])
    expect((await list('?outcome=refused')).data.every(({ outcome }) => outcome === 'refused')).toBe(true)
    const first = await list('?limit=1')
    const second = await list(`?limit=1&cursor=${first.next_cursor}`)
    expect((second.data[0]?.seq ?? 0) + 1).toBe(first.data[0]?.seq)
    const one = expectOk<AuditEntry>(await call('GET', `/audit/${second.data[0]?.seq}`))
    expect(one).toEqual(second.data[0])
    expectRefusal(await call('GET', '/audit/999999'), 404, 'Not found')
    for (const [query, words] of [
      ['from=yesterday', 'from must be an ISO 8601 time'],
      ['outcome=maybe', 'outcome must be one of: done, refused'],
    ]) {
      expectRefusal(await call('GET', `/audit?${query}`), 400, words ?? '')
    }
  })

  test('is exported as entries with the signed end, and as OCSF events in CloudEvents', async () => {
    const lines = async (query: string) =>
      (await call('GET', `/audit/export${query}`)).text
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line))
    const entries = await lines('')
    const head = entries.pop()
    expect(head).toEqual({ head: expect.objectContaining({ chain: tenantId, seq: entries.at(-1).seq }) })
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1))
    // The export itself is an act, and its entry comes before what it reads.
    expect(entries.at(-1)).toMatchObject({ action: 'audit.export', outcome: 'done' })
    const exports = async () => (await list('?action=audit.export')).data.length
    const before = await exports()
    expect(await call('HEAD', '/audit/export')).toMatchObject({ status: 200, text: '' })
    expect(await exports()).toBe(before)
    const events = await lines('?format=ocsf&action=project.create')
    expect(events).toEqual([
      expect.objectContaining({
        specversion: '1.0',
        type: 'sallyport.audit.project.create',
        source: expect.stringContaining(`/audit/${tenantId}`),
        data: expect.objectContaining({
          class_uid: 3004,
          activity_id: 1,
          type_uid: 300_401,
          status: 'Success',
          actor: { user: { uid: owner.id, name: owner.email, type: 'user' } },
        }),
      }),
    ])
  })

  test('is proven by the command without a server, with the published keys', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sallyport-audit-'))
    const [file, keys] = [join(folder, 'audit.ndjson'), join(folder, 'jwks.json')]
    const { text } = await call('GET', '/audit/export')
    writeFileSync(file, text)
    writeFileSync(keys, (await plane.call('GET', '/.well-known/jwks.json')).text)
    const program = join(import.meta.dirname, '../../../../cli/dist/sallyport.js')
    const verify = () => {
      const command = [program, 'audit', 'verify', file, '--keys', keys]
      const { status, stdout } = spawnSync(process.execPath, command, { encoding: 'utf8' })
      return [status, stdout]
    }
    const count = text.trimEnd().split('\n').length - 1
    expect(verify()).toEqual([0, `The chain is whole: ${count} entries. The signature is valid.\n`])
    writeFileSync(file, text.replace('project.create', 'project.rename'))
    expect(verify()).toEqual([1, expect.stringMatching(/^Entry \d+ was changed/)])
    rmSync(folder, { recursive: true })
  })

  test('tells webhooks that name it, without names and values', async () => {
    const body = { url: 'https://8.8.8.8/audit', types: ['audit'] }
    const hook = expectOk<{ id: string }>(await call('POST', '/webhooks', body), 201)
    const all = expectOk<{ id: string }>(await call('POST', '/webhooks', { url: 'https://8.8.8.8/all' }), 201)
    expectOk(await call('PATCH', '', { name: 'A private name' }))
    const bodiesFor = async (id: string) => {
      const rows = await plane.query<{ body: string }>('select body from webhook_deliveries where webhook_id = ?', [id])
      return rows.map(row => row.body)
    }
    const told = (await bodiesFor(hook.id)).filter(text => text.includes('tenant.rename'))
    expect(told).toHaveLength(1)
    expect(JSON.parse(told[0] ?? '')).toMatchObject({
      type: 'audit',
      data: { action: 'tenant.rename', outcome: 'done' },
    })
    expect(told[0]).not.toContain('A private name')
    expect((await bodiesFor(all.id)).filter(text => text.includes('"audit"'))).toEqual([])
  })

  describe('records what is refused', () => {
    test('to a member in the tenant, to a stranger in the installation', async () => {
      const [viewer, stranger] = [await plane.makePerson(), await plane.makePerson()]
      await plane.join(tenantId, viewer, 'viewer', owner.session)
      for (const { session } of [viewer, stranger]) {
        expect((await call('PATCH', '', { name: 'Taken over' }, session)).status).toBe(403)
      }
      const [entry] = (await list(`?actor=${viewer.id}&outcome=refused`)).data
      expect(entry).toMatchObject({ action: 'tenant.rename', reason: 'forbidden', before: null, after: null })
      expect((await list(`?actor=${stranger.id}`)).data).toEqual([])
      expect((await ofInstallation(`?actor=${stranger.id}&outcome=refused`)).data).toHaveLength(1)
    })

    test('sixty times a minute to one actor, and then only counts', async () => {
      const viewer = await plane.makePerson()
      await plane.join(tenantId, viewer, 'viewer', owner.session)
      await times(130, () => call('PATCH', '', { name: 'Taken over' }, viewer.session))
      const found = await plane.query<{ count: number }>(
        "select count(*) as count from audit_entries where actor_id = ? and outcome = 'refused'",
        [viewer.id],
      )
      // The minute may end meanwhile: then there are at most sixty of each of the two.
      expect(Number(found[0]?.count)).toBeGreaterThanOrEqual(60)
      expect(Number(found[0]?.count)).toBeLessThanOrEqual(120)
      await plane.query('update audit_refusals set minute = minute - 600000 where actor = ?', [`user ${viewer.id}`])
      const counted = async () => (await list('?action=audit.count_refusals')).data.map(({ after }) => after)
      await expect.poll(counted).not.toEqual([])
    })
  })

  test('records sign-ins and failed ones, with the address, in the installation', async () => {
    const person = await plane.makePerson()
    await plane.signIn(person.email, person.password)
    const login = { email: person.email, password: 'not the right password' }
    expect((await plane.call('POST', '/auth/v1/sessions', { body: login })).status).toBe(401)
    const { data } = await ofInstallation('?action=session.create&limit=2')
    expect(data.map(({ actor, outcome, reason }) => [actor.name, outcome, reason])).toEqual([
      [person.email, 'refused', 'invalid_login'],
      [person.email, 'done', null],
    ])
    expect(data[0]?.address).toMatch(/^[0-9a-f.:]+$/)
    expect(JSON.stringify(data)).not.toContain(tokenDigest(person.session))
  })

  test('drops whole months after AUDIT_DAYS, and goes on from a signed entry', async () => {
    const { id } = await plane.makeTenant({ session: owner.session })
    const at = `/auth/v1/tenants/${id}`
    const rename = (name: string) => plane.call('PATCH', at, { session: owner.session, body: { name } })
    for (const name of ['One', 'Two', 'Three']) expectOk(await rename(name))
    await plane.query('update audit_entries set at = 0 where tenant_id = ? and seq <= 2', [id])
    const read = async (rest: string) => plane.call('GET', `${at}/audit${rest}`, { session: owner.session })
    const seqs = async () => expectOk<List>(await read('')).data.map(({ seq }) => seq)
    await expect.poll(seqs).toEqual([3])
    const { start: begin } = expectOk<{ start: { seq: number; signature: string } }>(await read('/head'))
    expect(begin).toMatchObject({ seq: 2, signature: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) })
    expect(expectOk(await read('/verify'))).toMatchObject({ verified: true, first_seq: 3, entries: 1 })
  })
})
