// The export of usage over the wire: CSV and NDJSON with the same rows, in pages, cells that no spreadsheet runs, and
// who may read it.
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness } from '../../../support/management-harness.ts'

const header = 'day,uid,model,requests,prompt_tokens,completion_tokens,total_tokens,cost_usd,endpoint\r\n'
const model = 'openai/gpt-4o'
const endpoint = 'chat_completions'

describeEachBackend('the export of usage', start => {
  let plane: ManagementHarness
  let tenant: { id: string }
  beforeAll(async () => {
    plane = await start()
    tenant = await plane.makeTenant({ plan: 'pro' })
  })

  const call = (id: string, query = '', session = plane.owner.session, method = 'GET') =>
    plane.call(method, `/auth/v1/projects/${id}/usage/export${query}`, { session })
  const makeProject = () => plane.makeProject(tenant.id)
  const insert = async (id: string, rows: readonly { day: string; uid: string; nano?: number }[]) => {
    for (let at = 0; at < rows.length; at += 100) {
      const some = rows.slice(at, at + 100)
      const holders = some.map(() => '(?, ?, ?, ?, 2, 20, 3, 23, ?)').join()
      const values = some.flatMap(({ day, uid, nano = 0 }) => [id, day, uid, model, nano])
      await plane.query(`insert into usage_days values ${holders}`, values)
    }
  }

  test('CSV with a header, oldest day first; NDJSON with the same rows', async () => {
    const { id, slug } = await makeProject()
    await insert(id, [
      { day: '2026-05-02', uid: 'alice', nano: 1 },
      { day: '2026-05-01', uid: 'bob', nano: 2_500_000_000 },
      { day: '2026-05-01', uid: 'alice', nano: 3_000_000_000 },
    ])
    await insert((await makeProject()).id, [{ day: '2026-05-01', uid: 'another project' }])
    const csv = await call(id)
    expect(csv.status).toBe(200)
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
    expect(csv.headers.get('x-content-type-options')).toBe('nosniff')
    expect(csv.headers.get('content-disposition')).toBe(`attachment; filename="usage-${slug}.csv"`)
    expect(csv.headers.get('cache-control')).toBe('no-store')
    expect(csv.text).toBe(
      `${header}2026-05-01,alice,openai/gpt-4o,2,20,3,23,3,chat_completions\r\n` +
        '2026-05-01,bob,openai/gpt-4o,2,20,3,23,2.5,chat_completions\r\n' +
        '2026-05-02,alice,openai/gpt-4o,2,20,3,23,0.000000001,chat_completions\r\n',
    )
    const lines = await call(id, '?format=ndjson')
    expect(lines.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8')
    const numbers = { requests: 2, prompt_tokens: 20, completion_tokens: 3, total_tokens: 23 }
    expect(
      lines.text
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line)),
    ).toEqual([
      { day: '2026-05-01', uid: 'alice', model, ...numbers, cost_usd: 3, endpoint },
      { day: '2026-05-01', uid: 'bob', model, ...numbers, cost_usd: 2.5, endpoint },
      { day: '2026-05-02', uid: 'alice', model, ...numbers, cost_usd: 1e-9, endpoint },
    ])
    const head = await call(id, '', plane.owner.session, 'HEAD')
    expect([head.status, head.text, head.headers.get('content-type')]).toEqual([
      200,
      '',
      'text/csv; charset=utf-8; header=present',
    ])
  })

  test('only the days asked for, and all of them in pages', async () => {
    const { id } = await makeProject()
    const users = Array.from({ length: 1_200 }, (_, index) => `user-${String(index).padStart(4, '0')}`)
    await insert(id, [
      { day: '2026-04-30', uid: 'before' },
      ...users.map(uid => ({ day: '2026-05-01', uid })),
      { day: '2026-05-02', uid: 'after' },
    ])
    const uids = async (query: string) =>
      (await call(id, query)).text
        .trimEnd()
        .split('\r\n')
        .slice(1)
        .map(line => line.split(',')[1])
    expect(await uids('?from=2026-05-01&to=2026-05-01')).toEqual(users)
    expect(await uids('?format=csv')).toEqual(['before', ...users, 'after'])
    expect(await uids('?from=2026-05-02')).toEqual(['after'])
    expect((await call(id, '?from=2027-01-01')).text).toBe(header)
  })

  test.each([
    ['=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\tx', "'\tx"],
    ['\rx', `"'\rx"`],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    ['x=1', 'x=1'],
    ['ümit', 'ümit'],
  ])('the user id %j becomes %j', async (uid, cell) => {
    const { id } = await makeProject()
    await insert(id, [{ day: '2026-05-01', uid }])
    expect((await call(id)).text).toBe(`${header}2026-05-01,${cell},openai/gpt-4o,2,20,3,23,0,chat_completions\r\n`)
    expect(JSON.parse((await call(id, '?format=ndjson')).text)).toMatchObject({ uid })
  })

  test('refuses other formats, bad days and strangers; a viewer may read it', async () => {
    const { id } = await makeProject()
    const refusal = (error: string) => ({ status: 400, body: { error } })
    expect(await call(id, '?format=xlsx')).toMatchObject(refusal('format must be one of: csv, ndjson'))
    expect(await call(id, '?from=2026-02-30')).toMatchObject(refusal('from must be a date (YYYY-MM-DD)'))
    expect((await call(id, '', (await plane.makePerson()).session)).status).toBe(403)
    expect((await call(randomUUID())).status).toBe(404)
    const viewer = await plane.makePerson({ tenantId: tenant.id, role: 'viewer' })
    expect((await call(id, '', viewer.session)).text).toBe(header)
  })
})
