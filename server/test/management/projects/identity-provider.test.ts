// The routes of a project's external identity provider, and what the running product makes of it within a cycle.
import { createClient } from 'redis'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { keySetText, makeKey } from '../../crypto/token-kit.ts'
import { describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'
import { type KeySetServer, startKeySetServer } from '../../support/simulated/key-set-server.ts'

const jwks_url = 'https://8.8.8.8/keys'
const good = { issuer: 'https://idp.example.com/', jwks_url, audience: 'chat' }
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)

describeEachBackend('the identity provider', (start, backend) => {
  let server: KeySetServer
  let plane: ManagementHarness
  let project: { id: string }
  beforeAll(async () => {
    server = await startKeySetServer(keySetText(makeKey('one')))
    plane = await start({ env: { SYNC_INTERVAL: '1', OUTBOUND_ALLOW: new URL(server.url).host }, own: true })
    project = await plane.makeProject((await plane.makeTenant()).id)
  })
  afterAll(() => server.stop())

  const pathOf = (projectId: string) => `/auth/v1/projects/${projectId}/identity-provider`
  const on = (method: string, body?: unknown, projectId = project.id) =>
    plane.call(method, pathOf(projectId), { session: plane.owner.session, body })
  const newProject = async () => (await plane.makeProject((await plane.makeTenant()).id)).id
  const liveOf = async (projectId: string) => {
    const [row] = await plane.query<{ body: string }>('select body from live_configs where project_id = ?', [projectId])
    return JSON.parse(row?.body ?? '').identity_provider
  }
  const keySetOf = async (projectId: string) =>
    (
      await plane.query<{ key_set: string | null }>('select key_set from identity_providers where project_id = ?', [
        projectId,
      ])
    )[0]?.key_set ?? null

  test('is stored, shown, replaced and removed', async () => {
    const none = [404, { error: 'No identity provider is configured' }]
    const before = await on('GET')
    expect([before.status, before.body]).toEqual(none)
    const stored = await on('PUT', { ...good, unread: true })
    const record = {
      project_id: project.id,
      ...good,
      user_id_claim: 'sub',
      tier_claim: null,
      last_synced_at: null,
      last_error: null,
      created_at: time,
      updated_at: time,
    }
    expect([stored.status, stored.body]).toEqual([200, record])
    expect(await liveOf(project.id)).toEqual({ ...good, user_id_claim: 'sub', tier_claim: null })
    const replaced = await on('PUT', {
      ...good,
      audience: 'other',
      user_id_claim: 'email',
      tier_claim: 'https://x/tier',
    })
    expect(replaced.body).toMatchObject({ audience: 'other', user_id_claim: 'email', tier_claim: 'https://x/tier' })
    expect((await on('PUT', good)).body).toMatchObject({ user_id_claim: 'sub', tier_claim: null })
    const shown = await plane.call('GET', pathOf(project.id).replace('/auth', ''), { session: plane.owner.session })
    expect(shown.body).toMatchObject({ ...good, created_at: (stored.body as typeof record).created_at })
    const removed = await on('DELETE')
    expect([removed.status, removed.text]).toEqual([204, ''])
    expect(await liveOf(project.id)).toBeNull()
    for (const method of ['GET', 'DELETE']) {
      const answer = await on(method)
      expect([answer.status, answer.body]).toEqual(none)
    }
  })

  test.each([
    [{ ...good, issuer: undefined }, 'issuer is required'],
    [{ ...good, issuer: ' ' }, 'issuer is required'],
    [{ ...good, issuer: 7 }, 'issuer must be a string'],
    [{ ...good, jwks_url: undefined }, 'jwks_url is required'],
    [{ ...good, jwks_url: '' }, 'jwks_url is required'],
    [{ ...good, audience: undefined }, 'audience is required'],
    [{ ...good, audience: ['a'] }, 'audience must be a string'],
    [{ ...good, audience: 'a'.repeat(2049) }, 'audience must be at most 2048 characters'],
    [{ ...good, user_id_claim: 7 }, 'user_id_claim must be a string'],
    [{ ...good, user_id_claim: 'a b' }, 'user_id_claim must be the name of a claim'],
    [{ ...good, tier_claim: 'a\u0000' }, 'tier_claim must not contain control characters'],
    [{ ...good, tier_claim: 'a b' }, 'tier_claim must be the name of a claim'],
  ])('refuses the body %j', async (body, error) => {
    const answer = await on('PUT', body)
    expect([answer.status, answer.body]).toEqual([400, { error }])
  })

  test.each([
    'http://idp.example.com/keys',
    'https://idp.example.com:8080/keys',
    'https://user@8.8.8.8/keys',
    'https://8.8.8.8/keys?a=1',
    'https://8.8.8.8/keys#a',
    'https://127.0.0.1/keys',
    'https://10.1.2.3/keys',
    'https://169.254.169.254/latest',
    'https://[::1]/keys',
    'https://localhost/keys',
    'https://metadata.google.internal/keys',
    'https://no-such-name.invalid/keys',
    'ftp://8.8.8.8/keys',
    'keys',
    'https://8.8.8.8/ke\nys',
    'https://8.8.8\u0000.8/keys',
    'https://8.8.8.8\r\nHost: 127.0.0.1/',
    `https://8.8.8.8/${'k'.repeat(2048)}`,
  ])('refuses the address %j in one sentence', async address => {
    const answer = await on('PUT', { ...good, jwks_url: address })
    expect([answer.status, answer.body]).toEqual([
      400,
      { error: 'The address is not allowed', code: 'INVALID_BASE_URL' },
    ])
  })

  test('has its keys fetched within a cycle, and says why not', async () => {
    const id = await newProject()
    const show = async () => (await on('GET', undefined, id)).body
    expect((await on('PUT', { ...good, jwks_url: server.url }, id)).body).toMatchObject({ last_synced_at: null })
    await expect.poll(show).toMatchObject({ last_synced_at: time, last_error: null })
    server.answer('{"keys":[]}')
    await expect.poll(show).toMatchObject({ last_error: 'The key set has no usable key' })
    expect(await show()).toMatchObject({ last_synced_at: time })
    expect(await keySetOf(id)).toContain('"one"')
    server.answer(keySetText(makeKey('two')))
    await expect.poll(() => keySetOf(id)).toContain('"two"')
  })

  test('keeps its keys with its address, and loses them with it', async () => {
    const id = await newProject()
    server.answer(keySetText(makeKey('kept')))
    await on('PUT', { ...good, jwks_url: server.url }, id)
    await expect.poll(() => keySetOf(id)).toContain('"kept"')
    const same = await on('PUT', { ...good, jwks_url: server.url, audience: 'other' }, id)
    expect(same.body).toMatchObject({ audience: 'other', last_synced_at: time })
    expect(await keySetOf(id)).toContain('"kept"')
    const moved = await on('PUT', good, id)
    expect(moved.body).toMatchObject({ last_synced_at: null, last_error: null })
    expect(await keySetOf(id)).toBeNull()
  })

  test('raises one revision through deletion and ten changes at once', async () => {
    const id = await newProject()
    const revision = async () =>
      (
        await plane.query<{ revision: number | string }>('select revision from revisions where name = ?', [
          `key-set:${id}`,
        ])
      )[0]
    await on('PUT', good, id)
    await on('DELETE', undefined, id)
    await Promise.all(Array.from({ length: 10 }, (_, index) => on('PUT', { ...good, audience: `a${index}` }, id)))
    expect(Number((await revision())?.revision)).toBe(12)
    const { audience } = (await on('GET', undefined, id)).body as { audience: string }
    expect((await liveOf(id)).audience).toBe(audience)
  })

  // Without Redis the store is the process's own, and empty only when that has just started.
  if (backend === 'sqlite') return

  test('is there again within a cycle after the store was flushed', async () => {
    const client = createClient({ url: plane.redis?.url ?? '' })
    await client.connect()
    onTestFinished(() => client.close())
    const id = await newProject()
    const name = async () => (await client.keys(`*${id}*`)).find(key => /key-?set/i.test(key)) ?? ''
    const inRedis = async () => JSON.stringify(await client.hGetAll(await name()))
    server.answer(keySetText(makeKey('healed')))
    await on('PUT', { ...good, jwks_url: server.url }, id)
    await expect.poll(inRedis).toContain('healed')
    server.answer(response => response.destroy())
    await client.flushAll()
    await expect.poll(inRedis).toContain('healed')
  })
})
