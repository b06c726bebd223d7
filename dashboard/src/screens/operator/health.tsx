// The health of an installation: whether the process that answers is ready, the database and the store, what waits in
// the queues, and what is stopped.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Badge } from '../../ui/badge.tsx'
import { Card, Facts } from '../../ui/card.tsx'
import { formatCount } from '../../ui/numbers.ts'
import { Loaded } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { useOperator } from './operator-context.tsx'
import { healthQuery, type InstallationHealth, killSwitchesQuery, readinessQuery } from './queries.ts'

export function Health() {
  const operator = useOperator()
  const health = useQuery(healthQuery(operator))
  const { data: reasons } = useQuery(readinessQuery)
  const { data: switches } = useQuery(killSwitchesQuery(operator))
  const stopped = (count: number): ReactNode => (count === 0 ? '0' : <Badge tone="danger">{formatCount(count)}</Badge>)
  return (
    <Card title="Health" aside={<Link to="/app/operator/kill-switches">Kill switches</Link>}>
      <Loaded query={health} what="the health">
        {data => (
          <Facts
            facts={[
              { title: 'The process that answers this page', value: <Readiness reasons={reasons} /> },
              ...factsOf(data),
              { title: 'Everything stopped', value: switches?.global ? <Badge tone="danger">Yes</Badge> : 'No' },
              { title: 'Tenants stopped', value: stopped(switches?.tenants.length ?? 0) },
              { title: 'Projects stopped', value: stopped(switches?.projects.length ?? 0) },
            ]}
          />
        )}
      </Loaded>
    </Card>
  )
}

function Readiness({ reasons }: { reasons: readonly string[] | undefined }) {
  if (reasons === undefined) return '…'
  if (reasons.length === 0) return <Badge tone="good">Ready</Badge>
  return <Badge tone="danger">Not ready: {reasons.join(', ')}</Badge>
}

const storeNames = { sqlite: 'SQLite', postgresql: 'PostgreSQL', process: 'in the process', redis: 'Redis' }

const queueTitles: Record<InstallationHealth['queues'][number]['queue'], string> = {
  webhook_deliveries: 'Webhook deliveries waiting',
  meter_events: 'Meter events waiting',
  host_names: 'Host names waiting',
}

function factsOf({ version, node_version: node, database, store, queues }: InstallationHealth) {
  return [
    { title: 'Version', value: `${version}, Node ${node}` },
    { title: 'Database', value: <Store {...database} /> },
    { title: 'Key-value store', value: <Store {...store} /> },
    ...queues.map(({ queue, waiting, due_since: since }) => ({
      title: queueTitles[queue],
      value: (
        <>
          {formatCount(waiting)}
          {since !== null && (
            <>
              , due since <Time iso={since} />
            </>
          )}
        </>
      ),
    })),
  ]
}

function Store({ kind, ping_ms: ms }: { kind: keyof typeof storeNames; ping_ms: number | null }) {
  return (
    <>
      {storeNames[kind]} {ms === null ? <Badge tone="danger">Unreachable</Badge> : `(${ms} ms)`}
    </>
  )
}
