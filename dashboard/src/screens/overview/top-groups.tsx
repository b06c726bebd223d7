// The models or the end users that cost most in the period.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Card } from '../../ui/card.tsx'
import { formatCount } from '../../ui/numbers.ts'
import { Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Cost } from '../prices/cost.tsx'
import { daysOfRange, type UsageRow, usageByQuery } from './queries.ts'
import type { Range } from './range-links.tsx'

const maxShown = 5

interface TopGroupsProps {
  projectId: string
  range: Range
  grouping: 'model' | 'uid'
}

const titles = {
  model: { caption: 'Top models', column: 'Model', empty: 'No model has answered yet.', all: 'All models' },
  uid: {
    caption: 'Top end users',
    column: 'End user',
    empty: 'No end user has sent a request yet.',
    all: 'All end users',
  },
}

export function TopGroups({ projectId, range, grouping }: TopGroupsProps) {
  const period = daysOfRange(range)
  const usage = useQuery(usageByQuery(projectId, period, grouping))
  const { caption, column, empty, all } = titles[grouping]
  const columns: Column<UsageRow>[] = [
    {
      title: column,
      cell: row =>
        grouping === 'model' ? <bdi>{row.model}</bdi> : <EndUserLink projectId={projectId} uid={row.uid ?? ''} />,
    },
    { title: 'Requests', isNumber: true, cell: row => formatCount(row.requests) },
    { title: 'Tokens', isNumber: true, isMinor: true, cell: row => formatCount(row.total_tokens) },
    {
      title: 'Cost',
      isNumber: true,
      cell: row => (
        <Cost projectId={projectId} model={row.model ?? null} tokens={row.total_tokens} usd={row.cost_usd} />
      ),
    },
  ]
  return (
    <Card
      title={caption}
      aside={
        <Link
          to="/app/projects/$projectId/usage"
          params={{ projectId }}
          search={{ by: grouping, from: period.from, to: period.to }}
        >
          {all}
        </Link>
      }
    >
      <Loaded query={usage} what={caption.toLowerCase()}>
        {({ data }) => (
          <Table
            caption={caption}
            isSmall
            columns={columns}
            rows={[...data].sort((a, b) => b.cost_usd - a.cost_usd || b.requests - a.requests).slice(0, maxShown)}
            keyOf={row => String(row[grouping])}
            empty={<p className="text-soft">{empty}</p>}
          />
        )}
      </Loaded>
    </Card>
  )
}

function EndUserLink({ projectId, uid }: { projectId: string; uid: string }) {
  return (
    <Link to="/app/projects/$projectId/end-users/user" params={{ projectId }} search={{ uid }}>
      <bdi>{uid}</bdi>
    </Link>
  )
}
