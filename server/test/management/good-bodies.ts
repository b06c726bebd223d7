// For each route that takes a body one that is accepted as it stands, so that a hole in the door would show as a
// change. A value `:name` stands for what the path's ids lead to.

const settings = { system_prompt: 'Taken over', rpm_limit: 7 }
const model = { provider_model: 'openai/gpt-4o-mini' }
const enabled = { enabled: true }

const bodies: Record<string, Record<string, unknown>> = {
  'POST /auth/v1/sessions': { email: 'owner@example.com', password: 'not the right password' },
  'PUT /auth/v1/users/current/password': {
    current_password: 'not the right password',
    new_password: 'correct horse battery staple',
  },
  'POST /auth/v1/password-resets/accept': { token: 'reset_unknown', password: 'correct horse battery staple' },
  'POST /auth/v1/tenants': { name: 'Taken over' },
  'PATCH /auth/v1/tenants/:tenantId/members/:userId': { role: 'viewer' },
  'PATCH /auth/v1/tenants/:tenantId': { name: 'Taken over' },
  'DELETE /auth/v1/tenants/:tenantId': { confirm: ':tenantName' },
  'POST /auth/v1/tenants/:tenantId/members': { email: 'new@example.com', role: 'viewer' },
  'POST /auth/v1/invitations/accept': { token: 'inv_unknown', password: 'correct horse battery staple' },
  'POST /auth/v1/tenants/:tenantId/projects': { name: 'Taken over' },
  'PATCH /auth/v1/projects/:projectId': { name: 'Taken over' },
  'DELETE /auth/v1/projects/:projectId': { confirm: ':slug' },
  'POST /auth/v1/projects/:projectId/api-keys': { name: 'Taken over', role: 'user' },
  'POST /auth/v1/auth/mint': { user_id: 'user-1' },
  'POST /v1/auth/mint': { user_id: 'user-1' },
  'PUT /auth/v1/projects/:projectId/settings': settings,
  'PUT /auth/v1/projects/:projectId/settings/model': model,
  'PUT /auth/v1/projects/:projectId/settings/model/draft': model,
  'POST /auth/v1/projects/:projectId/tiers': { name: 'Taken over', sort_order: 1, overrides: { rpm_limit: 7 } },
  'PUT /auth/v1/projects/:projectId/tiers/:tierId': { name: 'Taken over', overrides: { rpm_limit: 7 } },
  'PUT /auth/v1/tenants/:tenantId/providers/:providerType': { api_key: 'sk-taken0123456789abcdefghij' },
  'POST /auth/v1/tenants/:tenantId/providers/:providerType/validate': { api_key: 'sk-taken0123456789abcdefghij' },
  'POST /auth/v1/admin/providers': { name: 'Taken over', slug: 'taken-over', displayName: 'Taken over' },
  'PUT /auth/v1/projects/:projectId/identity-provider': {
    issuer: 'https://evil.example.com/',
    jwks_url: 'https://8.8.8.8/keys',
    audience: 'evil',
  },
  'POST /auth/v1/projects/:projectId/inspect-token': { token: 'a.b.c' },
  'POST /auth/v1/projects/:projectId/guardrails/try': { text: 'Hello', role: 'user' },
  'PUT /auth/v1/projects/:projectId/users/:uid/block': { reason: 'Taken over' },
  'POST /auth/v1/projects/:projectId/playground': { messages: [{ role: 'user', content: 'Hello' }] },
  'POST /v1/admin/killswitch/global': enabled,
  'POST /v1/admin/killswitch/tenant/:tenantId': enabled,
  'POST /v1/admin/killswitch/project/:projectId': enabled,
  'PUT /v1/admin/tenants/:tenantId/plan': { plan: 'free' },
}

/** By method and pattern, an alias counting as its long form; undefined where the route takes none. */
export function goodBody(method: string, pattern: string): Record<string, unknown> | undefined {
  return bodies[`${method} ${pattern}`] ?? bodies[`${method} /auth${pattern}`]
}
