// What the guardrails did in one run of the playground, from the events that it left.
import { useQuery } from '@tanstack/react-query'
import { messageOf } from '../../api/errors.ts'
import { eventWaitMs, type GuardrailEvent, runEventsQuery } from './queries.ts'

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
              <li key={event.id}>{describe(event)}</li>
            ))}
          </ul>
        ) : (
          <p className="text-soft">
            {isOver ? 'They detected nothing.' : 'Nothing yet: detections arrive with the worker’s next cycle.'}
          </p>
        )}
      </div>
    </div>
  )
}

const subjects: Record<GuardrailEvent['type'], string> = {
  pii_block: 'Personal data',
  pii_detection: 'Personal data',
  sentinel_jailbreak: 'Prompt injection or jailbreak',
  sentinel_blocklist: 'Blocklist',
}

function describe(event: GuardrailEvent): string {
  const { type, action_taken, mode, entity_types = [], entity_count, pattern_family, term_count } = event
  const details = [
    entity_types.join(', '),
    entity_count === undefined ? '' : `${entity_count} found`,
    pattern_family ?? '',
    term_count === undefined ? '' : `${term_count} terms`,
  ].filter(Boolean)
  const shown = details.length === 0 ? '' : ` (${details.join('; ')})`
  return `${subjects[type]} ${action_taken}${shown}${mode === 'shadow' ? ', in shadow mode: the request passed unchanged' : ''}`
}
