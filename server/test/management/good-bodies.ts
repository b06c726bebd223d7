// For each route that takes a body one that is accepted as it stands, so that a hole in the door would show as a
// change. A value `:name` stands for what the path's ids lead to, `:upstreamUrl` for a scripted server.
import { generateKeyPairSync } from 'node:crypto'

const settings = { system_prompt: 'Taken over', rpm_limit: 7 }
const model = { provider_model: 'openai/gpt-4o-mini' }
const enabled = { enabled: true }

const serviceAccount = {
  type: 'service_account',
  project_id: 'taken-over',
  private_key_id: 'taken-over',
  client_email: 'taken-over@taken-over.iam.gserviceaccount.com',
  private_key: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
  token_uri: ':upstreamUrl/google/token',
}

/** The body that configures a cloud, which can be checked without being stored. */
function ofCloud(cloud: string, body: object): Record<string, object> {
  const path = `/auth/v1/tenants/:tenantId/providers/${cloud}`
  return { [`PUT ${path}`]: body, [`POST ${path}/validate`]: body }
}

/** Of nobody: well-formed, and signed by nothing. */
const passkey = { id: 'AAAA', response: { clientDataJSON: 'AAAA', authenticatorData: 'AAAA', signature: 'AAAA' } }

const bodies: Record<string, Record<string, unknown>> = {
  'POST /auth/v1/sessions': { email: 'owner@example.com', password: 'not the right password' },
  'PUT /auth/v1/users/current/password': {
    current_password: 'not the right password',
    new_password: 'correct horse battery staple',
  },
  'POST /auth/v1/password-resets/accept': { token: 'reset_unknown', password: 'correct horse battery staple' },
  'POST /auth/v1/device/code': { client_name: 'Taken over' },
  'POST /auth/v1/device/token': { device_code: 'unknown' },
  'POST /auth/v1/device/approve': { user_code: 'BCDF-GHJK' },
  'POST /auth/v1/device/deny': { user_code: 'BCDF-GHJK' },
  'PUT /auth/v1/projects/:projectId/draft': { settings },
  'POST /auth/v1/projects/:projectId/draft/compare': { settings },
  'POST /auth/v1/projects/:projectId/tokens': { ttl: 60 },
  'POST /auth/v1/sessions/second-factor': { challenge: 'unknown', code: '123456' },
  'POST /auth/v1/sessions/passkey': { response: passkey },
  'POST /auth/v1/sessions/current/reauthenticate': { password: 'not the right password' },
  'POST /auth/v1/users/current/passkeys': {
    name: 'Taken over',
    response: { id: 'AAAA', response: { clientDataJSON: 'AAAA', attestationObject: 'AAAA' } },
  },
  'POST /auth/v1/users/current/totp/confirm': { code: '123456' },
  'DELETE /auth/v1/users/current/totp': { code: '123456' },
  'PUT /auth/v1/tenants/:tenantId/sign-in-rules': { require_second_factor: false },
  'POST /auth/v1/tenants': { name: 'Taken over' },
  'POST /v1/admin/tenants': { name: 'Taken over', owner_email: 'new@example.com' },
  'PATCH /auth/v1/tenants/:tenantId/members/:userId': { role: 'viewer' },
  'PATCH /auth/v1/tenants/:tenantId': { name: 'Taken over' },
  'DELETE /auth/v1/tenants/:tenantId': { confirm: ':tenantName' },
  'POST /auth/v1/tenants/:tenantId/members': { email: 'new@example.com', role: 'viewer' },
  'POST /auth/v1/invitations/accept': { token: 'inv_unknown', password: 'correct horse battery staple' },
  'PUT /auth/v1/tenants/:tenantId/roles/:roleName': { permissions: ['project:read'] },
  'POST /auth/v1/tenants/:tenantId/service-accounts': { name: 'Taken over', permissions: ['project:read'] },
  'PATCH /auth/v1/tenants/:tenantId/service-accounts/:serviceAccountId': { name: 'Taken over' },
  'PUT /auth/v1/tenants/:tenantId/sso': {
    issuer: ':upstreamUrl',
    client_id: 'taken-over',
    client_secret: 'taken-over-0123456789',
    domains: ['taken-over.example'],
    default_role: 'viewer',
  },
  'POST /auth/v1/tenants/:tenantId/sso/test': { issuer: ':upstreamUrl' },
  'POST /auth/v1/tenants/:tenantId/projects': { name: 'Taken over' },
  'POST /auth/v1/projects/:projectId/file-lease': { holder: 'a watcher', seconds: 60 },
  'POST /auth/v1/tenants/:tenantId/webhooks': { url: 'https://8.8.8.8/hook' },
  'PUT /auth/v1/tenants/:tenantId/meter': {
    format: 'cloudevents',
    url: 'https://8.8.8.8/events',
    value: 'requests',
    subject: 'uid',
  },
  'PUT /auth/v1/tenants/:tenantId/meter/subjects': { 'user-1': 'cus_1' },
  'PUT /auth/v1/tenants/:tenantId/prices': { model: 'openai/gpt-4o-mini', input: 1, output: 2 },
  'PUT /auth/v1/tenants/:tenantId/budgets': { budgets: [{ usd: 1, period: 'day' }] },
  'PUT /auth/v1/projects/:projectId/users/:uid/budgets': { budgets: [{ usd: 1, period: 'day' }] },
  'PUT /auth/v1/projects/:projectId/alerts': {
    alerts: [{ name: 'Taken over', on: 'requests', over: 1, window_minutes: 5 }],
  },
  'PATCH /auth/v1/projects/:projectId': { name: 'Taken over' },
  'DELETE /auth/v1/projects/:projectId': { confirm: ':slug' },
  'POST /auth/v1/projects/:projectId/api-keys': { name: 'Taken over', role: 'user' },
  'POST /auth/v1/auth/mint': { user_id: 'user-1' },
  'POST /v1/auth/mint': { user_id: 'user-1' },
  'POST /v1/auth/anonymous': { attestation: { kind: 'proof_of_work', token: 'taken-over' } },
  'PUT /auth/v1/projects/:projectId/attestation': { kind: 'turnstile', secret: 'taken-over-0123456789' },
  'PUT /auth/v1/projects/:projectId/settings': settings,
  'PUT /auth/v1/projects/:projectId/settings/model': model,
  'PUT /auth/v1/projects/:projectId/settings/model/draft': model,
  'POST /auth/v1/projects/:projectId/tiers': { name: 'Taken over', sort_order: 1, overrides: { rpm_limit: 7 } },
  'PUT /auth/v1/projects/:projectId/tiers/:tierId': { name: 'Taken over', overrides: { rpm_limit: 7 } },
  'PUT /auth/v1/projects/:projectId/prompts/:promptName': { messages: [{ role: 'user', content: 'Taken over' }] },
  'PUT /auth/v1/tenants/:tenantId/providers/:providerType': { api_key: 'sk-taken0123456789abcdefghij' },
  'PUT /auth/v1/tenants/:tenantId/providers/custom/:slug': {
    display_name: 'Taken over',
    base_url: ':upstreamUrl',
    models: [{ id: 'taken-over' }],
  },
  ...ofCloud('azure', {
    base_url: ':upstreamUrl',
    api_version: '2024-10-21',
    deployments: [{ id: 'taken-over' }],
    api_key: 'taken-over-0123456789',
  }),
  ...ofCloud('bedrock', {
    region: 'us-east-1',
    models: [{ id: 'taken-over' }],
    access_key_id: 'AKIATAKENOVER0000',
    secret_access_key: 'taken-over-0123456789',
  }),
  ...ofCloud('vertex', {
    location: 'europe-west4',
    models: [{ id: 'taken-over' }],
    service_account: serviceAccount,
  }),
  'POST /auth/v1/tenants/:tenantId/providers/:providerType/validate': { api_key: 'sk-taken0123456789abcdefghij' },
  'POST /auth/v1/admin/providers': { name: 'Taken over', slug: 'taken-over', displayName: 'Taken over' },
  'PUT /auth/v1/projects/:projectId/identity-provider': {
    issuer: 'https://evil.example.com/',
    jwks_url: 'https://8.8.8.8/keys',
    audience: 'evil',
  },
  'POST /auth/v1/projects/:projectId/inspect-token': { token: 'a.b.c' },
  'POST /auth/v1/tenants/:tenantId/audit/last-changes': { actions: ['webhook.create'], targets: ['taken-over'] },
  'POST /auth/v1/projects/:projectId/guardrails/try': { text: 'Hello', role: 'user' },
  'PUT /auth/v1/projects/:projectId/users/:uid/block': { reason: 'Taken over' },
  'POST /auth/v1/projects/:projectId/playground': { messages: [{ role: 'user', content: 'Hello' }] },
  'POST /v1/admin/credentials': { name: 'Taken over', scope: 'write' },
  'POST /v1/admin/operators': { email: 'owner@example.com' },
  'POST /v1/admin/killswitch/global': enabled,
  'POST /v1/admin/killswitch/tenant/:tenantId': enabled,
  'POST /v1/admin/killswitch/project/:projectId': enabled,
  'PUT /v1/admin/tenants/:tenantId/plan': { plan: 'free' },
}

/** By method and pattern, an alias counting as its long form; undefined where the route takes none. */
export function goodBody(method: string, pattern: string, upstreamUrl: string): Record<string, unknown> | undefined {
  const body = bodies[`${method} ${pattern}`] ?? bodies[`${method} /auth${pattern}`]
  return body && JSON.parse(JSON.stringify(body).replaceAll(':upstreamUrl', upstreamUrl))
}
