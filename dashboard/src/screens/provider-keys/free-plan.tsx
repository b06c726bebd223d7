// What a tenant on the free plan reads in place of provider keys.
import { PlanForm } from '../start/plan-form.tsx'

export function FreePlan({ tenantId, mayWrite }: { tenantId: string; mayWrite: boolean }) {
  if (mayWrite) return <PlanForm tenantId={tenantId} />
  return (
    <p>
      Your tenant is on the free plan, which has no provider keys of its own. The operator of this installation sets the
      plan.
    </p>
  )
}
