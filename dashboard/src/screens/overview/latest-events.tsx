// What happened in a tenant lately, newest first.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Card } from '../../ui/card.tsx'
import { Loaded } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { nameOfEvent } from '../webhooks/event-names.ts'
import { tenantEventsQuery } from '../webhooks/queries.ts'

const maxShown = 6

export function LatestEvents({ tenantId }: { tenantId: string }) {
  const events = useQuery(tenantEventsQuery(tenantId, {}))
  return (
    <Card
      title="Latest events"
      aside={
        <Link to="/app/tenants/$tenantId/events" params={{ tenantId }}>
          All events
        </Link>
      }
    >
      <Loaded query={events} what="the events">
        {({ data }) =>
          data.length === 0 ? (
            <p className="text-soft">Nothing in the last 30 days.</p>
          ) : (
            <ul className="flex flex-col gap-2">
              {data.slice(0, maxShown).map(({ id, type, created_at }) => (
                <li key={id} className="flex flex-wrap justify-between gap-x-4">
                  <span>{nameOfEvent(type)}</span>
                  <span className="text-soft">
                    <Time iso={created_at} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  )
}
