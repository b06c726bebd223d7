// Writes docs/permissions.md (`npm run docs:permissions`): the text below and the table of the permissions.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtInRoleNames, builtInRoles, holdsAll, permissionNames, permissions } from '../domain/access/permissions.ts'

export const permissionsPage = join(import.meta.dirname, '../../../docs/permissions.md')

export function renderPermissionsPage(): string {
  return `<!-- Made by \`npm run docs:permissions\` from server/src/domain/access/permissions.ts; a test fails if it is stale. -->
# Permissions

This page is for everyone who decides what people and programs may do in a tenant. A role is a set
of permissions; every tenant has the roles of the table. Each route of the management API that needs
a permission names it as \`x-permission\` in \`GET /auth/v1/openapi.json\`, and
\`GET /auth/v1/sessions/current\` lists the caller's permissions for each tenant.

*Step-up* says for which routes an account with a second factor, or a session of single sign-on,
needs a sign-in of the last ten minutes ([second factors](second-factors.md#step-up)); these have
\`x-step-up\` in the document.

| Permission | Lets its holder | ${builtInRoleNames.join(' | ')} | Step-up |
|---|---|${builtInRoleNames.map(() => '---').join('|')}|---|
${permissionNames.map(renderRow).join('\n')}
`
}

function renderRow(name: (typeof permissionNames)[number]): string {
  const row: { lets: string; stepUp?: string } = permissions[name]
  const held = builtInRoleNames.map(role => (holdsAll(builtInRoles[role], [name]) ? 'yes' : 'no'))
  return `| ${[`\`${name}\``, row.lets, ...held, row.stepUp ?? 'none'].join(' | ')} |`
}

if (import.meta.main) writeFileSync(permissionsPage, renderPermissionsPage())
