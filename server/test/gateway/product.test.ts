// Tests the whole product with a scripted upstream: the gateway follows what management writes through its routes, on
// SQLite with the store in the process and on PostgreSQL with Redis.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeKey, makeToken } from '../crypto/token-kit.ts'
import { type Answer, describeEachBackend, type ManagementHarness } from '../support/management-harness.ts'

const external = makeKey('idp-1')
const seen: Record<string, unknown>[] = []

/** Responds to completions like an inference service, and publishes an identity provider's key set. */
const upstream = createServer((request, response) => {
  if (request.url === '/jwks') {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: [external.jwk] }))
    return
  }
  seen.push(request.headers)
  request.resume()
  request.once('end', () => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 } }))
  })
})

beforeAll(() => new Promise<void>(resolve => upstream.listen(0, '127.0.0.1', resolve)))
afterAll(() => new Promise<void>(resolve => void upstream.close(() => resolve())))

describeEachBackend('the gateway of the product', start => {
  let harness: ManagementHarness
  let project: { id: string; slug: string }
  let tenantId: string
  let apiKey: string
  let session: string
  let address: string

  beforeAll(async () => {
    address = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
    const env = { INFERENCE_URL: address, OUTBOUND_ALLOW: '127.0.0.1', SYNC_INTERVAL: '2' }
    harness = await start({ env })
    session = harness.owner.session
    tenantId = (await harness.makeTenant({ plan: 'pro' })).id
    project = await harness.makeProject(tenantId)
    apiKey = (await harness.makeApiKey(project.id)).api_key
  })

  const manage = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const answer = await harness.call(method, path, { session, body })
    expect(answer.status, answer.text).toBeLessThan(300)
    return answer
  }
  const mint = async (body: object = {}): Promise<string> => {
    const answer = await harness.call('POST', '/auth/v1/auth/mint', { apiKey, body: { user_id: 'user-1', ...body } })
    return (answer.body as { access_token: string }).access_token
  }
  const complete = (token: string, slug = project.slug): Promise<Answer> =>
    harness.call('POST', `/p/${slug}/v1/chat/completions`, {
      apiKey: token,
      body: { messages: [{ role: 'user', content: 'Hello' }] },
    })
  const setSwitch = (enabled: boolean) =>
    harness.call('POST', `/v1/admin/killswitch/project/${project.id}`, {
      adminSecret: harness.adminSecret,
      body: { enabled },
    })

  test('a minted token reaches the service behind it, with who it is', async () => {
    const answer = await complete(await mint())
    expect(answer).toMatchObject({ status: 200, body: { usage: { total_tokens: 7 } } })
    expect(seen.at(-1)).toMatchObject({
      'x-tenant-id': tenantId,
      'x-project-id': project.id,
      'x-end-user-id': 'user-1',
      'x-role': 'user',
      'x-auth-provider': 'service',
      'x-request-id': answer.headers.get('x-request-id'),
    })
  })

  test('a key is no token, and a token of one project none of another', async () => {
    expect((await complete(apiKey)).status).toBe(401)
    const other = await harness.makeProject(tenantId)
    expect((await complete(await mint(), other.slug)).status).toBe(401)
  })

  test.each(['/v1/chat/completions', '/v1/threads', '/v1/threads/x', '/v1/billing/usage'])(
    '%s is nothing of the management host, whoever asks',
    async path => {
      for (const credential of [await mint(), session]) {
        expect((await harness.call('GET', path, { apiKey: credential })).status).toBe(404)
      }
    },
  )

  test('the admin secret and a session open nothing of a project', async () => {
    for (const options of [{ adminSecret: harness.adminSecret }, { session }]) {
      expect((await harness.call('GET', `/p/${project.slug}/v1/billing/usage`, options)).status).toBe(401)
    }
  })

  test('settings are a draft until they are deployed, and then in force', async () => {
    const token = await mint()
    const limit = async () => (await complete(token)).headers.get('x-ratelimit-limit-requests')
    expect(await limit()).toBe('60')
    await manage('PUT', `/auth/v1/projects/${project.id}/settings`, { rpm_limit: 1_000 })
    expect(await limit()).toBe('60')
    await manage('POST', `/auth/v1/projects/${project.id}/settings/deploy`)
    await expect.poll(limit).toBe('1000')
  })

  test('the kill switch', async () => {
    const token = await mint()
    expect((await setSwitch(true)).status).toBe(200)
    expect(await complete(token)).toMatchObject({
      status: 403,
      body: { error: 'forbidden', message: 'Service disabled by kill switch' },
    })
    await setSwitch(false)
    await expect.poll(async () => (await complete(token)).status).toBe(200)
  })

  test('an external provider, from its first fetch to its removal', async () => {
    const issuer = 'https://idp.example.net/'
    const path = `/auth/v1/projects/${project.id}/identity-provider`
    await manage('PUT', path, { issuer, jwks_url: `${address}/jwks`, audience: 'chat' })
    const iat = Math.floor(Date.now() / 1000)
    const claims = { iss: issuer, aud: 'chat', sub: 'them|1', role: 'admin', iat, exp: iat + 600 }
    const token = makeToken(external, { alg: 'RS256', kid: external.kid }, claims)
    await expect.poll(async () => (await complete(token)).status, { interval: 200 }).toBe(200)
    expect(seen.at(-1)).toMatchObject({ 'x-end-user-id': 'them|1', 'x-role': 'user', 'x-auth-provider': 'external' })
    await manage('DELETE', path)
    await expect.poll(async () => (await complete(token)).status).toBe(401)
  })

  test('what the answer says it cost is what it costs', async () => {
    const token = await mint()
    const remaining = async () => Number((await complete(token)).headers.get('x-ratelimit-remaining-tokens'))
    const first = await remaining()
    await expect.poll(remaining).toBeLessThan(first)
    expect((first - (await remaining())) % 7).toBe(0)
  })

  test('a suspension ends all of it', async () => {
    const token = await mint()
    await manage('POST', `/auth/v1/projects/${project.id}/suspend`)
    expect(await complete(token)).toMatchObject({ status: 401, body: { message: 'Project is suspended' } })
  })
})
