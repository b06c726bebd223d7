// The overview of a project: its traffic against the period before, what is live, what is spent, and who and what
// caused it.
import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { liveMs, type OneProject, projectQuery } from '../../api/queries.ts'
import { Card, Cards } from '../../ui/card.tsx'
import { Copyable } from '../../ui/copyable.tsx'
import { Awaited, Page } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { projectBudgetsQuery } from '../budgets/queries.ts'
import { Spending } from '../budgets/spending.tsx'
import { ProjectStatus } from '../projects/project-status.tsx'
import { warningsQuery } from '../settings/queries.ts'
import { Warnings } from '../settings/warnings.tsx'
import { GuardrailOutcomes } from './guardrail-outcomes.tsx'
import { LiveConfiguration } from './live-configuration.tsx'
import { type Range, RangeLinks } from './range-links.tsx'
import { TopErrors } from './top-errors.tsx'
import { TopGroups } from './top-groups.tsx'
import { Traffic } from './traffic.tsx'

export function ProjectOverviewScreen() {
  const { projectId } = useParams({ from: '/app/projects/$projectId/' })
  const { range = '24h' } = useSearch({ from: '/app/projects/$projectId/' })
  const project = useQuery({ ...projectQuery(projectId), refetchInterval: liveMs })
  return (
    <Loaded query={project} what="the project" pageTitle="Project">
      {data => <Overview key={data.id} project={data} range={range} />}
    </Loaded>
  )
}

function Overview({ project, range }: { project: OneProject; range: Range }) {
  const { id: projectId } = project
  const warnings = useQuery(warningsQuery(projectId))
  return (
    <Page
      title={project.name}
      actions={
        <>
          <ProjectStatus status={project.status} />
          <RangeLinks range={range} />
        </>
      }
    >
      <Awaited queries={[warnings]} />
      <Warnings tenantId={project.tenant_id} warnings={warnings.data?.deployed ?? []} areLive />
      <Traffic projectId={projectId} range={range} />
      <Cards>
        <LiveConfiguration projectId={projectId} />
        <Budgets projectId={projectId} />
        <TopGroups projectId={projectId} range={range} grouping="model" />
        <TopGroups projectId={projectId} range={range} grouping="uid" />
        <TopErrors projectId={projectId} range={range} />
        <GuardrailOutcomes projectId={projectId} range={range} />
        <Card
          title="Address"
          aside={
            <Link to="/app/projects/$projectId/first-steps" params={{ projectId }}>
              Code for your application
            </Link>
          }
        >
          <p className="text-soft">The base URL of your application’s client.</p>
          <Copyable label="address" text={`${location.origin}/p/${project.slug}/v1`} />
        </Card>
      </Cards>
    </Page>
  )
}

function Budgets({ projectId }: { projectId: string }) {
  const budgets = useQuery(projectBudgetsQuery(projectId))
  return (
    <Card
      title="Spending"
      aside={
        <Link to="/app/projects/$projectId/settings" params={{ projectId }} hash="budgets">
          Change budgets
        </Link>
      }
    >
      <Loaded query={budgets} what="the budgets">
        {data => <Spending budgets={data} />}
      </Loaded>
    </Card>
  )
}
