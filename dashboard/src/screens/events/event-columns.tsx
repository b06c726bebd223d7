// The columns of the table of guardrail events. An event never contains the matched text.
import { Badge } from '../../ui/badge.tsx'
import type { Column } from '../../ui/table.tsx'
import { ShortTime } from '../../ui/time.tsx'
import { nameOfEntity, nameOfFamily } from '../guardrails/names.ts'
import { eventNames, type GuardrailEvent } from './filter.ts'
import { RequestLink } from './request-link.tsx'

export const eventActions = {
  blocked: <Badge tone="danger">Blocked</Badge>,
  masked: <Badge tone="warn">Masked</Badge>,
  redacted: <Badge tone="warn">Redacted</Badge>,
  flagged: <Badge>Flagged</Badge>,
  detected: <Badge>Only reported</Badge>,
}

export const sourceNames: Record<NonNullable<GuardrailEvent['source']>, string> = {
  user: 'in a user message',
  document: 'in a document',
  tool: 'in a tool result',
}

const modeTitles = { shadow: 'Shadow', enforce: 'Enforce' }
const directionNames = { input: 'Request', output: 'Answer' }

export const eventColumns: Column<GuardrailEvent>[] = [
  { title: 'Time', cell: ({ timestamp }) => <ShortTime iso={toIso(timestamp)} /> },
  { title: 'What', cell: ({ type }) => eventNames[type] },
  { title: 'Found in', cell: ({ direction }) => directionNames[direction] },
  { title: 'Details', cell: describeEvent },
  { title: 'Action', cell: ({ action_taken }) => eventActions[action_taken] },
  { title: 'Mode', isMinor: true, cell: ({ mode }) => modeTitles[mode] },
  {
    title: 'Request',
    cell: ({ project_id: projectId, request_id: requestId }) => (
      <RequestLink projectId={projectId} requestId={requestId} />
    ),
  },
]

/** `timestamp`: seconds since 1970. */
const toIso = (timestamp: string): string => new Date(Number(timestamp) * 1000).toISOString()

export function describeEvent({
  entity_types: types,
  entity_count,
  pattern_family: family,
  term_count,
  score,
  source,
}: GuardrailEvent) {
  if (types !== undefined) {
    return `${types.map(nameOfEntity).join(', ')} (${count(entity_count, 'match', 'matches')})`
  }
  const place = source === undefined ? '' : `, ${sourceNames[source]}`
  if (family === undefined) return `${count(term_count, 'term', 'terms')}${place}`
  return (
    <>
      <code title={nameOfFamily(family)}>{family}</code>
      {score !== undefined && `, score ${score}`}
      {place}
    </>
  )
}

const count = (text = '0', one: string, many: string): string => `${text} ${text === '1' ? one : many}`
