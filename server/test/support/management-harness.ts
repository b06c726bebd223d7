// Starts a real product on a chosen backend. Creates users, tenants, projects and keys through its routes, and reads
// its database directly. Uses only the HTTP contract and the table names; imports no source file.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { afterAll, describe, inject } from 'vitest'
import { createDatabase, type TestServer } from './postgres.ts'
import { startRedis } from './redis.ts'
import { type Product, startProduct } from './start-product.ts'

export type Backend = 'sqlite' | 'postgres'

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
  /** Null on SQLite, where the store is in the process. */
  redis: TestServer | null
  /** The folder with the database on SQLite, null on PostgreSQL. */
  dataDir: string | null
  /** The bootstrap user; owner of all tenants that are created without a session. */
  owner: Person
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  signIn(email: string, password: string): Promise<string>
  /** Creates a user: a member of `tenantId`, or by default of no tenant that the tests use. */
  makePerson(membership?: { tenantId: string; role: 'owner' | 'member' | 'viewer' }): Promise<Person>
  makeTenant(options?: { plan?: 'free' | 'pro'; session?: string }): Promise<{ id: string; name: string }>
  makeProject(tenantId: string, session?: string): Promise<{ id: string; slug: string; fqdn_prod: string }>
  makeApiKey(projectId: string, session?: string): Promise<{ id: string; api_key: string }>
  /** Queries the product's database directly. Placeholders are `?` on both backends. */
  query<Row = Record<string, unknown>>(text: string, values?: readonly (string | number)[]): Promise<Row[]>
  stop(): Promise<void>
}

export interface HarnessOptions {
  /** Added to the product's environment. */
  env?: Record<string, string>
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

const ownerPassword = 'correct horse battery staple'
const adminSecret = 'admin-secret-of-the-tests'

export async function startManagement(backend: Backend, options: HarnessOptions = {}): Promise<ManagementHarness> {
  const world = backend === 'sqlite' ? embeddedWorld() : await distributedWorld()
  const env = {
    BOOTSTRAP_EMAIL: 'owner@example.com',
    BOOTSTRAP_PASSWORD: ownerPassword,
    ADMIN_SECRET: adminSecret,
    ...world.env,
    ...options.env,
  }
  const product = await startProduct({ env }).catch(async (error: unknown) => {
    await world.end()
    throw error
  })
  const people = describePeople(product.baseUrl)
  const owner = await people.signInAs('owner@example.com', ownerPassword)
  return {
    backend,
    product,
    baseUrl: product.baseUrl,
    adminSecret,
    env,
    redis: world.redis,
    dataDir: world.dataDir,
    owner,
    ...people.routes(owner),
    query: world.query,
    async stop() {
      await product.stop()
      await world.end()
    },
  }
}

interface World {
  env: Record<string, string>
  redis: TestServer | null
  dataDir: string | null
  query: ManagementHarness['query']
  end(): Promise<void>
}

function embeddedWorld(): World {
  const dataDir = mkdtempSync(join(tmpdir(), 'sallyport-management-'))
  return {
    env: { DATA_DIR: dataDir },
    redis: null,
    dataDir,
    async query<Row>(text: string, values: readonly (string | number)[] = []) {
      const database = new DatabaseSync(join(dataDir, 'sallyport.db'), { timeout: 60_000 })
      try {
        return database.prepare(text).all(...values) as Row[]
      } finally {
        database.close()
      }
    },
    async end() {
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

let signingKeyPem: string | undefined

async function distributedWorld(): Promise<World> {
  const databaseUrl = await createDatabase(inject('postgresUrl'))
  const redis = await startRedis()
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 })
  signingKeyPem ??= generateKeyPairSync('rsa', { modulusLength: 2048 })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString()
  return {
    env: {
      DATABASE_URL: databaseUrl,
      REDIS_URL: redis.url,
      JWT_PRIVATE_KEY: signingKeyPem,
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    },
    redis,
    dataDir: null,
    async query<Row>(text: string, values: readonly (string | number)[] = []) {
      let position = 0
      const numbered = text.replaceAll('?', () => `$${++position}`)
      return (await pool.query(numbered, [...values])).rows as Row[]
    },
    async end() {
      await pool.end()
      await redis.stop()
    },
  }
}

function describePeople(baseUrl: string) {
  const call = (method: string, path: string, options?: CallOptions) => callAt(baseUrl, method, path, options)

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
      const token = new URL(member.invite_url).searchParams.get('token')
      const answer = await get<SessionBody>('POST', '/auth/v1/invitations/accept', { body: { token, password } })
      return { id: answer.user.id, email, password, session: answer.session_token }
    }
    return {
      call,
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

interface SessionBody {
  session_token: string
  user: { id: string }
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
  const text = await response.text()
  const tookMs = performance.now() - startedAt
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
  return { status: response.status, body: isJson ? JSON.parse(text) : text, text, headers: response.headers, tookMs }
}
