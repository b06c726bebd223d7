// Whether a kill switch is on, and covers a project.

import type { ProjectRef } from './store.ts'

export interface SwitchesOn {
  global: boolean
  /** Ids. */
  tenants: ReadonlySet<string>
  projects: ReadonlySet<string>
}

export function isAnyOn({ global, tenants, projects }: SwitchesOn): boolean {
  return global || tenants.size > 0 || projects.size > 0
}

export function isKilled({ global, tenants, projects }: SwitchesOn, { projectId, tenantId }: ProjectRef): boolean {
  return global || tenants.has(tenantId) || projects.has(projectId)
}
