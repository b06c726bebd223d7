// The list of a project's end users and the erasure of one, over the wire: shape, pages, search, and that an erased user is
// gone within a cycle of the worker.
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'
import { startInProcess } from '../../support/management-in-process.ts'

interface Page {
  data: Array<Record<string, unknown> & { uid: string }>
  next_cursor: string | null
}

describeEachBackend('end users', start => {
  let plane: ManagementHarness
  let projectId: string
  const now = Date.now()
  const today = new Date(now).toISOString().slice(0, 10)
  const session = () => ({ session: plane.owner.session })
  const path = (rest = '') => `/auth/v1/projects/${projectId}/users${rest}`
  const list = async (query = '') => (await plane.call('GET', path(query), session())).body as Page
  const addUser = async (uid: string) => {
    await plane.query('insert into end_users values (?, ?, ?, ?)', [projectId, uid, now - 5_000, now])
    await plane.query('insert into usage_days values (?, ?, ?, ?, 2, 3, 4, 7, 5)', [
      projectId,
      today,
      uid,
      'openai/gpt-4o',
    ])
    await plane.query('insert into usage_days values (?, ?, ?, ?, 1, 1, 1, 2, 5)', [
      projectId,
      today,
      uid,
      'openai/gpt-5',
    ])
  }

  beforeAll(async () => {
    plane = await start()
    projectId = (await plane.makeProject((await plane.makeTenant()).id)).id
    for (const uid of ['alice', 'bob', 'carol']) await addUser(uid)
  })

  test('lists each with its usage of the day and its restrictions', async () => {
    await plane.call('PUT', path('/bob/block'), { ...session(), body: { reason: 'Spam' } })
    await plane.call('POST', path('/bob/revoke-tokens'), session())
    const { data, next_cursor } = await list()
    expect(next_cursor).toBeNull()
    const alice = {
      uid: 'alice',
      first_seen_at: new Date(now - 5_000).toISOString(),
      last_seen_at: new Date(now).toISOString(),
      requests_today: 3,
      tokens_today: 9,
      blocked_at: null,
      block_reason: null,
      tokens_revoked_at: null,
    }
    const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/)
    expect(data).toEqual([
      alice,
      { ...alice, uid: 'bob', blocked_at: iso, block_reason: 'Spam', tokens_revoked_at: iso },
      { ...alice, uid: 'carol' },
    ])
    for (const user of data) {
      expect(await plane.call('GET', path(`/${user.uid}`), session())).toMatchObject({ status: 200, body: user })
    }
  })

  test('one who was never seen has no times and no usage', async () => {
    const { status, body } = await plane.call('GET', path(`/~${Buffer.from('a/b').toString('base64url')}`), session())
    expect([status, body]).toEqual([
      200,
      {
        uid: 'a/b',
        first_seen_at: null,
        last_seen_at: null,
        requests_today: 0,
        tokens_today: 0,
        blocked_at: null,
        block_reason: null,
        tokens_revoked_at: null,
      },
    ])
    const longest = await plane.call('GET', path(`/${'x'.repeat(256)}`), session())
    expect(longest).toMatchObject({ status: 400, body: { error: expect.stringMatching(/^uid must be/) } })
    expect((await list()).data.map(({ uid }) => uid)).not.toContain('a/b')
  })

  test('pages, and searches by part of the uid', async () => {
    const first = await list('?limit=2')
    expect(first.data.map(({ uid }) => uid)).toEqual(['alice', 'bob'])
    const second = await list(`?limit=2&cursor=${first.next_cursor}`)
    expect(second).toMatchObject({ data: [{ uid: 'carol' }], next_cursor: null })
    expect((await list('?q=RO')).data.map(({ uid }) => uid)).toEqual(['carol'])
    // A cursor belongs to its search.
    const other = await plane.call('GET', path(`?q=o&cursor=${first.next_cursor}`), session())
    expect(other).toMatchObject({ status: 400, body: { error: 'cursor is not valid' } })
    const long = await plane.call('GET', path(`?q=${'x'.repeat(256)}`), session())
    expect(long).toMatchObject({ status: 400, body: { error: 'q must be a string (max 255 chars)' } })
  })

  test('an erased user is gone soon, and the usage goes on under another id', async () => {
    await addUser('dave')
    const answer = await plane.call('DELETE', path('/dave'), session())
    expect(answer).toMatchObject({ status: 202, body: { uid: 'dave', requested_at: expect.any(String) } })
    await expect.poll(async () => (await list()).data.map(({ uid }) => uid)).not.toContain('dave')
    const usage = await plane.call('GET', `/auth/v1/projects/${projectId}/usage?group_by=uid`, session())
    const { data } = usage.body as { data: Array<{ uid: string; requests: number }> }
    expect(data.map(({ uid, requests }) => [uid, requests])).toContainEqual(['erased', 3])
    expect(data.map(({ uid }) => uid)).not.toContain('dave')
    expect(await plane.call('DELETE', path('/nobody'), session())).toMatchObject({ status: 202 })
  })
})

test.each([
  ['list', ''],
  ['one user', '/alice'],
])('a request for the %s right after an answer finds its user', async (_what, rest) => {
  const now = Date.now()
  const writes: (() => Promise<unknown>)[] = []
  const writeUsage = async () => {
    for (const write of writes.splice(0)) await write()
  }
  const plane = await startInProcess({}, { writeUsage })
  onTestFinished(() => plane.stop())
  const token = await plane.signIn()
  const tenant = await plane.call('POST', '/auth/v1/tenants', { token, body: { name: 'Acme' } })
  const path = `/auth/v1/tenants/${tenant.body['id']}/projects`
  const project = await plane.call('POST', path, { token, body: { name: 'Chat' } })
  const projectId = String(project.body['id'])
  const row = { project_id: projectId, user_id: 'alice', first_seen_at: now, last_seen_at: now }
  writes.push(() => plane.management.sql.insertInto('end_users').values(row).execute())
  const { body } = await plane.call('GET', `/auth/v1/projects/${projectId}/users${rest}`, { token })
  const [user] = rest === '' ? (body['data'] as unknown[]) : [body]
  expect(user).toMatchObject({ uid: 'alice', last_seen_at: new Date(now).toISOString() })
})
