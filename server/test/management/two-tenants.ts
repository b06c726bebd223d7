// Two tenants with everything that a tenant can have, on one running plane, and the rows of the database that are
// theirs. Everybody in it is somebody else: no person, key or project is shared.

import { afterAll } from 'vitest'
import { contentDays, rowDays } from '../../src/storage/request-log/request-tables.ts'
import { keySetText, makeKey, makeToken, type TestKey } from '../crypto/token-kit.ts'
import type { ManagementHarness, Person, Start } from '../support/management-harness.ts'
import { newClientAddress } from '../support/shared-products.ts'
import { type KeySetServer, startKeySetServer } from '../support/simulated/key-set-server.ts'
import { startUpstream } from '../support/simulated/scripted-upstream.ts'
import { goodBody } from './good-bodies.ts'
import { expectOk, mint } from './requests.ts'
import { type Send, sendTo } from './send.ts'

export interface ProjectOf {
  id: string
  slug: string
  host: string
  keyId: string
  apiKey: string
  tierId: string
  /** The number of its newest deployment. */
  newest: number
}

export interface TenantOf {
  id: string
  name: string
  owner: Person
  projects: readonly [ProjectOf, ProjectOf]
  /** Of an open invitation. */
  invitationId: string
  webhookId: string
  serviceAccountId: string
}

export interface TwoTenants {
  plane: ManagementHarness
  send: Send
  a: TenantOf
  b: TenantOf
  /** People of A besides its owner; the former member has left it again. */
  member: Person
  viewer: Person
  former: Person
  /** An entry of the catalog. */
  providerId: string
  /** Where the address of a custom provider may lead. */
  upstreamUrl: string
  /** A new address each time, so that the limits of one client's failures stay out of the way. */
  forwarded(): [string, string]
  /** A token of the external identity provider that A's first project trusts. */
  externalToken(claims?: Record<string, unknown>): string
  /** A token of SESSION_ISSUER for the account with this email. */
  sessionToken(email: string): string
  makeTenantOf(deployments?: number): Promise<TenantOf>
  /** A tenant of B's owner for one test to use up. */
  makeSpare(): Promise<TenantOf>
}

export const sessionIssuer = { issuer: 'https://login.example.com/', audience: 'dashboard' }
const projectIssuer = { issuer: 'https://idp.example.com/', audience: 'chat' }

/** `reachable` are hosts that tenants may name besides those of the world itself. */
export async function startTwoTenants(
  start: Start,
  env: Record<string, string> = {},
  reachable: readonly string[] = [],
): Promise<TwoTenants> {
  const [idpKey, loginKey] = [makeKey('idp'), makeKey('login')]
  const [idp, login, upstream] = await Promise.all([
    startKeySetServer(keySetText(idpKey)),
    startKeySetServer(keySetText(loginKey)),
    startUpstream(),
  ])
  afterAll(() => Promise.all([idp.stop(), login.stop(), upstream.close()]))
  upstream.on('*', { body: { data: [] } })
  upstream.on('POST /google/token', { body: { access_token: 'token', expires_in: 3600, token_type: 'Bearer' } })
  const plane = await start({
    own: true,
    env: {
      OPENAI_BASE_URL: `${upstream.url}/v1`,
      OUTBOUND_ALLOW: [new URL(idp.url).host, upstream.host, ...reachable].join(),
      AWS_ENDPOINT_URL_STS: upstream.url,
      SESSION_ISSUER: sessionIssuer.issuer,
      SESSION_AUDIENCE: sessionIssuer.audience,
      SESSION_JWKS_URL: login.url,
      SYNC_INTERVAL: '1',
      ...env,
    },
  })
  const makeTenantOf = async (deployments = 1, owner?: Person) => {
    const tenant = await populate(plane, idp, deployments, owner)
    await addCustomProvider(plane, tenant, upstream.url)
    return tenant
  }
  const made = await makeTenantOf(3)
  await addClouds(plane, made, upstream.url)
  // The invitations that an owner has seen leave with the owner.
  const former = await leave(plane, made, await join(plane, made, 'owner'))
  const a = { ...made, invitationId: await invite(plane, made.owner, made.id) }
  const b = await makeTenantOf(1)
  return {
    plane,
    send: sendTo(plane.product.port),
    a,
    b,
    member: await join(plane, a, 'member'),
    viewer: await join(plane, a, 'viewer'),
    former,
    providerId: await findProviderId(plane),
    upstreamUrl: upstream.url,
    forwarded: () => ['X-Forwarded-For', newClientAddress()],
    externalToken: claims => externalToken(idpKey, claims),
    sessionToken: email => sessionToken(loginKey, email),
    makeTenantOf: deployments => makeTenantOf(deployments),
    makeSpare: () => makeTenantOf(0, b.owner),
  }
}

