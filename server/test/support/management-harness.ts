// Starts a real product on a chosen backend. Creates users, tenants, projects and keys through its routes, and reads
// its database directly. Uses only the HTTP contract and the table names; imports no source file.
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe } from 'vitest'
import type { TestServer } from './postgres.ts'
import { recordExchange } from './runner/record-exchange.ts'
import { adminSecret, bootstrapOwner, newClientAddress, type Own, openInstallation } from './shared-products.ts'
import type { ScriptedUpstream } from './simulated/scripted-upstream.ts'
import type { Product } from './start-product.ts'
import type { Backend, StoreAddress, World } from './worlds.ts'

export type { Backend } from './worlds.ts'

export interface Answer {
  status: number
  /** Parsed JSON, or the text if it is not JSON. */
  body: unknown
  text: string
  headers: Headers
  /** The time from the call to the last byte. */
  tookMs: number
}

export interface CallOptions {
  /** Without any of these, no credential is sent. */
  session?: string
  apiKey?: string
  adminSecret?: string
  body?: unknown
  headers?: Record<string, string>
}

/** A built-in role, or one of the tenant's own. */
type Role = string

export interface Person {
  id: string
  email: string
  password: string
  session: string
}

/** A running management plane, with shortcuts for its routes. Every `make…` throws unless the request succeeds. */
export interface ManagementHarness {
  backend: Backend
  product: Product
  baseUrl: string
  adminSecret: string
  /** The product's environment; a second replica on PostgreSQL starts with the same. */
  env: Record<string, string>
  /** In place of all providers, unless `env` has other addresses. Without scripts at first. */
  upstream: ScriptedUpstream
  /** Null on SQLite, where the store is in the process. */
  store: StoreAddress | null
  /** With `own`, the Redis behind `store`, which may be killed. */
  redis: TestServer | null
  /** The folder with the database on SQLite, null on PostgreSQL. */
  dataDir: string | null
  /** The bootstrap user; owner of all tenants that are created without a session. */
  owner: Person
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  signIn(email: string, password: string): Promise<string>
  /** Creates a user: a member of `tenantId`, or by default of no tenant that the tests use. */
  makePerson(membership?: { tenantId: string; role: Role }): Promise<Person>
  /** Makes somebody who has an account a member: invites as `session`, by default the owner, and accepts as the person. */
  join(tenantId: string, person: Pick<Person, 'email' | 'session'>, role: Role, session?: string): Promise<void>
  makeTenant(options?: { plan?: 'free' | 'pro'; session?: string }): Promise<{ id: string; name: string }>
  makeProject(tenantId: string, session?: string): Promise<{ id: string; slug: string; fqdn_prod: string }>
  makeApiKey(projectId: string, session?: string): Promise<{ id: string; api_key: string }>
  /**
   * Configures a provider that the tenant does not have yet, such as `openai` or `custom/local`. Resolves as soon as the
   * gateway knows it: the route answers half a second after each request, so that the time tells nothing.
   */
  giveProvider(tenantId: string, provider: string, body: object, session?: string): Promise<void>
  /** Queries the product's database directly. Placeholders are `?` on both backends. */
  query: World['query']
  stop(): Promise<void>
}

export interface HarnessOptions {
  /** Added to the product's environment. In its values, `{upstream}` is the address of the upstream. */
  env?: Record<string, string>
  /**
   * A product that no other file uses: for tests that stop it or its Redis, or change what belongs to the whole
   * installation, such as the global kill switch, the operator's lists and the owner's account. With `process` also in
   * a process of its own, see there.
   */
  own?: Own
}

export type Start = (options?: HarnessOptions) => Promise<ManagementHarness>

const backends: readonly Backend[] = ['sqlite', 'postgres']

/**
 * Runs one suite on SQLite with the store in the process, and on PostgreSQL with Redis. Call `start` in a beforeAll;
 * the product stops after the suite.
 */
export function describeEachBackend(name: string, suite: (start: Start, backend: Backend) => void): void {
  describe.each(backends)(`${name} on %s`, backend => {
    const started: ManagementHarness[] = []
    afterAll(async () => {
      await Promise.all(started.map(harness => harness.stop()))
    })
    suite(async options => {
      const harness = await startManagement(backend, options)
      started.push(harness)
      return harness
    }, backend)
  })
}

export async function startManagement(
  backend: Backend,
  { env = {}, own = false }: HarnessOptions = {},
): Promise<ManagementHarness> {
  const installation = await openInstallation(backend, env, own)
  const { product, world, upstream } = installation
  const people = describePeople(product.baseUrl)
  const owner = await people.signInAs(bootstrapOwner.email, bootstrapOwner.password)
  return {
    backend,
    product,
    baseUrl: product.baseUrl,
    adminSecret,
    env: installation.env,
    upstream,
    store: world.store,
    redis: world.redis,
    dataDir: world.dataDir,
    owner,
    ...people.routes(owner),
    query: world.query,
    stop: installation.end,
  }
}

