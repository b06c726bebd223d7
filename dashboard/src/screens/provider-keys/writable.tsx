// A form for members and owners on the pro plan; to others it says why there is none.
import type { ReactNode } from 'react'
import { useMay, useUser } from '../../api/session.ts'
import { RoleHint } from '../../ui/states.tsx'
import { FreePlan } from './free-plan.tsx'

export function Writable({ tenantId, children }: { tenantId: string; children: ReactNode }) {
  const mayWrite = useMay(tenantId)('providers:write')
  const isPro = useUser().tenants.find(({ id }) => id === tenantId)?.plan === 'pro'
  if (!mayWrite) return <RoleHint to="configure providers" />
  return isPro ? children : <FreePlan tenantId={tenantId} mayWrite />
}
