// All deployments of a project, newest first, each with what it changed and with the way back to it.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { projectQuery } from '../../api/queries.ts'
import { useMayEdit } from '../../api/session.ts'
import { Badge } from '../../ui/badge.tsx'
import { ActionButton } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { ChangeList } from '../settings/change-list.tsx'
import { type Deployment, deploymentsQuery } from '../settings/queries.ts'
import { RollBack } from './roll-back.tsx'

export function DeploymentsScreen() {
  const { projectId } = useParams({ from: '/app/projects/$projectId/deployments' })
  const project = useQuery(projectQuery(projectId))
  const deployments = useInfiniteQuery(deploymentsQuery(projectId))
  const mayWrite = useMayEdit(project.data)('settings:deploy')
  return (
    <Page
      title="Deployments"
      lead={
        <>
          What went live, when, and by whom. A rollback deploys the settings of an earlier one again.{' '}
          <a href="/docs/concepts#draft-and-deploy">Draft and deploy</a>
        </>
      }
    >
      <Loaded query={deployments} what="the deployments">
        {({ pages }) => (
          <DeploymentList projectId={projectId} rows={pages.flatMap(({ data }) => data)} mayWrite={mayWrite} />
        )}
      </Loaded>
      {deployments.hasNextPage && (
        <p>
          <ActionButton run={() => deployments.fetchNextPage({ throwOnError: true })}>Older deployments</ActionButton>
        </p>
      )}
    </Page>
  )
}

interface DeploymentListProps {
  projectId: string
  rows: Deployment[]
  mayWrite: boolean
}

function DeploymentList({ projectId, rows, mayWrite }: DeploymentListProps) {
  const newest = rows[0]
  if (newest === undefined) {
    return (
      <Empty title="No deployments">
        <p>
          The default settings are live. Change them under{' '}
          <Link to="/app/projects/$projectId/settings" params={{ projectId }}>
            Settings
          </Link>
          , then deploy.
        </p>
      </Empty>
    )
  }
  return (
    <ol className="flex flex-col gap-8">
      {rows.map(row => (
        <li key={row.number} className="flex flex-col gap-3">
          <div className="flex flex-wrap items-center gap-3">
            <h2 className="text-lg font-semibold">Deployment {row.number}</h2>
            {row === newest && <Badge tone="good">Live</Badge>}
            {row.rolled_back_to !== null && <Badge>{`Rollback to deployment ${row.rolled_back_to}`}</Badge>}
            {row !== newest && mayWrite && <RollBack projectId={projectId} number={row.number} />}
          </div>
          <p className="text-soft">
            <Time iso={row.deployed_at} /> by <bdi>{row.deployed_by}</bdi>
          </p>
          {row.changes.length === 0 ? (
            <p>It changed nothing.</p>
          ) : (
            <ChangeList
              name={`Deployment ${row.number}`}
              changes={row.changes}
              titles={{ from: 'Before', to: 'After' }}
            />
          )}
        </li>
      ))}
    </ol>
  )
}