function describePeople(baseUrl: string) {
  const address = newClientAddress()
  const call = (method: string, path: string, { headers, ...options }: CallOptions = {}) =>
    callAt(baseUrl, method, path, { ...options, headers: { 'x-forwarded-for': address, ...headers } })

  /** Returns the body; throws unless the request succeeded. */
  async function get<Body>(method: string, path: string, options: CallOptions): Promise<Body> {
    const { status, body, text } = await call(method, path, options)
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text}`)
    return body as Body
  }

  async function signInAs(email: string, password: string): Promise<Person> {
    const answer = await get<SessionBody>('POST', '/auth/v1/sessions', { body: { email, password } })
    return { id: answer.user.id, email, password, session: answer.session_token }
  }

  const routes = (owner: Person) => {
    const makeTenant: ManagementHarness['makeTenant'] = async ({ plan, session = owner.session } = {}) => {
      const name = `Tenant ${randomBytes(4).toString('hex')}`
      const tenant = await get<{ id: string; name: string }>('POST', '/auth/v1/tenants', { session, body: { name } })
      if (plan !== undefined) await get('PUT', `/v1/admin/tenants/${tenant.id}/plan`, { adminSecret, body: { plan } })
      return tenant
    }
    let lobby: Promise<{ id: string }> | undefined
    const makePerson: ManagementHarness['makePerson'] = async membership => {
      lobby ??= makeTenant()
      const { tenantId, role } = membership ?? { tenantId: (await lobby).id, role: 'viewer' as const }
      const email = `person-${randomBytes(6).toString('hex')}@example.com`
      const password = randomBytes(12).toString('hex')
      const member = await get<{ invite_url: string }>('POST', `/auth/v1/tenants/${tenantId}/members`, {
        session: owner.session,
        body: { email, role },
      })
      const token = new URL(member.invite_url).hash.slice('#token='.length)
      const answer = await get<SessionBody>('POST', '/auth/v1/invitations/accept', { body: { token, password } })
      return { id: answer.user.id, email, password, session: answer.session_token }
    }
    const join: ManagementHarness['join'] = async (tenantId, { email, session }, role, inviter = owner.session) => {
      const path = `/auth/v1/tenants/${tenantId}/members`
      const body = { email, role }
      const { invite_url } = await get<{ invite_url: string }>('POST', path, { session: inviter, body })
      const token = new URL(invite_url).hash.slice('#token='.length)
      await get('POST', '/auth/v1/invitations/accept', { session, body: { token } })
    }
    return {
      call,
      giveProvider: (tenantId: string, provider: string, body: object, session = owner.session) =>
        giveProvider(call, { tenantId, provider, body, session }),
      join,
      signIn: async (email: string, password: string) => (await signInAs(email, password)).session,
      makeTenant,
      makePerson,
      makeProject: (tenantId: string, session = owner.session) =>
        get<{ id: string; slug: string; fqdn_prod: string }>('POST', `/auth/v1/tenants/${tenantId}/projects`, {
          session,
          body: { name: 'Project' },
        }),
      makeApiKey: (projectId: string, session = owner.session) =>
        get<{ id: string; api_key: string }>('POST', `/auth/v1/projects/${projectId}/api-keys`, { session, body: {} }),
    }
  }
  return { signInAs, routes }
}

type Call = ManagementHarness['call']

async function giveProvider(call: Call, given: { tenantId: string; provider: string; body: object; session: string }) {
  const { tenantId, provider, body, session } = given
  const path = `/auth/v1/tenants/${tenantId}/providers`
  const put = async () => {
    const { status, text } = await call('PUT', `${path}/${provider}`, { session, body })
    if (status >= 300) throw new Error(`PUT ${path}/${provider} answered ${status}: ${text}`)
    return true
  }
  const isKnown = async () => {
    const listed = await call('GET', `${path}?fields=types`, { session })
    // Without an answer of the store, only the route knows.
    const { provider_types: known = [] } = listed.body as { provider_types?: string[] }
    return known.includes(provider.replace('/', '-'))
  }
  const answer = put()
  while (!(await Promise.race([answer, isKnown()]))) await Promise.race([answer, sleep(5)])
}

interface SessionBody {
  session_token: string
  user: { id: string }
}

/** Of a stream that a GET opens, the beginning: it goes on for minutes. */
async function textOf(response: Response, method: string): Promise<string> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  if (!isStream || method !== 'GET' || response.body === null) return await response.text()
  const reader = response.body.getReader()
  const { value } = await reader.read()
  await reader.cancel()
  return new TextDecoder().decode(value)
}

async function callAt(baseUrl: string, method: string, path: string, options: CallOptions = {}): Promise<Answer> {
  const { session, apiKey, adminSecret: secret, body } = options
  const bearer = session ?? apiKey
  const startedAt = performance.now()
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      ...(secret === undefined ? {} : { 'x-admin-secret': secret }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await textOf(response, method)
  const tookMs = performance.now() - startedAt
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
  const received = isJson ? JSON.parse(text) : text
  recordExchange({ method, path, body, status: response.status, response: text === '' ? undefined : received })
  return { status: response.status, body: received, text, headers: response.headers, tookMs }
}
