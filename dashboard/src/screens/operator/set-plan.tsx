// Sets the plan of a tenant. A step down says first what the tenant cannot do any more.
import { ActionButton, Button } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/dialogs/confirm.tsx'
import { useToast } from '../../ui/toast.tsx'
import { useOperator } from './operator-context.tsx'
import { type ListedTenant, refreshTenants } from './queries.ts'

const effects = {
  pro: 'It can store provider keys and have any number of projects. “Set the free plan” takes that back.',
  free: '“Set the pro plan” takes that back.',
}

export function SetPlan({ tenant }: { tenant: ListedTenant }) {
  const { request } = useOperator()
  const confirm = useConfirm()
  const toast = useToast()
  const setPlan = async (plan: 'free' | 'pro'): Promise<void> => {
    const set = await request('PUT', '/v1/admin/tenants/{tenantId}/plan', {
      path: { tenantId: tenant.id },
      body: { plan },
    })
    await refreshTenants(tenant.id)
    toast.show(`${set.name} is on the ${set.plan} plan now. ${effects[set.plan]}`)
  }
  if (tenant.plan === 'free') {
    return (
      <ActionButton aria-label={`Set the pro plan for ${tenant.name}`} run={() => setPlan('pro')}>
        Set the pro plan
      </ActionButton>
    )
  }
  const ask = () =>
    confirm({
      title: 'Set the free plan?',
      body: (
        <>
          <p>
            <bdi>“{tenant.name}”</bdi> can have three active projects, and can no longer store provider keys.
          </p>
          <p>Nothing stops: projects beyond three stay active, and keys that are stored already stay in use.</p>
        </>
      ),
      action: 'Set the free plan',
      run: () => setPlan('free'),
    })
  return (
    <Button aria-label={`Set the free plan for ${tenant.name}`} onClick={ask}>
      Set the free plan
    </Button>
  )
}
