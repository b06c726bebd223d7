// Recognisable secrets in every place that a secret, a token or a personal value can come from; then all that the
// processes said at their most talkative is searched for them, and every answer that had no reason to hold one.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { sendRaw } from '../http/raw-request.ts'
import { temporaryFolder } from '../start/refusal.ts'
import { createDatabase } from '../support/postgres.ts'
import { startRedis } from '../support/redis.ts'
import { findFreePort } from '../support/server-process.ts'
import { type Product, startProduct } from '../support/start-product.ts'

/** Everything planted so far: what it is → the text that must not appear. */
type Canaries = Map<string, string>

function createCanaries() {
  const planted: Canaries = new Map()
  const plant = (name: string, value = `canary${randomBytes(12).toString('hex')}`): string => {
    planted.set(name, value)
    return value
  }
  return { planted, plant }
}

type Plant = ReturnType<typeof createCanaries>['plant']

/** As it is, and in the forms in which it would travel. */
function formsOf(value: string): string[] {
  const bytes = Buffer.from(value)
  return [
    value,
    encodeURIComponent(value),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ]
}

function findIn(text: string, planted: Canaries): string[] {
  return [...planted].filter(([, value]) => formsOf(value).some(form => text.includes(form))).map(([name]) => name)
}

function configuredSecrets(plant: Plant): Record<string, string> {
  const pem = generateKeyPairSync('rsa', { modulusLength: 2048 })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString()
  plant('JWT_PRIVATE_KEY', pem.split('\n')[3])
  return {
    LOG_LEVEL: 'trace',
    SYNC_INTERVAL: '1',
    ADMIN_SECRET: plant('ADMIN_SECRET'),
    JWT_PRIVATE_KEY: pem,
    ENCRYPTION_KEY: plant('ENCRYPTION_KEY', randomBytes(32).toString('base64')),
    ENCRYPTION_PREVIOUS_KEYS: plant('ENCRYPTION_PREVIOUS_KEYS', randomBytes(32).toString('base64')),
    INTERNAL_SECRET: plant('INTERNAL_SECRET'),
    METRICS_TOKEN: plant('METRICS_TOKEN'),
    // Nobody listens there, which the log says.
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    OTEL_EXPORTER_OTLP_HEADERS: `x-api-key=${plant('OTEL_EXPORTER_OTLP_HEADERS')}`,
    BOOTSTRAP_EMAIL: 'owner@example.com',
    BOOTSTRAP_PASSWORD: plant('BOOTSTRAP_PASSWORD'),
    PLATFORM_OPENAI_API_KEY: plant('PLATFORM_OPENAI_API_KEY', `sk-${randomBytes(20).toString('hex')}`),
    AWS_SECRET_ACCESS_KEY: plant('AWS_SECRET_ACCESS_KEY'),
    CLOUDFLARE_API_TOKEN: plant('CLOUDFLARE_API_TOKEN'),
    DNS_RFC2136_KEY: `hmac-sha256:key:${plant('DNS_RFC2136_KEY', randomBytes(32).toString('base64'))}`,
  }
}

