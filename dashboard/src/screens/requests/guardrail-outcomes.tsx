// What the guardrails did to one request, in the words of the screen of their events.
import type { ManagementRoutes } from '@sallyport/sdk'
import { type Column, Table } from '../../ui/table.tsx'
import { eventActions, sourceNames } from '../events/event-columns.tsx'
import { eventNames, type GuardrailEvent } from '../events/filter.ts'
import { nameOfFamily } from '../guardrails/names.ts'

type Request = ManagementRoutes['GET /auth/v1/projects/{projectId}/requests/{requestId}']['output']
type Outcome = Request['guardrails'][number]

const columns: Column<Outcome>[] = [
  { title: 'What', cell: ({ type }) => wordFor(type, eventNames) },
  { title: 'Details', cell: describe },
  { title: 'Action', cell: ({ action }) => wordFor(action, eventActions) },
]

export function GuardrailOutcomes({ outcomes }: { outcomes: readonly Outcome[] }) {
  return <Table caption="What the guardrails did" columns={columns} rows={outcomes} keyOf={keyOf} empty={null} />
}

const briefNames: Record<GuardrailEvent['type'], string> = {
  pii_detection: 'PII',
  pii_block: 'PII',
  sentinel_jailbreak: 'Attack',
  sentinel_blocklist: 'Blocklist',
}

/** For a row of a list, one line each. The page of the request has the details. */
export function BriefOutcomes({ outcomes }: { outcomes: readonly Outcome[] }) {
  return (
    <ul>
      {outcomes.map(outcome => (
        <li key={keyOf(outcome)} className="whitespace-nowrap">
          {wordFor(outcome.type, briefNames)} {wordFor(outcome.action, eventActions)}
        </li>
      ))}
    </ul>
  )
}

const keyOf = ({ type, action, source }: Outcome) => `${type} ${action} ${source}`

const describeAttack = ({ family, score }: Outcome) =>
  family === undefined ? [] : [`${nameOfFamily(family)}, score ${score}`]

function describe(outcome: Outcome) {
  const { source } = outcome
  const attack = describeAttack(outcome)
  const place = source === null ? [] : [wordFor(source, sourceNames)]
  return [...attack, ...place].join(', ') || '–'
}

/** A word that this page does not know yet stands as it is. */
function wordFor<Word>(name: string, words: Record<string, Word>): Word | string {
  return words[name] ?? name
}
