// The plan of the tenant and how much of its limits is used, so that nobody runs into them unprepared.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { freeProjects } from '../../api/plan-limits.ts'
import { projectsQuery, providersQuery } from '../../api/queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { Loaded } from '../../ui/states.tsx'

interface PlanProps {
  tenantId: string
  plan: 'free' | 'pro'
}

export function Plan({ tenantId, plan }: PlanProps) {
  const projects = useQuery(projectsQuery(tenantId))
  return (
    <Loaded query={projects} what="the plan">
      {rows => (
        <PlanLimits
          tenantId={tenantId}
          plan={plan}
          activeProjects={rows.filter(({ status }) => status === 'active').length}
        />
      )}
    </Loaded>
  )
}

function PlanLimits({ tenantId, plan, activeProjects }: PlanProps & { activeProjects: number }) {
  const isFree = plan === 'free'
  return (
    <>
      <p>
        <Badge tone={isFree ? 'neutral' : 'good'}>{isFree ? 'Free plan' : 'Pro plan'}</Badge>
      </p>
      <dl className="grid max-w-xl grid-cols-[max-content_1fr] gap-x-6 gap-y-2 max-sm:grid-cols-1">
        <dt className="font-medium">Active projects</dt>
        <dd>{isFree ? `${activeProjects} of ${freeProjects}` : `${activeProjects}, without a limit`}</dd>
        <dt className="font-medium">Provider keys of your own</dt>
        <dd>{isFree ? 'Not on the free plan' : <ProviderKeys tenantId={tenantId} />}</dd>
      </dl>
      {isFree && activeProjects >= freeProjects && (
        <p>
          <Badge tone="warn">Limit reached</Badge> You cannot create or reactivate a project. Suspend one of{' '}
          <Link to="/app/tenants/$tenantId/projects" params={{ tenantId }}>
            your projects
          </Link>{' '}
          or ask the operator for the pro plan.
        </p>
      )}
      {isFree && (
        <p className="text-soft">
          The operator of this installation sets the plan. <a href="/upgrade">What the pro plan adds</a>
        </p>
      )}
    </>
  )
}

function ProviderKeys({ tenantId }: { tenantId: string }) {
  const { data, isError } = useQuery(providersQuery(tenantId))
  if (data === undefined) return isError ? 'They cannot be read now' : 'Loading…'
  return `${'providers' in data ? data.providers.length : data.provider_types.length}, at most one a provider`
}
