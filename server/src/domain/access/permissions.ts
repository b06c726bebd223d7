// The permissions of the management API, one row each, and the roles that every tenant has as sets of them. Routes, the
// OpenAPI document, the dashboard and docs/access.md derive from this table.

/** What each permission lets its holder do, as docs/access.md and the dashboard show it. */
export const permissions = {
  'project:read': 'read the tenant, its members and projects: settings, keys without secrets, end users and requests',
  'project:write': 'create, rename, suspend and reactivate projects; rename the tenant',
  'settings:write': 'change drafts of settings and tiers, set alerts, use the playground and try the guardrails',
  'settings:deploy': 'deploy, roll back and change the live model',
  'keys:write':
    'create, rotate and revoke API keys; choose the identity provider whose tokens a project accepts, and store the secrets of attestations',
  'providers:write': 'configure providers and check their keys',
  'users:write': 'block and erase end users, and revoke their tokens',
  'webhooks:write': 'create, test, rotate and delete webhooks',
  'billing:read': 'read usage, prices and budgets',
  'billing:write': 'change prices and budgets',
  'guardrails:read': 'read guardrail events and reports',
  'content:read': 'read what end users wrote and models answered',
  'tokens:mint': 'mint tokens for oneself, and inspect tokens of end users',
  'mcp:write': 'change MCP servers',
  'prompts:write': 'change prompts',
  'members:write': 'invite, change and remove members, read invitations, make reset links',
  'roles:write': 'change the roles of the tenant',
  'sso:write': 'change the single sign-on of the tenant',
  'service_accounts:write': 'create, change, rotate and delete service accounts',
  'audit:read': 'read and export the audit',
  'tenant:write': 'delete projects and the tenant; with `content:read`, export the tenant',
} as const satisfies Record<string, string>

export type Permission = keyof typeof permissions

export const permissionNames = Object.keys(permissions) as readonly Permission[]

const reads = ['project:read', 'billing:read', 'guardrails:read'] as const satisfies readonly Permission[]

/** Owners, members and viewers, in every tenant. */
export const builtInRoles = {
  owner: permissionNames,
  member: [
    ...reads,
    'project:write',
    'settings:write',
    'settings:deploy',
    'keys:write',
    'providers:write',
    'users:write',
    'webhooks:write',
    'billing:write',
    'tokens:mint',
    'mcp:write',
    'prompts:write',
  ],
  viewer: reads,
} as const satisfies Record<string, readonly Permission[]>

export type BuiltInRole = keyof typeof builtInRoles

export const builtInRoleNames = Object.keys(builtInRoles) as readonly BuiltInRole[]

export function isBuiltInRole(name: string): name is BuiltInRole {
  return Object.hasOwn(builtInRoles, name)
}

/** The built-in roles that hold all of these permissions. */
export function rolesWith(needed: readonly Permission[]): BuiltInRole[] {
  return builtInRoleNames.filter(name => holdsAll(builtInRoles[name], needed))
}

export function holdsAll(held: readonly Permission[], needed: readonly Permission[]): boolean {
  return needed.every(permission => held.includes(permission))
}
