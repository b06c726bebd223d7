// What the guardrails did in one run of the playground, from the events that it left.
import { useQuery } from '@tanstack/react-query'
import { messageOf } from '../../api/errors.ts'
import { describeEvent, eventActions } from '../events/event-columns.tsx'
import { eventNames } from '../events/filter.ts'
import { eventWaitMs, runEventsQuery } from './queries.ts'

interface RunEventsProps {
  tenantId: string
  projectId: string
  requestId: string
  startedAt: number
}

export function RunEvents(run: RunEventsProps) {
  const events = useQuery(runEventsQuery(run))
  const isOver = events.dataUpdatedAt - run.startedAt > eventWaitMs
  return (
    <div className="text-sm">
      <h3 className="font-medium">Guardrails</h3>
      {events.isError && <p dir="auto">{messageOf(events.error)}</p>}
      <div role="status">
        {events.data !== undefined && events.data.length > 0 ? (
          <ul className="list-disc pl-5">
            {events.data.map(event => (
              <li key={event.id}>
                {eventNames[event.type]}
                {event.direction === 'output' && ' in the answer'}: {describeEvent(event)}{' '}
                {eventActions[event.action_taken]}
                {event.mode === 'shadow' && ' In shadow mode: nothing was changed.'}
              </li>
            ))}
          </ul>
        ) : (
          <p className="text-soft">
            {isOver ? 'They detected nothing.' : 'Nothing yet. Detections appear here within about 15 seconds.'}
          </p>
        )}
      </div>
    </div>
  )
}
