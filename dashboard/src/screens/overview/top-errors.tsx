// The errors that requests of the period ended with most often; each leads to its requests.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Card } from '../../ui/card.tsx'
import { formatCount, formatShare } from '../../ui/numbers.ts'
import { Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { type RequestGroups, requestGroupsQuery } from '../requests/queries.ts'
import { slotsOf } from './queries.ts'
import type { Range } from './range-links.tsx'

const maxShown = 5

type Group = RequestGroups['data'][number]

export function TopErrors({ projectId, range }: { projectId: string; range: Range }) {
  const from = new Date(slotsOf(range).starts[0] ?? 0).toISOString()
  const groups = useQuery(requestGroupsQuery(projectId, { from }, { by: 'error', order: 'errors' }))
  return (
    <Card
      title="Top errors"
      aside={
        <Link
          to="/app/projects/$projectId/requests"
          params={{ projectId }}
          search={{ from: from.slice(0, 10), by: 'error', order: 'errors' }}
        >
          All errors
        </Link>
      }
    >
      <Loaded query={groups} what="the errors">
        {({ data, totals }) => (
          <Table
            caption="Top errors"
            isSmall
            columns={columnsOf(projectId, from, totals.requests)}
            rows={data.filter(({ value, errors }) => value !== null && errors > 0).slice(0, maxShown)}
            keyOf={({ value }) => String(value)}
            empty={<p className="text-soft">No request was rejected or failed.</p>}
          />
        )}
      </Loaded>
    </Card>
  )
}

const columnsOf = (projectId: string, from: string, requests: number): Column<Group>[] => [
  {
    title: 'Error',
    cell: ({ value }) => (
      <Link
        to="/app/projects/$projectId/requests"
        params={{ projectId }}
        search={{ from: from.slice(0, 10), error: value ?? '' }}
      >
        <code className="whitespace-nowrap">{value}</code>
      </Link>
    ),
  },
  { title: 'Requests', isNumber: true, cell: ({ errors }) => formatCount(errors) },
  { title: 'Of all requests', isNumber: true, cell: ({ errors }) => formatShare(errors, requests) },
]
