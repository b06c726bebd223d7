// An installation whose texts are all hostile: what members, operators, end users and strangers can make it store.
import { expect, vi } from 'vitest'
import { externalClaims, makeKey, makeToken } from '../../../server/test/crypto/token-kit.ts'
import { type Dashboard, hostileTexts } from './dashboard.ts'
import { askAs, sendAsOperator, setPlan } from './stage.ts'

const [markup = '', script = '', bidi = ''] = hostileTexts

/** Emails and ids of keys have no spaces. */
const markupWithoutSpaces = '<img/src="x"/onerror="window.hostile=1">'

/** An owner of the tenant. */
export const hostileUser = { email: `${markupWithoutSpaces}@example.com`, password: 'a password of a hostile user' }
export const invitedEmail = '"><script>window.hostile=1</script>@example.com'
export const rejectedKeyId = markupWithoutSpaces
export const rejectedOrigin = 'https://page.example.com'
/** Headers are Latin-1. */
export const userAgents = [markup, script]
/** A project has at most three tiers. */
export const tierNames = [markup, script, bidi]
const systemPrompt = hostileTexts.join('\n')

export interface HostileInstallation {
  tenantId: string
  projectId: string
  tierId: string
  promptName: string
  /** Of a custom provider. */
  slug: string
  cloud: string
  webhookId: string
  /** Of an end user whose id is the first text. */
  requestId: string
}

type Write = <Answer = Record<string, string>>(method: string, path: string, body?: object) => Promise<Answer>

/** `providerUrl` may be called: the keys of the identity provider are looked for there. */
export async function seedHostileTexts(dashboard: Dashboard, providerUrl: string): Promise<HostileInstallation> {
  const { call } = dashboard
  const { id: tenantId = '' } = await call('POST', '/auth/v1/tenants', { name: markup })
  await setPlan(dashboard, tenantId, 'pro')
  const session = await join(dashboard, tenantId)
  const write: Write = (method, path, body) => call(method, path, body, session)
  await write('POST', `/auth/v1/tenants/${tenantId}/members`, { email: invitedEmail, role: 'member' })
  const projects = []
  for (const name of hostileTexts) projects.push(await write('POST', `/auth/v1/tenants/${tenantId}/projects`, { name }))
  const [{ id: projectId = '', slug = '' } = {}] = projects
  const project = `/auth/v1/projects/${projectId}`
  const tierId = await deployTwice(write, project)
  const webhook = { url: `${providerUrl}/hooks`, types: ['member_removed'] }
  const { id: webhookId = '' } = await write('POST', `/auth/v1/tenants/${tenantId}/webhooks`, webhook)
  const meter = { format: 'cloudevents', url: `${providerUrl}/events`, value: 'requests', subject: 'tier' }
  await write('PUT', `/auth/v1/tenants/${tenantId}/meter`, meter)
  await write('PUT', `/auth/v1/tenants/${tenantId}/meter/subjects`, { [markup]: script })
  const customSlug = await configureProvider(write, tenantId, providerUrl)
  await askAsEndUsers(dashboard, write, { project, slug })
  await sendRejected(dashboard, slug)
  await write('PUT', `${project}/identity-provider`, {
    issuer: markup,
    audience: script,
    jwks_url: `${providerUrl}/keys`,
  })
  await signInWithUserAgents(dashboard)
  await seedOperator(dashboard, write, tenantId)
  const requestId = await findRequest(write, project)
  const promptName = 'hostile'
  return { tenantId, projectId, tierId, promptName, slug: customSlug, cloud: 'azure', webhookId, requestId }
}

async function join({ call }: Dashboard, tenantId: string): Promise<string> {
  const { email, password } = hostileUser
  const invited = await call('POST', `/auth/v1/tenants/${tenantId}/members`, { email, role: 'owner' })
  const token = new URL(invited['invite_url'] ?? '').hash.slice('#token='.length)
  const joined = await call('POST', '/auth/v1/invitations/accept', { token, password })
  return joined['session_token'] ?? ''
}

/** Ends with a draft that differs from what is deployed. Returns the id of a tier. */
async function deployTwice(write: Write, project: string): Promise<string> {
  const settings = `${project}/settings`
  const overrides = { system_prompt: systemPrompt, sentinel_blocklist: hostileTexts }
  const ids = []
  for (const name of tierNames) ids.push((await write('POST', `${project}/tiers`, { name, overrides }))['id'])
  await write('PUT', settings, { rpm_limit: 1000, sentinel_mode: 'shadow', sentinel_blocklist: hostileTexts })
  await write('POST', `${settings}/deploy`)
  await write('PUT', settings, { system_prompt: systemPrompt })
  await write('POST', `${settings}/deploy`)
  await write('PUT', settings, { system_prompt: `${systemPrompt}\nmore` })
  const messages = hostileTexts.map(content => ({ role: 'user', content }))
  await write('PUT', `${project}/prompts/hostile`, { messages })
  return ids[0] ?? ''
}

