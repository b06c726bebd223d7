// The three scopes of kill switches, what each stops, and how one is set and lifted.
import type { Operator } from './operator-context.tsx'

export type KillSwitchScope = 'global' | 'tenant' | 'project'

export interface KillSwitch {
  scope: KillSwitchScope
  /** Empty for the global one. */
  id: string
}

export const stoppedBy: Record<KillSwitchScope, string> = {
  project: 'All requests of the project’s end users',
  tenant: 'All requests of the end users of all projects of the tenant',
  global: 'All requests of all end users of all tenants',
}

export async function setKillSwitch({ request }: Operator, { scope, id }: KillSwitch, enabled: boolean): Promise<void> {
  const body = { enabled }
  if (scope === 'global') await request('POST', '/v1/admin/killswitch/global', { body })
  else if (scope === 'tenant') {
    await request('POST', '/v1/admin/killswitch/tenant/{tenantId}', { path: { tenantId: id }, body })
  } else await request('POST', '/v1/admin/killswitch/project/{projectId}', { path: { projectId: id }, body })
}
