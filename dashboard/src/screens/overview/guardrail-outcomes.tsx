// What the guardrails of a project did, or in shadow mode would have done, in the period.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Card, Facts } from '../../ui/card.tsx'
import { formatCount, formatShare } from '../../ui/numbers.ts'
import { Loaded } from '../../ui/states.tsx'
import { reportQuery } from '../events/queries.ts'
import { daysOfRange } from './queries.ts'
import type { Range } from './range-links.tsx'

export function GuardrailOutcomes({ projectId, range }: { projectId: string; range: Range }) {
  const report = useQuery(reportQuery(projectId, daysOfRange(range)))
  return (
    <Card
      title="Guardrails"
      aside={
        <Link to="/app/projects/$projectId/guardrail-events" params={{ projectId }}>
          All events
        </Link>
      }
    >
      <Loaded query={report} what="the guardrails’ report">
        {({ requests, would_block: blocked, would_mask: masked, users_touched: users }) => (
          <Facts
            facts={[
              { title: 'Requests', value: formatCount(requests) },
              { title: 'Blocked, or would be', value: withShare(blocked, requests) },
              { title: 'Masked or redacted, or would be', value: withShare(masked, requests) },
              { title: 'End users with a match', value: formatCount(users) },
            ]}
          />
        )}
      </Loaded>
    </Card>
  )
}

const withShare = (count: number, of: number): string => `${formatCount(count)} (${formatShare(count, of)})`