async function populate(
  plane: ManagementHarness,
  idp: KeySetServer,
  deployments: number,
  known?: Person,
): Promise<TenantOf> {
  const owner = known ?? (await plane.makePerson())
  const { session } = owner
  const { id, name } = await plane.makeTenant({ plan: 'pro', session })
  await plane.giveProvider(id, 'openai', { api_key: 'sk-good0123456789abcdefghij' }, session)
  const projects = [
    await populateProject(plane, idp, owner, id, deployments),
    // One more, so that its newest number is not one of the first project's.
    await populateProject(plane, idp, owner, id, deployments === 0 ? 0 : deployments + 1),
  ] as const
  const role = { session, body: { permissions: ['project:read'] } }
  expectOk(await plane.call('PUT', `/auth/v1/tenants/${id}/roles/auditor`, role))
  await addSingleSignOn(plane, owner, id, new URL(idp.url).origin)
  await addMeter(plane, owner, id, `${new URL(idp.url).origin}/events`)
  return {
    id,
    name,
    owner,
    projects,
    invitationId: await invite(plane, owner, id),
    webhookId: await addWebhook(plane, owner, id, `${new URL(idp.url).origin}/hook`),
    serviceAccountId: await addServiceAccount(plane, owner, id),
  }
}

/** Its slug is that of the tenant's first project, so that both are one in paths. */
async function addCustomProvider(plane: ManagementHarness, { id, owner, projects }: TenantOf, url: string) {
  const body = { display_name: 'Local', base_url: url, models: [{ id: 'm' }] }
  await plane.giveProvider(id, `custom/${projects[0].slug}`, body, owner.session)
}

async function addClouds(plane: ManagementHarness, { id, owner: { session } }: TenantOf, url: string) {
  for (const cloud of ['azure', 'bedrock', 'vertex']) {
    const body = goodBody('PUT', `/auth/v1/tenants/:tenantId/providers/${cloud}`, url) ?? {}
    await plane.giveProvider(id, cloud, body, session)
  }
}

async function invite(plane: ManagementHarness, { session }: Person, tenantId: string): Promise<string> {
  const body = { email: `invited-to-${tenantId}@example.com`, role: 'viewer' }
  const path = `/auth/v1/tenants/${tenantId}/members`
  return expectOk<{ id: string }>(await plane.call('POST', path, { session, body }), 201).id
}

/** With an identity of the owner, as if they had signed in. */
async function addSingleSignOn(
  plane: ManagementHarness,
  { id: userId, session }: Person,
  tenantId: string,
  issuer: string,
) {
  const client = { client_id: 'sallyport', client_secret: 'secret-of-the-client-0123456789' }
  const body = { issuer, ...client, domains: [`${tenantId}.example`], default_role: 'viewer' }
  expectOk(await plane.call('PUT', `/auth/v1/tenants/${tenantId}/sso`, { session, body }))
  await plane.query(
    `insert into sso_identities (id, tenant_id, issuer, subject, user_id, created_at, last_used_at)
     values (?, ?, ?, 'owner', ?, 1, 1)`,
    [crypto.randomUUID(), tenantId, issuer, userId],
  )
}

async function addServiceAccount(plane: ManagementHarness, { session }: Person, tenantId: string): Promise<string> {
  const path = `/auth/v1/tenants/${tenantId}/service-accounts`
  const body = { name: 'Deploys', permissions: ['project:read'] }
  return expectOk<{ id: string }>(await plane.call('POST', path, { session, body }), 201).id
}

/** For events that none of the tests makes: a delivery would change rows while they are compared. */
async function addWebhook(plane: ManagementHarness, { session }: Person, tenantId: string, url: string) {
  const body = { url, types: ['project_deleted'] }
  const path = `/auth/v1/tenants/${tenantId}/webhooks`
  return expectOk<{ id: string }>(await plane.call('POST', path, { session, body }), 201).id
}

async function addMeter(plane: ManagementHarness, { session }: Person, tenantId: string, url: string) {
  const body = { format: 'cloudevents', url, value: 'requests', subject: 'uid' }
  const path = `/auth/v1/tenants/${tenantId}/meter`
  expectOk(await plane.call('PUT', path, { session, body }))
  const subjects = { session, body: { [`user of ${tenantId}`]: `customer of ${tenantId}` } }
  expectOk(await plane.call('PUT', `${path}/subjects`, subjects), 204)
}

