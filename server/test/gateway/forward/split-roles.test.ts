// Tests the product with its roles in separate processes: the gateway forwards mints to the api role and completions to
// the service at INFERENCE_URL, and ends calls in flight when a kill switch is set.
import type { IncomingHttpHeaders } from 'node:http'
import { expect, it } from 'vitest'
import { findProof } from '../../../../sdk/src/find-proof.ts'
import { sendRaw } from '../../http/raw-request.ts'
import { ask, createWorld, makeProject, setKillSwitch, signIn } from '../../product/distributed-world.ts'
import { roomFor } from '../../support/slowness.ts'
import { delta, openStream, requestText, startUpstream, until } from './forward-stage.ts'
import { parseEvents } from './sse-parser.ts'

const internalSecret = 'a-secret-between-two-services'

it('a gateway apart mints, forwards and cuts off', async () => {
  const arrived: IncomingHttpHeaders[] = []
  const inferenceUrl = await startUpstream((request, response) => {
    arrived.push(request.headers)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const timer = setInterval(() => response.write(delta('x')), 20)
    response.once('close', () => clearInterval(timer))
  })
  const world = await createWorld()
  const env = { BASE_URL: 'http://localhost:8080', INTERNAL_SECRET: internalSecret }
  const api = await world.start({ ...env, ROLE: 'api,worker' })
  const gateway = await world.start({
    ...env,
    ROLE: 'gateway',
    INFERENCE_URL: inferenceUrl,
    API_URL: api.baseUrl,
    JWKS_URL: `${api.baseUrl}/.well-known/jwks.json`,
  })
  const keySet = await readKeySet(api.port, 'localhost')
  expect(keySet).toMatchObject({ status: 200, body: { keys: [{ kid: 'default' }] }, kept: 'public, max-age=300' })
  expect(await readKeySet(gateway.port, 'localhost')).toEqual(keySet)
  const session = await signIn(api)
  const project = await makeProject(api, session)
  expect(await readKeySet(gateway.port, `${project.slug}.localhost`)).toEqual(keySet)
  expect(await readKeySet(gateway.port, `${project.slug}.localhost`, 'POST')).toMatchObject({ status: 405 })
  const keys = `/auth/v1/projects/${project.id}/api-keys`
  const { api_key } = await ask<{ api_key: string }>(api, 'POST', keys, session, {})
  const mintPath = `/p/${project.slug}/v1/auth/mint`
  const minted = await ask<{ access_token: string; session_id: string }>(
    gateway,
    'POST',
    mintPath,
    { authorization: `Bearer ${api_key}` },
    { user_id: 'zoë', session_id: 's1' },
  )
  expect(minted.session_id).toBe('s1')

  const path = `/p/${project.slug}/v1/chat/completions`
  const text = requestText([`Authorization: Bearer ${minted.access_token}`], undefined, path)
  const client = openStream(gateway.port, text.replace('shop.localhost', 'localhost'))
  await until(() => client.body().length > 0)
  expect(arrived[0]).toMatchObject({
    'x-project-id': project.id,
    'x-tenant-id': project.tenantId,
    'x-end-user-id': 'zo%C3%AB',
    'x-internal-secret': internalSecret,
  })
  const endedAt = performance.now()
  await setKillSwitch(api, project.tenantId, true)
  await until(() => client.isComplete())
  expect(performance.now() - endedAt).toBeLessThan(roomFor(2_500))
  expect(JSON.parse(parseEvents(client.body()).at(-1)!.data)).toMatchObject({ error: { code: 'service_disabled' } })
})

it('a gateway apart lets anonymous users in, each by the address that it sees', async () => {
  const world = await createWorld()
  const env = { BASE_URL: 'http://localhost:8080', INTERNAL_SECRET: internalSecret }
  const api = await world.start({ ...env, ROLE: 'api,worker,inference', TRUSTED_PROXIES: '' })
  const gateway = await world.start({
    ...env,
    ROLE: 'gateway',
    TRUSTED_PROXIES: '127.0.0.1',
    INFERENCE_URL: api.baseUrl,
    API_URL: api.baseUrl,
    JWKS_URL: `${api.baseUrl}/.well-known/jwks.json`,
  })
  const session = await signIn(api)
  const project = await makeProject(api, session)
  const own = `/auth/v1/projects/${project.id}`
  const anonymous = { attestation: ['proof_of_work'], per_address_per_hour: 1 }
  await ask(api, 'PUT', `${own}/settings`, session, { anonymous, cors_origins: ['https://app.example'] })
  await ask(api, 'POST', `${own}/settings/deploy`, session)
  const path = `${gateway.baseUrl}/p/${project.slug}/v1/auth/anonymous`
  const mint = async (address: string) => {
    const headers = { 'x-forwarded-for': address, origin: 'https://app.example' }
    const asked = await fetch(`${path}/challenge`, { headers })
    const { challenge, difficulty } = (await asked.json()) as { challenge: string; difficulty: number }
    const attestation = { kind: 'proof_of_work', token: findProof(challenge, difficulty, 0, 100_000_000) }
    const body = JSON.stringify({ attestation })
    return await fetch(path, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body })
  }
  const first = await mint('203.0.113.1')
  expect(first.headers.get('access-control-allow-origin')).toBe('https://app.example')
  expect(await first.json()).toMatchObject({ uid: expect.stringMatching(/^anon:/) })
  expect([(await mint('203.0.113.1')).status, (await mint('203.0.113.2')).status]).toEqual([429, 200])
})

async function readKeySet(port: number, host: string, method = 'GET') {
  const head = `${method} /.well-known/jwks.json HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n`
  const { answers } = await sendRaw(port, `${head}Content-Length: 0\r\n\r\n`, { quietMs: 5_000 })
  const { status, headers, body } = answers[0]!
  return { status, kept: headers['cache-control'], body: JSON.parse(body) }
}
