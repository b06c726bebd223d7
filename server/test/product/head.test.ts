// HEAD is answered wherever GET is: the same status and headers, the length of the body included, and no body. In one
// process, and where gateway, inference and api are apart.
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tokenDigest } from '../../src/crypto/secrets/credentials.ts'
import type { OpenApiDocument } from '../../src/http/openapi-types.ts'
import { sessionId } from '../../src/management/people/own-sessions.ts'
import { openStage, type Stage, type TestProject } from '../inference/inference-stage.ts'
import { unknownId } from '../management/requests.ts'
import { say } from '../support/simulated/provider-answers.ts'
import { type Product, startProduct } from '../support/start-product.ts'

interface Seen {
  status: number
  headers: Record<string, string>
  body: string
}

/** Everything that comes until the connection closes; a client of HTTP would overlook a body that must not be there. */
async function ask(port: number, method: string, path: string, headers: Record<string, string>): Promise<Seen> {
  const lines = Object.entries({ host: 'localhost', connection: 'close', ...headers }).map(pair => pair.join(': '))
  const socket = connect(port, '127.0.0.1').setEncoding('latin1')
  let text = ''
  socket.on('data', (chunk: string) => {
    text += chunk
  })
  socket.write([`${method} ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n'))
  await once(socket, 'close')
  const end = text.indexOf('\r\n\r\n')
  const [first = '', ...rest] = text.slice(0, end).split('\r\n')
  const pairs = rest.map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)])
  return { status: Number(first.split(' ')[1]), headers: Object.fromEntries(pairs), body: text.slice(end + 4) }
}

/** Reads of what the project and its tenant do not have here. */
const isEmptyHere =
  /\/(?:identity-provider|azure|bedrock|vertex|deliveries|device|challenge|link|\{tenantId\}\/(?:sso|meter|meter\/subjects))$/

/** They tell two requests apart, whatever their method. */
const ofOneRequest = [
  'x-ratelimit-reset-tokens',
  'x-request-id',
  'date',
  'transfer-encoding',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
]
const common = ({ headers }: Seen) => Object.entries(headers).filter(([name]) => !ofOneRequest.includes(name))

/** Their figures change with each request. */
const changing = ['/metrics', '/v1/admin/health']

async function expectSame(port: number, path: string, headers: Record<string, string>, status: number): Promise<void> {
  const get = await ask(port, 'GET', path, headers)
  const head = await ask(port, 'HEAD', path, headers)
  expect([path, get.status]).toEqual([path, status])
  expect([path, head.status, head.body]).toEqual([path, status, ''])
  // What is written while it is read has no length that anybody knew before.
  const isStream = get.headers['transfer-encoding'] !== undefined
  const names = (headers: object) => Object.keys(headers).filter(name => name !== 'transfer-encoding')
  expect(names(head.headers).sort()).toEqual(names(get.headers).sort())
  expect('content-length' in head.headers).toBe(!isStream)
  if (!changing.includes(path)) expect(common(head)).toEqual(common(get))
}

describe.each(['in one process', 'with roles apart'] as const)('%s', place => {
  let stage: Stage
  let project: TestProject
  let gateway: Product
  let token: string
  const apart: Product[] = []
  beforeAll(async () => {
    const isApart = place === 'with roles apart'
    stage = await openStage(isApart ? 'postgres' : 'sqlite', { INTERNAL_SECRET: 'between-two-services' }, { own: true })
    gateway = stage.harness.product
    if (isApart) {
      const shared = { ...stage.harness.env, BASE_URL: `http://localhost:${gateway.port}` }
      const inference = await startProduct({ env: { ...shared, ROLE: 'inference' } })
      apart.push(inference)
      gateway = await startProduct({ env: { ...shared, ROLE: 'gateway', INFERENCE_URL: inference.baseUrl } })
      apart.push(gateway)
    }
    project = await stage.makeProject({ settings: { rpm_limit: 100 } })
    token = await project.mint()
    stage.script(({ body }) => say('openai', { text: ['Hello'] }, JSON.parse(body).stream === true))
    const named = { headers: { 'x-thread-id': 'talk' }, port: gateway.port }
    expect((await project.complete({}, named)).status).toBe(200)
  })
  afterAll(async () => {
    await Promise.all(apart.map(product => product.stop()))
    await stage.stop()
  })
  const paths = ['/v1/models', '/v1/threads', '/v1/threads/talk', '/v1/threads/talk/messages', '/v1/billing/usage']
  const inProject = (path: string) => `/p/${project.slug}${path}`

  test.each(paths)('the data plane at %s', async path => {
    await expectSame(gateway.port, inProject(path), { authorization: `Bearer ${token}` }, 200)
    await expectSame(gateway.port, inProject(path), {}, 401)
  })

  test.each(['/v1/threads/none', '/v1/models/none'])('what is not there at %s', async path => {
    await expectSame(gateway.port, inProject(path), { authorization: `Bearer ${token}` }, 404)
  })

  test('a HEAD counts as a request, and is refused as one', async () => {
    const limited = await stage.makeProject({ settings: { rpm_limit: 2 } })
    const authorization = `Bearer ${await limited.mint()}`
    const send = (method: string) => ask(gateway.port, method, `/p/${limited.slug}/v1/models`, { authorization })
    const answers = [await send('HEAD'), await send('HEAD'), await send('HEAD'), await send('GET')]
    // On a busy machine Redis may answer too late: then this copy admits its share of the limit alone.
    expect(['200 200 429 429', '200 429 429 429']).toContain(answers.map(({ status }) => status).join(' '))
    expect(answers[0]?.headers['x-ratelimit-remaining-requests']).toBe('1')
    expect(answers[2]?.body).toBe('')
    expect(answers[2]?.headers['content-length']).toBe(answers[3]?.headers['content-length'])
  })

  test.each(['/healthz', '/readyz', '/metrics', '/.well-known/jwks.json'])('%s of each process', async path => {
    for (const { port } of [stage.harness.product, ...apart]) {
      // Only who signs or verifies publishes the keys.
      const isThere = path !== '/.well-known/jwks.json' || port !== apart[0]?.port
      await expectSame(port, path, {}, isThere ? 200 : 404)
    }
  })

  test('certificates are asked about', async () => {
    const query = `?domain=${project.slug}.localhost`
    await expectSame(gateway.port, `/internal/tls-allowed${query}`, {}, 200)
    await expectSame(gateway.port, '/internal/tls-allowed?domain=nobody.localhost', {}, 404)
    expect((await ask(gateway.port, 'POST', `/internal/tls-allowed${query}`, {})).headers['allow']).toBe('GET, HEAD')
  })

  test('every GET of the management plane, and each of its refusals', async () => {
    const { port } = stage.harness.product
    const { owner, adminSecret } = stage.harness
    const document = (await stage.harness.call('GET', '/auth/v1/openapi.json')).body as OpenApiDocument
    const tier = await stage.harness.call('POST', `/auth/v1/projects/${project.id}/tiers`, {
      session: owner.session,
      body: { name: 'gold' },
    })
    const ids: Record<string, string> = {
      tenantId: project.tenantId,
      projectId: project.id,
      tierId: (tier.body as { id: string }).id,
      providerType: 'openai',
      // Nobody has made any request yet.
      uid: 'nobody',
      sessionId: sessionId(tokenDigest(owner.session)),
    }
    const signedIn = { authorization: `Bearer ${owner.session}`, 'x-admin-secret': adminSecret }
    // A stream of events does not end.
    const reads = Object.entries(document.paths).filter(
      ([path, { get }]) => get !== undefined && !path.endsWith('/live'),
    )
    expect(reads.length).toBeGreaterThan(30)
    for (const [template, { get }] of reads) {
      const fill = (values: Record<string, string>) =>
        template.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? unknownId)
      const isKnown = [...template.matchAll(/\{(\w+)\}/g)].every(([, name = '']) => ids[name] !== undefined)
      const isThere = isKnown && !isEmptyHere.test(template)
      const path = template === '/auth/v1/device' ? `${template}?user_code=BCDF-GHJK` : fill(ids)
      const leadsOn = Object.keys(get?.responses ?? {}).includes('302')
      await expectSame(port, path, signedIn, leadsOn ? 302 : isThere ? 200 : 404)
      if (get?.security !== undefined) await expectSame(port, path, {}, 401)
    }
    expect(document.info.description.split('HEAD')).toHaveLength(2)
  })

  test('a HEAD where there is no GET is another method', async () => {
    const { status, headers, body } = await ask(stage.harness.product.port, 'HEAD', '/auth/v1/sessions', {})
    expect([status, headers['allow'], body]).toEqual([405, 'POST', ''])
  })
})
