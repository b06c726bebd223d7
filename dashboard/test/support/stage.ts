// What several screens need to exist: a tenant on the pro plan with its project, and a viewer of it.
import { expect } from 'vitest'
import type { Dashboard } from './dashboard.ts'

export const adminSecret = 'an admin secret for this test, long enough'

export interface Stage {
  tenantId: string
  projectId: string
  slug: string
}

/** The dashboard must have been started with `adminSecret`. */
export async function createStage(dashboard: Dashboard, projectName = 'Chat'): Promise<Stage> {
  const tenant = await dashboard.call('POST', '/auth/v1/tenants', { name: 'Acme' })
  const tenantId = tenant['id'] ?? ''
  await setPlan(dashboard, tenantId, 'pro')
  const project = await dashboard.call('POST', `/auth/v1/tenants/${tenantId}/projects`, { name: projectName })
  return { tenantId, projectId: project['id'] ?? '', slug: project['slug'] ?? '' }
}

export async function setPlan(dashboard: Dashboard, tenantId: string, plan: 'free' | 'pro'): Promise<void> {
  await sendAsOperator(dashboard, 'PUT', `/v1/admin/tenants/${tenantId}/plan`, { plan })
}

/** The dashboard must have been started with `adminSecret`. */
export async function sendAsOperator(
  { product }: Dashboard,
  method: 'POST' | 'PUT',
  path: string,
  body: object,
): Promise<void> {
  const headers = { 'x-admin-secret': adminSecret, 'content-type': 'application/json' }
  const response = await fetch(product.baseUrl + path, { method, headers, body: JSON.stringify(body) })
  expect([path, response.ok, await response.text()]).toEqual([path, true, expect.any(String)])
}

interface Account {
  email: string
  password: string
}

export const createViewer = (dashboard: Dashboard, tenantId: string): Promise<Account> =>
  addMember(dashboard, tenantId, 'viewer')

export async function addMember(dashboard: Dashboard, tenantId: string, role: 'member' | 'viewer'): Promise<Account> {
  const account = { email: `${role}@example.com`, password: `a password of a ${role}` }
  const body = { email: account.email, role }
  const invited = await dashboard.call('POST', `/auth/v1/tenants/${tenantId}/members`, body)
  const token = new URL(invited['invite_url'] ?? '').hash.slice('#token='.length)
  await dashboard.call('POST', '/auth/v1/invitations/accept', { token, password: account.password })
  return account
}

export interface AskOptions {
  slug: string
  apiKey: string
  uid: string
  text: string
  tier?: string
}

/** Asks as the application of an end user does, and returns the response's status. */
export async function askAs(dashboard: Dashboard, { slug, apiKey, uid, text, tier }: AskOptions): Promise<number> {
  const post = (path: string, token: string, body: object) =>
    fetch(dashboard.product.baseUrl + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const minted = (await (await post('/auth/v1/auth/mint', apiKey, { user_id: uid, tier })).json()) as {
    access_token: string
  }
  const messages = [{ role: 'user', content: text }]
  const response = await post(`/p/${slug}/v1/chat/completions`, minted.access_token, { messages })
  await response.text()
  return response.status
}
