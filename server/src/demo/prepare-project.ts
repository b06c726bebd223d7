// The first steps of a new user over the management API: a tenant, a project with settings, an API key, tokens.

import { bearer, callApi, type ProductClient } from './product-client.ts'

export interface Account {
  email: string
  password: string
}

export interface DemoProject {
  id: string
  slug: string
  apiKey: string
  tokens: { alice: string; bob: string }
}

export const demoSettings = {
  pii_mode: 'enforce',
  pii_entities: { PERSON: 'MASK', EMAIL_ADDRESS: 'MASK' },
  sentinel_mode: 'enforce',
  user_rpm_limit: 10,
}

export async function prepareProject(client: ProductClient, account: Account): Promise<DemoProject> {
  const session = await callApi<{ session_token: string }>(client, {
    method: 'POST',
    path: '/auth/v1/sessions',
    headers: {},
    body: account,
  })
  const send = <Body>(method: 'POST' | 'PUT', path: string, body: object) =>
    callApi<Body>(client, { method, path, headers: bearer(session.session_token), body })
  const tenant = await send<{ id: string }>('POST', '/auth/v1/tenants', { name: 'Demo' })
  const { id, slug } = await send<{ id: string; slug: string }>('POST', `/auth/v1/tenants/${tenant.id}/projects`, {
    name: 'Demo',
  })
  await send('PUT', `/auth/v1/projects/${id}/settings`, demoSettings)
  await send('POST', `/auth/v1/projects/${id}/settings/deploy`, {})
  const { api_key: apiKey } = await send<{ api_key: string }>('POST', `/auth/v1/projects/${id}/api-keys`, {})
  const tokens = { alice: await mint(client, apiKey, 'alice'), bob: await mint(client, apiKey, 'bob') }
  return { id, slug, apiKey, tokens }
}

async function mint(client: ProductClient, apiKey: string, userId: string): Promise<string> {
  const minted = await callApi<{ access_token: string }>(client, {
    method: 'POST',
    path: '/auth/v1/auth/mint',
    headers: bearer(apiKey),
    body: { user_id: userId, ttl: 86_400 },
  })
  return minted.access_token
}
