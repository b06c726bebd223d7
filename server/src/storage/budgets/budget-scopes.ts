// Names what the counters of budgets count, as the key-value store has them. No name contains the id of an end user.

import { hashUser } from '../../crypto/hash-user.ts'
import type { EndUserKey } from '../end-users/restrict.ts'

export const tenantScope = 'tenant'
export const projectScope = (projectId: string) => `project:${projectId}`
/** An end user of one project. */
export const userScope = (user: EndUserKey) => `user:${user.projectId}:${hashUser(user)}`

/** The project whose end user is counted; null for other counters. */
export function projectOfUserScope(scope: string): string | null {
  const [kind, projectId] = scope.split(':')
  return kind === 'user' && projectId !== undefined ? projectId : null
}

/** All tenants together, and one of them: of what the platform's keys pay for. */
export const scopeOfAll = 'all'
export const platformScope = (tenantId: string) => `tenant:${tenantId}`
