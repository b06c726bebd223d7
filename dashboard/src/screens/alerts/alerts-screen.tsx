// The alerts on the requests of a project: which there are, which last, and new ones.
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { projectQuery } from '../../api/queries.ts'
import { useMay } from '../../api/session.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/dialogs/confirm.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { LastChange } from '../audit/last-change.tsx'
import { measureNames } from './measures.ts'
import { NewAlert } from './new-alert.tsx'
import { type Alert, alertsQuery, saveAlerts } from './queries.ts'

export function AlertsScreen() {
  const { projectId } = useParams({ from: '/app/projects/$projectId/alerts' })
  const found = useQuery(alertsQuery(projectId))
  return (
    <Page
      title="Alerts"
      lead={
        <>
          What is measured of the{' '}
          <Link to="/app/projects/$projectId/requests" params={{ projectId }}>
            requests
          </Link>{' '}
          each minute. Webhooks of the tenant get an event when an alert begins, and when it ends.{' '}
          <a href="/docs/requests#alerts">About alerts</a>.
        </>
      }
    >
      <Loaded query={found} what="the alerts">
        {({ alerts }) => <Alerts projectId={projectId} alerts={alerts} />}
      </Loaded>
    </Page>
  )
}

function Alerts({ projectId, alerts }: { projectId: string; alerts: readonly Alert[] }) {
  const project = useQuery(projectQuery(projectId))
  const mayWrite = useMay(project.data?.tenant_id ?? '')('settings:write')
  const actions: Column<Alert> = {
    title: 'Actions',
    cell: alert => <DeleteButton projectId={projectId} alert={alert} alerts={alerts} />,
  }
  return (
    <>
      <Table
        caption="Alerts"
        columns={[...columns, ...(mayWrite ? [actions] : [])]}
        rows={alerts}
        keyOf={({ name }) => name}
        empty={<Empty title="No alerts">No event reports that requests fail or are slow.</Empty>}
      />
      {mayWrite && (
        <Section title="New alert">
          <NewAlert projectId={projectId} alerts={alerts} />
        </Section>
      )}
      {project.data !== undefined && (
        <LastChange tenantId={project.data.tenant_id} target={projectId} actions={['alerts.put']} />
      )}
    </>
  )
}

const columns: Column<Alert>[] = [
  { title: 'Name', cell: ({ name }) => <bdi>{name}</bdi> },
  {
    title: 'State',
    cell: ({ began_at: since }) =>
      since === null ? (
        <Badge tone="good">OK</Badge>
      ) : (
        <>
          <Badge tone="danger">Ongoing</Badge> since <Time iso={since} />
        </>
      ),
  },
  {
    title: 'Condition',
    cell: ({ on, over, window_minutes: minutes }) => {
      const { title, format } = measureNames[on]
      return `${title} above ${format(over)} in ${minutes} min`
    },
  },
  {
    title: 'Only for',
    cell: ({ for: { model, tier } }) => <bdi>{[model, tier].filter(Boolean).join(', ') || '–'}</bdi>,
  },
]

function DeleteButton({ projectId, alert, alerts }: { projectId: string; alert: Alert; alerts: readonly Alert[] }) {
  const confirm = useConfirm()
  const toast = useToast()
  const remove = () =>
    confirm({
      title: 'Delete the alert?',
      body: (
        <p>
          <bdi>{alert.name}</bdi> is no longer measured. If it is active, no event reports its end.
        </p>
      ),
      action: 'Delete alert',
      run: async () => {
        await saveAlerts(
          projectId,
          alerts.filter(({ name }) => name !== alert.name),
        )
        toast.show('The alert is deleted.')
      },
    })
  return (
    <Button aria-label={`Delete the alert ${alert.name}`} onClick={remove}>
      Delete
    </Button>
  )
}
