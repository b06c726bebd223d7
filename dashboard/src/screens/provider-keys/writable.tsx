// A form for members and owners on the pro plan; to others it says why there is none.
import type { ReactNode } from 'react'
import { useRole, useUser } from '../../api/session.ts'
import { ViewerHint } from '../../ui/states.tsx'
import { FreePlan } from './free-plan.tsx'

export function Writable({ tenantId, children }: { tenantId: string; children: ReactNode }) {
  const mayWrite = useRole(tenantId) !== 'viewer'
  const isPro = useUser().tenants.find(({ id }) => id === tenantId)?.plan === 'pro'
  if (!mayWrite) return <ViewerHint to="configure providers" />
  return isPro ? children : <FreePlan tenantId={tenantId} mayWrite />
}
