// The permissions of the management API, one row each, and the roles that every tenant has as sets of them. Routes, the
// OpenAPI document, the dashboard and docs/access.md derive from this table.

interface PermissionRow {
  /** What it lets its holder do, as docs/permissions.md and the dashboard show it. */
  lets: string
  /**
   * Which routes that need it also need a sign-in of the last ten minutes, from accounts with a second factor and
   * from single sign-on.
   */
  stepUp?: 'all' | 'writes' | 'deletions'
}

export const permissions = {
  'project:read': {
    lets: 'read the tenant, its members and projects: settings, keys without secrets, end users and requests',
  },
  'project:write': { lets: 'create, rename, suspend and reactivate projects; rename the tenant' },
  'settings:write': {
    lets: 'change drafts of settings and tiers, set alerts, use the playground and try the guardrails',
  },
  'settings:deploy': { lets: 'deploy, roll back and change the live model' },
  'keys:write': {
    lets: 'create, rotate and revoke API keys; choose the identity provider whose tokens a project accepts, and store the secrets of attestations',
    stepUp: 'writes',
  },
  'providers:write': { lets: 'configure providers and check their keys', stepUp: 'writes' },
  'users:write': { lets: 'block and erase end users, and revoke their tokens', stepUp: 'deletions' },
  'webhooks:write': { lets: 'create, test, rotate and delete webhooks' },
  'billing:read': { lets: 'read usage, prices, budgets and the meter' },
  'billing:write': { lets: 'change prices, budgets and the meter' },
  'guardrails:read': { lets: 'read guardrail events and reports' },
  'content:read': { lets: 'read what end users wrote and models answered', stepUp: 'all' },
  'tokens:mint': { lets: 'mint tokens for oneself, and inspect tokens of end users' },
  'mcp:write': { lets: 'change MCP servers' },
  'prompts:write': { lets: 'change prompts' },
  'members:write': { lets: 'invite, change and remove members, read invitations, make reset links', stepUp: 'writes' },
  'roles:write': { lets: 'change the roles of the tenant', stepUp: 'writes' },
  'sso:write': { lets: 'change the single sign-on of the tenant', stepUp: 'writes' },
  'service_accounts:write': { lets: 'create, change, rotate and delete service accounts', stepUp: 'writes' },
  'audit:read': { lets: 'read and export the audit' },
  'tenant:write': {
    lets: 'delete projects and the tenant, release projects from the files that manage them, and set its rules for signing in; with `content:read`, export the tenant',
    stepUp: 'writes',
  },
} as const satisfies Record<string, PermissionRow>

export type Permission = keyof typeof permissions

/** A request that writes, or one that only reads. */
export function needsStepUp(permission: Permission, method: string): boolean {
  const { stepUp }: PermissionRow = permissions[permission]
  if (stepUp === undefined || stepUp === 'all') return stepUp === 'all'
  return stepUp === 'writes' ? method !== 'GET' : method === 'DELETE'
}

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
