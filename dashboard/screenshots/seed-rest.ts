// What every screen needs to have something to show: alerts, prompts, providers, a meter, roles, restricted end users,
// and what the operator sees. Returns the ids that the addresses of screens contain.
import { adminSecret, type Installation, owner } from './installation.ts'
import type { Seeded } from './seed.ts'

export interface ScreenIds {
  tenantId: string
  projectId: string
  tierId: string
  promptName: string
  /** Of a custom provider. */
  slug: string
  cloud: string
  webhookId: string
  requestId: string
}

type Write = <Body = { id: string }>(method: string, path: string, body?: object) => Promise<Body>

export async function seedRest(installation: Installation, { tenantId, projectId }: Seeded): Promise<ScreenIds> {
  const login = await installation.call<{ session_token: string }>('POST', '/auth/v1/sessions', { body: owner })
  const write: Write = (method, path, body) =>
    installation.call(method, path, { credential: login.session_token, ...(body === undefined ? {} : { body }) })
  const [tenant, project] = [`/auth/v1/tenants/${tenantId}`, `/auth/v1/projects/${projectId}`]
  await seedProject(write, project, installation.providerUrl)
  const slug = await seedTenant(write, tenant, installation.providerUrl)
  await seedOperator(installation)
  await leaveDiagnostics(installation, (await write<{ slug: string }>('GET', project)).slug)
  const [webhook] = await write<{ id: string }[]>('GET', `${tenant}/webhooks`)
  const [tier] = await write<{ id: string }[]>('GET', `${project}/tiers`)
  const requests = await write<{ data: { id: string }[] }>('GET', `${project}/requests?status=4xx`)
  const ids = { tierId: tier?.id ?? '', webhookId: webhook?.id ?? '', requestId: requests.data[0]?.id ?? '' }
  return { tenantId, projectId, promptName: 'welcome', slug, cloud: 'azure', ...ids }
}

const alerts = [
  { name: 'Many errors', on: 'error_rate', over: 0.05, window_minutes: 15 },
  { name: 'Slow first words', on: 'first_token_ms', over: 2000, window_minutes: 5, for: { tier: 'plus' } },
  { name: 'Cost of an hour', on: 'cost_usd', over: 2.5, window_minutes: 60 },
]

async function seedProject(write: Write, project: string, providerUrl: string): Promise<void> {
  await write('PUT', `${project}/alerts`, { alerts })
  const welcome = [
    { role: 'system', content: 'You greet the readers of {{shop}}.' },
    { role: 'user', content: 'Greet {{name}}.' },
  ]
  const variables = { shop: { type: 'string' }, name: { type: 'string' } }
  await write('PUT', `${project}/prompts/welcome`, { messages: welcome, variables })
  const identity = { issuer: 'https://id.books.example.com/', audience: 'reading' }
  await write('PUT', `${project}/identity-provider`, { ...identity, jwks_url: `${providerUrl}/keys` })
  await write('PUT', `${project}/users/reader-1550/block`, { reason: 'The same question 400 times in an hour' })
  await write('PUT', `${project}/users/reader-1187/budgets`, { budgets: [{ usd: 1.5, period: 'day' }] })
}

/** Returns the slug of a custom provider. */
async function seedTenant(write: Write, tenant: string, providerUrl: string): Promise<string> {
  const models = [{ id: 'llama3.2:3b', display_name: 'Llama 3.2 3B' }, { id: 'qwen2.5:7b' }]
  const provider = { display_name: 'Ollama in the office', base_url: providerUrl, models }
  const { slug } = await write<{ slug: string }>('PUT', `${tenant}/providers/custom/ollama`, provider)
  const meter = { format: 'cloudevents', url: `${providerUrl}/events`, value: 'cost_usd', subject: 'tier' }
  await write('PUT', `${tenant}/meter`, meter)
  await write('PUT', `${tenant}/meter/subjects`, { free: 'cus_free_0012', plus: 'cus_plus_0031' })
  await write('PUT', `${tenant}/roles/auditor`, { permissions: ['project:read', 'audit:read'] })
  return slug
}

async function seedOperator({ call }: Installation): Promise<void> {
  const headers = { 'x-admin-secret': adminSecret }
  await call('POST', '/v1/admin/credentials', { headers, body: { name: 'prometheus', scope: 'read' } })
  for (const name of ['Northwind', 'City Library', 'Contoso Health', 'Fabrikam Games']) {
    const owner_email = `owner@${name.toLowerCase().replace(' ', '-')}.example`
    const { id } = await call('POST', '/v1/admin/tenants', { headers, body: { name, owner_email } })
    if (name !== 'City Library') continue
    await call('POST', `/v1/admin/killswitch/tenant/${id}`, { headers, body: { enabled: true } })
  }
}

/** A page of an origin that is not allowed, and a token that is none. */
async function leaveDiagnostics({ send }: Installation, slug: string): Promise<void> {
  const rejected: Record<string, string>[] = [{ origin: 'http://127.0.0.1:3000' }, { authorization: 'Bearer a.b.c' }]
  for (const headers of rejected) {
    await send('GET', `/p/${slug}/v1/models`, { headers })
  }
}