/** A provider that quotes what it was sent in its errors, as real ones do. */
async function startQuotingProvider(plant: Plant): Promise<string> {
  const words = plant('words of the provider')
  const server = createServer((request, response) => {
    const quoted = `${words} ${request.headers.authorization}`
    response.writeHead(401, { 'content-type': 'application/json', 'x-words': words })
    response.end(JSON.stringify({ error: { message: `Incorrect API key provided: ${quoted}`, code: words } }))
  })
  const port = await findFreePort()
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${port}/v1`
}

/** Sends requests and keeps what came back, but for answers whose purpose is to hold a secret. */
function createClient(product: Product) {
  const answers: { where: string; text: string }[] = []
  const send = async (method: string, path: string, headers: Record<string, string>, body?: unknown) => {
    const response = await fetch(`${product.baseUrl}${path}`, {
      method,
      redirect: 'manual',
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const head = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
    return { status: response.status, text: `${head}\n${await response.text()}` }
  }
  return {
    answers,
    /** The answer is searched. */
    async ask(method: string, path: string, headers: Record<string, string> = {}, body?: unknown): Promise<number> {
      const { status, text } = await send(method, path, headers, body)
      answers.push({ where: `${method} ${path} ${status}`, text })
      return status
    },
    /** The answer is meant to hold something secret or its asker's own words. */
    async get<Body>(method: string, path: string, headers: Record<string, string>, body?: unknown): Promise<Body> {
      const { status, text } = await send(method, path, headers, body)
      if (status >= 300) throw new Error(`${method} ${path} answered ${status}`)
      return JSON.parse(text.slice(text.lastIndexOf('\n{'))) as Body
    },
  }
}

type Client = ReturnType<typeof createClient>

interface Standing {
  session: { authorization: string }
  tenantId: string
  projectId: string
  slug: string
  apiKey: string
  token: string
}

/** The ordinary way in, each secret of it planted as it is handed out. */
async function setUp(client: Client, secrets: Record<string, string>, plant: Plant): Promise<Standing> {
  const credentials = { email: secrets.BOOTSTRAP_EMAIL, password: secrets.BOOTSTRAP_PASSWORD }
  const { session_token } = await client.get<{ session_token: string }>('POST', '/auth/v1/sessions', {}, credentials)
  const session = { authorization: `Bearer ${plant('session token', session_token)}` }
  const name = plant('tenant name')
  const tenant = await client.get<{ id: string }>('POST', '/auth/v1/tenants', session, { name })
  const path = `/auth/v1/tenants/${tenant.id}`
  const project = await client.get<{ id: string; slug: string }>('POST', `${path}/projects`, session, {
    name: plant('project name'),
  })
  const key = await client.get<{ api_key: string }>('POST', `/auth/v1/projects/${project.id}/api-keys`, session, {})
  const bearer = { authorization: `Bearer ${plant('API key', key.api_key)}` }
  const body = { user_id: plant('user id of a mint') }
  const { access_token } = await client.get<{ access_token: string }>('POST', '/auth/v1/auth/mint', bearer, body)
  const member = await client.get<{ invite_url: string }>('POST', `${path}/members`, session, {
    email: `${plant('e-mail of a member')}@example.com`,
    role: 'viewer',
  })
  plant('invitation token', new URL(member.invite_url).hash.slice('#token='.length))
  plant('minted token', access_token)
  plant('signature of a minted token', access_token.split('.')[2])
  const { id: projectId, slug } = project
  return { session, tenantId: tenant.id, projectId, slug, apiKey: key.api_key, token: access_token }
}

/** Every refusal and fault that can be had from outside, with secrets in all of its parts. */
async function provoke(client: Client, standing: Standing, secrets: Record<string, string>, plant: Plant) {
  const { session, tenantId, projectId } = standing
  const admin = { 'x-admin-secret': secrets.ADMIN_SECRET ?? '' }
  const { ask } = client
  const tenantPath = `/auth/v1/tenants/${tenantId}`

  await ask('POST', '/auth/v1/sessions', {}, { email: plant('unknown e-mail'), password: plant('wrong password') })
  await ask(
    'POST',
    '/auth/v1/sessions',
    {},
    { email: 'owner@example.com', password: plant('wrong password of a user') },
  )
  await ask('POST', '/auth/v1/sessions', {}, `{"email":"owner@example.com","password":"${plant('malformed JSON')}"`)
  await ask('POST', '/auth/v1/sessions', { 'content-type': 'text/plain' }, plant('body of another type'))
  await ask('POST', '/auth/v1/sessions', {}, { password: { deep: [plant('nested body')] } })
  await ask('POST', '/auth/v1/invitations/accept', {}, { token: plant('unknown invitation'), password: plant('short') })
  await ask('GET', '/auth/v1/tenants', bearer(plant('unknown session')))
  await ask('GET', '/auth/v1/tenants', { authorization: `Basic ${plant('basic credentials')}` })
  await ask('GET', '/auth/v1/tenants', { ...session, cookie: `id=${plant('cookie')}`, referer: plant('referer') })
  await ask('GET', `/auth/v1/tenants?access_token=${plant('token in a query')}`)
  await ask('GET', `/auth/v1/tenants/${plant('id in a path')}/projects`, session)
  await ask('GET', `/no/such/${plant('unknown path')}`, session)
  await ask('POST', `${tenantPath}/projects`, { ...session, 'idempotency-key': plant('idempotency key') }, {})
  await ask('PUT', `/auth/v1/projects/${projectId}/settings`, session, { sentinel_mode: plant('wrong value') })
  await ask('PUT', `/auth/v1/projects/${projectId}/settings`, session, { cors_origins: [plant('wrong origin')] })
  await ask('POST', '/v1/admin/killswitch/global', { 'x-admin-secret': plant('wrong admin secret') }, { enabled: true })
  await ask('POST', `/v1/admin/killswitch/tenant/${plant('id in an admin path')}`, admin, { enabled: true })
  await ask('PUT', `/v1/admin/tenants/${tenantId}/plan`, admin, { plan: plant('wrong plan') })
  await ask('PUT', `/v1/admin/tenants/${tenantId}/plan`, admin, { plan: 'pro' })

  const providerKey = plant('provider key', `sk-${randomBytes(24).toString('hex')}`)
  await ask('POST', `${tenantPath}/providers/openai/validate`, session, { api_key: providerKey })
  await ask('PUT', `${tenantPath}/providers/openai`, session, { api_key: providerKey })
  await ask('PUT', `${tenantPath}/providers/openai`, session, { api_key: plant('provider key of a wrong shape') })
  const override = `https://user:${plant('password in an address')}@example.com/`
  await ask('PUT', `${tenantPath}/providers/openai`, session, { api_key: providerKey, base_url_override: override })
  await ask('PUT', `/auth/v1/projects/${projectId}/identity-provider`, session, {
    issuer: 'https://issuer.example',
    jwks_url: `https://127.0.0.1/${plant('address of a key set')}`,
    audience: 'audience',
  })

  const attestation = `/auth/v1/projects/${projectId}/attestation`
  await ask('PUT', attestation, session, { kind: 'turnstile', secret: plant('secret of an attestation') })
  await ask('PUT', attestation, session, { kind: 'app_check', secret: plant('secret of a wrong shape') })
  await ask('GET', attestation, session)

  await provokeGateway(client, standing, plant)
}

/** Refused mints and completions, and requests that lack the right secret. */
async function provokeGateway({ ask }: Client, { slug, apiKey, token }: Standing, plant: Plant): Promise<void> {
  await ask(
    'POST',
    '/auth/v1/auth/mint',
    bearer(plant('unknown API key', `service_sk_live_${randomBytes(16).toString('hex')}`)),
    { user_id: 'x' },
  )
  await ask('POST', '/auth/v1/auth/mint', bearer(apiKey), { user_id: `svc:${plant('reserved user id')}` })
  await ask(
    'POST',
    `/p/${slug}/v1/auth/anonymous`,
    {},
    {
      attestation: { kind: 'turnstile', token: plant('attestation') },
      device: plant('secret of a device'),
    },
  )
  const chat = `/p/${slug}/v1/chat/completions`
  const messages = [{ role: 'user', content: plant('prompt') }]
  await ask('POST', chat, { ...bearer(token), 'x-session-id': plant('session id') }, { model: 'x', messages })
  await ask('POST', chat, bearer(apiKey), { messages })
  await ask('POST', chat, bearer(plant('forged token', `${token.slice(0, -20)}${'A'.repeat(20)}`)), { messages })
  await ask('POST', chat, bearer(token), `{"messages":[{"role":"user","content":"${plant('malformed prompt')}"`)
  await ask('GET', `/p/${slug}/v1/threads/${plant('thread id')}`, bearer(token))
  await ask('GET', '/healthz', {
    'x-internal-secret': plant('wrong internal secret'),
    'user-agent': plant('user agent'),
  })
  await ask('GET', '/metrics', bearer(plant('wrong metrics token')))
}

const bearer = (value: string) => ({ authorization: `Bearer ${value}` })

/** What the listener refuses before anything is a request. */
async function provokeParser({ port }: Product, plant: Plant): Promise<string[]> {
  const requests = [
    `GET /x HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${plant('first of two')}\r\nAuthorization: Bearer x\r\n\r\n`,
    `GET /${plant('path of a broken request')} HTTP/1.1\r\nHost: h\r\nfoo\r\n\r\n`,
    `${plant('method')} / HTTP/1.1\r\nHost: h\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: ${plant('host')}.example\r\n\r\n`,
    `GET /x#${plant('fragment')} HTTP/1.1\r\nHost: h\r\n\r\n`,
    `POST / HTTP/1.1\r\nHost: h\r\nContent-Length: ${plant('length')}\r\n\r\n`,
  ]
  const exchanges = await Promise.all(requests.map(request => sendRaw(port, request)))
  return exchanges.map(exchange => exchange.text)
}

/** The contract has answers that quote these to whoever sent them. */
const shownToTheirOwner = ['tenant name', 'project name', 'wrong origin']

function expectSilence(where: string, text: string, planted: Canaries): void {
  expect(findIn(text, planted), where).toEqual([])
}

/** A log that says nothing would pass every search. */
function expectTalkative(stderr: string): void {
  const lines = stderr.split('\n').filter(line => line !== '')
  const entries = lines.map(line => JSON.parse(line) as { event: string; status?: number })
  expect(entries.filter(({ event }) => event === 'request').length).toBeGreaterThan(30)
  for (const status of [400, 401, 404]) expect(entries.some(entry => entry.status === status)).toBe(true)
}

test('the search finds what is planted, in each of its forms', () => {
  const { planted, plant } = createCanaries()
  const value = plant('secret', 'canary/with?signs')
  for (const form of formsOf(value)) expect(findIn(`before ${form} after`, planted)).toEqual(['secret'])
  expect(findIn('nothing', planted)).toEqual([])
})

test('embedded: nothing planted is in the log, on stdout, or in an answer that has no reason to hold it', async () => {
  const { planted, plant } = createCanaries()
  const secrets = configuredSecrets(plant)
  const provider = await startQuotingProvider(plant)
  const product = await startProduct({ env: { ...secrets, DATA_DIR: temporaryFolder(), OPENAI_BASE_URL: provider } })
  onTestFinished(() => product.kill())
  const client = createClient(product)
  const standing = await setUp(client, secrets, plant)
  await provoke(client, standing, secrets, plant)
  const raw = await provokeParser(product, plant)
  expect(await product.stop()).toBe(0)
  expectTalkative(product.stderr())
  expectSilence('log', product.stderr(), planted)
  expectSilence('stdout', product.stdout(), planted)
  for (const name of shownToTheirOwner) planted.delete(name)
  for (const { where, text } of client.answers) expectSilence(where, text, planted)
  for (const text of raw) expectSilence(text, text, planted)
})

test('distributed: the same, with faults of the database that quote rows, and servers that go away', async () => {
  const { planted, plant } = createCanaries()
  const secrets = configuredSecrets(plant)
  const databasePassword = plant('password of the database')
  const redisPassword = plant('password of Redis')
  const redis = await startRedis({ args: ['--requirepass', redisPassword] })
  const address = new URL(await createDatabase(inject('postgresUrl')))
  const database = new pg.Pool({ connectionString: address.href, max: 1 })
  const role = `canary_${randomBytes(6).toString('hex')}`
  await database.query(`create role ${role} login superuser password '${databasePassword}'`)
  onTestFinished(async () => {
    await database.query(`drop owned by ${role} cascade`)
    await database.query(`drop role ${role}`)
    await database.end()
    await redis.stop()
  })
  address.username = role
  address.password = databasePassword
  const REDIS_URL = redis.url.replace('redis://', `redis://:${redisPassword}@`)
  const env = { ...secrets, DATABASE_URL: address.href, REDIS_URL, OPENAI_BASE_URL: await startQuotingProvider(plant) }
  const product = await startProduct({ env })
  onTestFinished(() => product.kill())
  const client = createClient(product)
  const standing = await setUp(client, secrets, plant)
  await provoke(client, standing, secrets, plant)

  // The server's detail quotes the whole row.
  await database.query('alter table tenants add constraint no_more check (created_at < 0) not valid')
  const statuses = [await client.ask('POST', '/auth/v1/tenants', standing.session, { name: plant('name in a fault') })]
  await database.query('alter table api_keys rename column digest to digest_gone')
  const mint = { user_id: plant('user id in a fault') }
  statuses.push(await client.ask('POST', '/auth/v1/auth/mint', { authorization: `Bearer ${standing.apiKey}` }, mint))
  await database.query('drop table sessions cascade')
  statuses.push(await client.ask('GET', '/auth/v1/tenants', standing.session))
  expect(statuses).toEqual([500, 500, 500])
  await redis.kill()
  await database.query(`alter role ${role} nologin`)
  await database.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`)
  expect(await client.ask('GET', '/auth/v1/tenants', standing.session)).toBe(503)
  await client.ask('POST', '/auth/v1/auth/mint', { authorization: `Bearer ${standing.apiKey}` }, mint)
  expect(await product.stop()).toBe(0)

  expect(product.stderr()).toContain('"event":"redis connection lost"')
  expect(product.stderr()).toContain('"code":"23514"')
  expectTalkative(product.stderr())
  expectSilence('log', product.stderr(), planted)
  expectSilence('stdout', product.stdout(), planted)
  for (const name of shownToTheirOwner) planted.delete(name)
  for (const { where, text } of client.answers) expectSilence(where, text, planted)
})
