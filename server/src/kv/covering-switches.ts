// Whether a kill switch that is on covers a project.

import type { ProjectRef } from './store.ts'

export interface SwitchesOn {
  global: boolean
  /** Ids. */
  tenants: ReadonlySet<string>
  projects: ReadonlySet<string>
}

export function isKilled({ global, tenants, projects }: SwitchesOn, { projectId, tenantId }: ProjectRef): boolean {
  return global || tenants.has(tenantId) || projects.has(projectId)
}