/** A custom provider with a model of each name, and a price of one. Returns the provider's slug. */
async function configureProvider(write: Write, tenantId: string, providerUrl: string): Promise<string> {
  const models = hostileTexts.map((text, index) => ({ id: `hostile-${index}`, display_name: text }))
  const body = { display_name: markup, base_url: providerUrl, models }
  const { slug = '' } = await write('PUT', `/auth/v1/tenants/${tenantId}/providers/custom/hostile`, body)
  await write('PUT', `/auth/v1/tenants/${tenantId}/prices`, { model: 'custom-hostile/hostile-0', input: 1, output: 2 })
  return slug
}

/** Each asks what it is called, and is blocked for what it is called. */
async function askAsEndUsers(dashboard: Dashboard, write: Write, place: { project: string; slug: string }) {
  const { project, slug } = place
  const keys = []
  for (const name of hostileTexts) keys.push(await write('POST', `${project}/api-keys`, { name }))
  const apiKey = keys[0]?.['api_key'] ?? ''
  for (const [index, uid] of hostileTexts.entries()) {
    const tier = tierNames[index % tierNames.length] ?? ''
    expect(await askAs(dashboard, { slug, apiKey, uid, text: uid, tier })).toBe(200)
    const user = `${project}/users/~${Buffer.from(uid).toString('base64url')}`
    await write('PUT', `${user}/block`, { reason: hostileTexts.at(index - 1) })
  }
  await vi.waitFor(() => expectCounted(write, project), 60_000)
}

/** What they sent is written to the usage and to the events of the guardrails some seconds later. */
async function expectCounted(write: Write, project: string): Promise<void> {
  const usage = await write<{ data: { uid: string }[] }>('GET', `${project}/usage?group_by=uid`)
  expect(usage.data.map(({ uid }) => uid).sort()).toEqual([...hostileTexts].sort())
  const { tenant_id: tenantId } = await write('GET', project)
  const events = await write<{ data: unknown[] }>('GET', `/v1/tenants/${tenantId}/guardrails/events`)
  expect(events.data.length).toBeGreaterThanOrEqual(hostileTexts.length)
}

async function findRequest(write: Write, project: string): Promise<string> {
  const path = `${project}/requests?uid=${encodeURIComponent(markup)}`
  const { data } = await write<{ data: { id: string }[] }>('GET', path)
  return data[0]?.id ?? expect.fail('no request')
}

/** Leaves diagnostics: of a page elsewhere, and of a token with an unknown key. */
async function sendRejected({ product }: Dashboard, slug: string): Promise<void> {
  const token = makeToken(makeKey('other'), { alg: 'RS256', typ: 'JWT', kid: rejectedKeyId }, externalClaims())
  const rejected: Record<string, string>[] = [{ origin: rejectedOrigin }, { authorization: `Bearer ${token}` }]
  for (const headers of rejected) {
    const response = await fetch(`${product.baseUrl}/p/${slug}/v1/models`, { headers })
    expect(response.ok).toBe(false)
    await response.text()
  }
}

async function signInWithUserAgents({ product }: Dashboard): Promise<void> {
  const body = JSON.stringify(hostileUser)
  for (const userAgent of userAgents) {
    const headers = { 'content-type': 'application/json', 'user-agent': userAgent }
    const response = await fetch(`${product.baseUrl}/auth/v1/sessions`, { method: 'POST', headers, body })
    expect(response.status).toBe(200)
    await response.text()
  }
}

/** Tenants of every name, each with a kill switch, entries of the catalog, an operator, and credentials. */
async function seedOperator(dashboard: Dashboard, write: Write, tenantId: string): Promise<void> {
  const tenantIds = [tenantId]
  for (const name of hostileTexts.slice(1))
    tenantIds.push((await write('POST', '/auth/v1/tenants', { name }))['id'] ?? '')
  for (const id of tenantIds)
    await sendAsOperator(dashboard, 'POST', `/v1/admin/killswitch/tenant/${id}`, { enabled: true })
  await sendAsOperator(dashboard, 'POST', '/v1/admin/operators', { email: hostileUser.email })
  for (const [index, text] of hostileTexts.entries()) {
    await sendAsOperator(dashboard, 'POST', '/v1/admin/credentials', { name: text, scope: 'read' })
    await sendAsOperator(dashboard, 'POST', '/auth/v1/admin/providers', {
      name: text,
      displayName: text,
      slug: `hostile-${index}`,
    })
  }
}
