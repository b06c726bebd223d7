// The budgets of a tenant, for all its projects together.
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useMay } from '../../api/session.ts'
import { Page } from '../../ui/page.tsx'
import { Loaded, RoleHint } from '../../ui/states.tsx'
import { LastChange } from '../audit/last-change.tsx'
import { BudgetsForm } from './budgets-form.tsx'
import { putTenantBudgets, tenantBudgetsQuery } from './queries.ts'

export function TenantBudgetsScreen() {
  const { tenantId } = useParams({ from: '/app/tenants/$tenantId/budgets' })
  const budgets = useQuery(tenantBudgetsQuery(tenantId))
  const mayWrite = useMay(tenantId)('billing:write')
  return (
    <Page
      title="Budgets"
      lead={
        <>
          How much all projects of the tenant together may spend in a day and a month of UTC. Projects and tiers have
          budgets in their settings, end users on their own page; all are in force together.{' '}
          <a href="/docs/money#budgets">About budgets</a>
        </>
      }
    >
      <Loaded query={budgets} what="the budgets">
        {data => (
          <BudgetsForm budgets={data} mayWrite={mayWrite} save={changed => putTenantBudgets(tenantId, changed)} />
        )}
      </Loaded>
      {!mayWrite && <RoleHint to="change the budgets" />}
      <LastChange tenantId={tenantId} target={tenantId} actions={['budgets.put']} />
    </Page>
  )
}
