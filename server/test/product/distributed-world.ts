// The environment of a distributed product on servers of the test's own, and the few routes its tests go through.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject, onTestFinished } from 'vitest'
import { createDatabase, type TestServer } from '../support/postgres.ts'
import { startRedis } from '../support/redis.ts'
import { type Product, startProduct } from '../support/start-product.ts'

export interface DistributedWorld {
  env: Record<string, string>
  redis: TestServer
  database: pg.Pool
  /** Killed when the test ends. */
  start: (env?: Record<string, string>) => Promise<Product>
}

const password = 'correct horse battery staple'
const adminSecret = 'admin-secret-of-the-tests'

let signingKey: string | undefined

export function distributedSecrets(): Record<string, string> {
  signingKey ??= generateKeyPairSync('rsa', { modulusLength: 2048 })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString()
  return {
    ADMIN_SECRET: adminSecret,
    JWT_PRIVATE_KEY: signingKey,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    BOOTSTRAP_EMAIL: 'owner@example.com',
    BOOTSTRAP_PASSWORD: password,
  }
}

export interface WorldOptions {
  /** Another server than the one that all tests share, to be killed. */
  postgresUrl?: string
  /** By default a database with this version's schema. */
  makeDatabase?: (postgresUrl: string) => Promise<string>
}

export async function createWorld({
  postgresUrl = inject('postgresUrl'),
  makeDatabase = createDatabase,
}: WorldOptions = {}): Promise<DistributedWorld> {
  const databaseUrl = await makeDatabase(postgresUrl)
  const redis = await startRedis()
  const database = new pg.Pool({ connectionString: databaseUrl, max: 2 })
  database.on('error', () => undefined)
  const env = { ...distributedSecrets(), DATABASE_URL: databaseUrl, REDIS_URL: redis.url, SYNC_INTERVAL: '1' }
  onTestFinished(async () => {
    await database.end()
    await redis.stop()
  })
  return {
    env,
    redis,
    database,
    async start(more = {}) {
      const product = await startProduct({ env: { ...env, ...more } })
      onTestFinished(() => product.kill())
      return product
    },
  }
}

/** The body of an answer that must be good. */
export async function ask<Body>(
  { baseUrl }: Product,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: object,
): Promise<Body> {
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (response.status >= 300) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
  return JSON.parse(text) as Body
}

export async function signIn(product: Product): Promise<{ authorization: string }> {
  const credentials = { email: 'owner@example.com', password }
  const { session_token } = await ask<{ session_token: string }>(product, 'POST', '/auth/v1/sessions', {}, credentials)
  return { authorization: `Bearer ${session_token}` }
}

export interface Project {
  id: string
  tenantId: string
  slug: string
}

export async function makeProject(product: Product, session: { authorization: string }): Promise<Project> {
  const tenant = await ask<{ id: string }>(product, 'POST', '/auth/v1/tenants', session, { name: 'Tenant' })
  const path = `/auth/v1/tenants/${tenant.id}/projects`
  const { id, slug } = await ask<{ id: string; slug: string }>(product, 'POST', path, session, { name: 'Project' })
  return { id, slug, tenantId: tenant.id }
}

export async function setKillSwitch(product: Product, tenantId: string, enabled: boolean): Promise<void> {
  const path = `/v1/admin/killswitch/tenant/${tenantId}`
  await ask(product, 'POST', path, { 'x-admin-secret': adminSecret }, { enabled })
}
