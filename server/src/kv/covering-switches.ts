// Which kill switch is on, and covers a project.

import type { SwitchScope } from '../domain/requests/request-record.ts'
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

/** The widest one; null if none does. */
export function findSwitch(
  { global, tenants, projects }: SwitchesOn,
  { projectId, tenantId }: ProjectRef,
): SwitchScope | null {
  if (global) return 'global'
  if (tenants.has(tenantId)) return 'tenant'
  return projects.has(projectId) ? 'project' : null
}

export const isKilled = (on: SwitchesOn, project: ProjectRef): boolean => findSwitch(on, project) !== null
