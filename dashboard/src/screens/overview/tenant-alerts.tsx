// The alerts of a tenant's projects: those that last, and how many there are.
import { useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { messageOf } from '../../api/errors.ts'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { formatCountOf } from '../../ui/numbers.ts'
import { Time } from '../../ui/time.tsx'
import { alertsQuery } from '../alerts/queries.ts'

interface TenantAlertsProps {
  projects: readonly { id: string; name: string }[]
}

/** Alerts are measured each minute, and a tenant may have many projects. */
const refetchInterval = 30_000

export function TenantAlerts({ projects }: TenantAlertsProps) {
  const found = useQueries({ queries: projects.map(({ id }) => ({ ...alertsQuery(id), refetchInterval })) })
  const error = found.find(query => query.isError)?.error
  const alerts = projects.flatMap(({ id, name }, index) =>
    (found[index]?.data?.alerts ?? []).map(alert => ({ ...alert, projectId: id, projectName: name })),
  )
  const lasting = alerts.filter(({ began_at }) => began_at !== null)
  return (
    <Card title="Alerts" aside={formatCountOf(alerts.length, 'alert')}>
      {error !== undefined && <p className="text-danger">{messageOf(error)}</p>}
      {lasting.length === 0 ? (
        <p className="text-soft">
          {alerts.length === 0 ? 'No project has an alert on its requests.' : 'No alert is active.'}
        </p>
      ) : (
        <ul className="flex flex-col gap-2">
          {lasting.map(({ name, projectId, projectName, began_at: since }) => (
            <li key={`${projectId} ${name}`} className="flex flex-wrap justify-between gap-x-4">
              <span>
                <Badge tone="danger">Ongoing</Badge>{' '}
                <Link to="/app/projects/$projectId/alerts" params={{ projectId }}>
                  <bdi>{projectName}</bdi>: <bdi>{name}</bdi>
                </Link>
              </span>
              <span className="text-soft">
                since <Time iso={since} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