async function populateProject(
  plane: ManagementHarness,
  idp: KeySetServer,
  { session }: Person,
  tenantId: string,
  deployments: number,
): Promise<ProjectOf> {
  const project = await plane.makeProject(tenantId, session)
  const path = `/auth/v1/projects/${project.id}`
  const key = await plane.makeApiKey(project.id, session)
  const call = async (method: string, rest: string, body?: unknown, status = 200) =>
    expectOk(await plane.call(method, `${path}/${rest}`, { session, body }), status)
  const tier = await call('POST', 'tiers', { name: 'gold', overrides: { system_prompt: 'Be brief.' } }, 201)
  await call('PUT', 'prompts/greeting', { messages: [{ role: 'user', content: 'Greet me.' }] })
  await call('PUT', 'identity-provider', { ...projectIssuer, jwks_url: idp.url })
  await call('PUT', 'attestation', { kind: 'turnstile', secret: 'secret-of-turnstile-0123456789' })
  await call('PUT', 'settings/model', { provider_model: 'openai/gpt-4o-mini' })
  for (let number = 1; number <= deployments; number++) {
    await call('PUT', 'settings', { system_prompt: `Prompt ${number}` })
    await call('POST', 'settings/deploy')
  }
  await call('PUT', 'settings', { system_prompt: 'A draft', provider_model: 'openai/gpt-4o' })
  return {
    id: project.id,
    slug: project.slug,
    host: project.fqdn_prod,
    keyId: key.id,
    apiKey: key.api_key,
    tierId: String(tier['id']),
    newest: deployments,
  }
}

async function join(plane: ManagementHarness, tenant: TenantOf, role: 'owner' | 'member' | 'viewer'): Promise<Person> {
  const person = await plane.makePerson()
  await plane.join(tenant.id, person, role, tenant.owner.session)
  return person
}

async function leave(plane: ManagementHarness, tenant: TenantOf, person: Person): Promise<Person> {
  const path = `/auth/v1/tenants/${tenant.id}/members/${person.id}`
  expectOk(await plane.call('DELETE', path, { session: tenant.owner.session }), 204)
  return person
}

async function findProviderId(plane: ManagementHarness): Promise<string> {
  const [row] = await plane.query<{ id: string }>("select id from providers where slug = 'openai'")
  return row?.id ?? ''
}

function externalToken(key: TestKey, claims: Record<string, unknown> = {}): string {
  const now = Math.floor(Date.now() / 1000)
  const standard = { iss: projectIssuer.issuer, aud: projectIssuer.audience, sub: 'user-1', iat: now, exp: now + 3600 }
  return makeToken(key, { alg: 'RS256', typ: 'JWT', kid: key.kid }, { ...standard, ...claims })
}

function sessionToken(key: TestKey, email: string): string {
  const { issuer, audience } = sessionIssuer
  const now = Math.floor(Date.now() / 1000)
  const claims = { iss: issuer, aud: audience, sub: email, email, email_verified: true, iat: now, exp: now + 3600 }
  return makeToken(key, { alg: 'RS256', typ: 'JWT', kid: key.kid }, claims)
}

export async function mintFor(plane: ManagementHarness, { apiKey }: ProjectOf, role: string): Promise<string> {
  const minted = expectOk<{ access_token: string }>(await mint(plane, apiKey, { user_id: 'user-1', role }))
  return minted.access_token
}

/** Changed by the worker on its own, whoever asks for what. */
const ownedByTheWorker = ['leases', 'revisions', 'dns_jobs', 'late_indexes']
/** Who is known and refused leaves an entry. */
const audit = ['audit_entries', 'audit_heads', 'audit_refusals']
const workersColumns = [
  'key_set',
  'revision',
  'last_synced_at',
  'last_error',
  'dns_status',
  'dns_last_error',
  'dns_updated_at',
]
/** Changed by whoever asks for anything with a session, or mints with an API key. */
const callersColumns = ['last_seen_at', 'last_used_at']

/** Refusals are written down, too; in SQLite they have files of their own. */
const ofRequestLog = new RegExp(`^(?:${[...rowDays.tables, ...contentDays.tables].join('|')})(?:_\\d{8})?$`)

/** Every row of every table as text; with `ids`, only the rows that hold one of them. */
export async function dumpRows(plane: ManagementHarness, ids?: readonly string[]): Promise<string[]> {
  const tables = await plane.query<{ name: string }>(
    plane.backend === 'sqlite'
      ? "select name from sqlite_master where type = 'table' order by name"
      : "select table_name as name from information_schema.tables where table_schema = 'public' order by table_name",
  )
  const rows: string[] = []
  for (const { name } of tables) {
    if ([...ownedByTheWorker, ...audit].includes(name) || ofRequestLog.test(name) || name.startsWith('sqlite_'))
      continue
    for (const row of await plane.query(`select * from ${name}`)) {
      const kept = Object.entries(row).filter(([column]) => ![...workersColumns, ...callersColumns].includes(column))
      rows.push(`${name} ${JSON.stringify(kept, (_, value) => (typeof value === 'bigint' ? String(value) : value))}`)
    }
  }
  return rows.filter(row => ids === undefined || ids.some(id => row.includes(id))).sort()
}

export function idsOf({ id, owner, projects }: TenantOf): string[] {
  return [id, owner.id, ...projects.flatMap(project => [project.id, project.keyId, project.tierId])]
}
