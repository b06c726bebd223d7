// What each permission lets its holder do, in the words of docs/permissions.md.
import type { Permission } from '../../api/session.ts'

export const permissionWords: Record<Permission, string> = {
  'project:read': 'Read the tenant, its members and projects: settings, keys without secrets, end users and requests',
  'project:write': 'Create, rename, suspend and reactivate projects; rename the tenant',
  'settings:write': 'Change drafts of settings and tiers, set alerts, use the playground and try the guardrails',
  'settings:deploy': 'Deploy, roll back and change the live model',
  'keys:write':
    'Create, rotate and revoke API keys; choose the identity provider whose tokens a project accepts, and store the secrets of attestations',
  'providers:write': 'Configure providers and check their keys',
  'users:write': 'Block and erase end users, and revoke their tokens',
  'webhooks:write': 'Create, test, rotate and delete webhooks',
  'billing:read': 'Read usage, prices, budgets and the meter',
  'billing:write': 'Change prices, budgets and the meter',
  'guardrails:read': 'Read guardrail events and reports',
  'content:read': 'Read what end users wrote and models answered',
  'tokens:mint': 'Mint tokens for oneself, and inspect tokens of end users',
  'mcp:write': 'Change MCP servers',
  'prompts:write': 'Change prompts',
  'members:write': 'Invite, change and remove members, read invitations, make reset links',
  'roles:write': 'Change the roles of the tenant',
  'sso:write': 'Change the single sign-on of the tenant',
  'service_accounts:write': 'Create, change, rotate and delete service accounts',
  'audit:read': 'Read and export the audit',
  'tenant:write':
    'Delete projects and the tenant, release projects from the files that manage them, and set its rules for signing in; with the permission to read what end users wrote, export the tenant',
}

/** A permission of another version is shown by its name. */
export const wordsOf = (permission: string): string =>
  Object.entries(permissionWords).find(([name]) => name === permission)?.[1] ?? permission
