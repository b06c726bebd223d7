// The usage of a period as a table, by day, model or end user, a page at a time.
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ActionButton, buttonClass } from '../../ui/button.tsx'
import { formatCount, formatUsd } from '../../ui/figures.tsx'
import { Section } from '../../ui/page.tsx'
import { Failure, Loading } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { type UsageFilter, type UsageRow, usageRowsQuery } from './queries.ts'
import type { UsageGrouping } from './usage-search.ts'

interface UsageTableProps {
  projectId: string
  filter: UsageFilter
  grouping: UsageGrouping
}

const groupNames: Record<UsageGrouping, string> = { model: 'Model', uid: 'End user', day: 'Day' }
const groupings = ['model', 'uid', 'day'] as const

export function UsageTable({ projectId, filter, grouping }: UsageTableProps) {
  const usage = useInfiniteQuery(usageRowsQuery(projectId, filter, grouping))
  const rows = usage.data?.pages.flatMap(({ data }) => data)
  const name = groupNames[grouping]
  return (
    <Section title={`By ${name.toLowerCase()}`}>
      <nav aria-label="Group by" className="flex flex-wrap gap-2">
        {groupings.map(by => (
          <Link
            key={by}
            to="/app/projects/$projectId/usage"
            params={{ projectId }}
            search={{ ...filter, by }}
            aria-current={by === grouping ? 'true' : 'false'}
            className={buttonClass(by === grouping ? 'primary' : 'plain')}
          >
            By {groupNames[by].toLowerCase()}
          </Link>
        ))}
      </nav>
      {rows === undefined && !usage.isError && <Loading what="the usage" />}
      {usage.isError && <Failure error={usage.error} retry={() => void usage.refetch()} />}
      {rows !== undefined && (
        <Table
          caption={`Usage by ${name.toLowerCase()}`}
          columns={[groupColumn(projectId, filter, grouping), ...numberColumns]}
          rows={rows}
          keyOf={groupOf}
          empty={<p>Nothing to show.</p>}
        />
      )}
      {usage.hasNextPage && (
        <p>
          <ActionButton run={() => usage.fetchNextPage({ cancelRefetch: false })}>Show more</ActionButton>
        </p>
      )}
    </Section>
  )
}

const groupOf = ({ day, model, uid }: UsageRow): string => day ?? model ?? uid ?? ''

function groupColumn(projectId: string, filter: UsageFilter, grouping: UsageGrouping): Column<UsageRow> {
  return {
    title: groupNames[grouping],
    cell: row => {
      if (row.uid === null || filter.uid !== undefined) return <bdi>{groupOf(row)}</bdi>
      return (
        <Link
          to="/app/projects/$projectId/usage"
          params={{ projectId }}
          search={{ ...filter, uid: row.uid, by: 'day' }}
          aria-label={`Only ${row.uid}`}
        >
          <bdi>{row.uid}</bdi>
        </Link>
      )
    },
  }
}

const numberColumns: Column<UsageRow>[] = [
  { title: 'Requests', cell: row => formatCount(row.requests) },
  { title: 'Prompt tokens', cell: row => formatCount(row.prompt_tokens) },
  { title: 'Answer tokens', cell: row => formatCount(row.completion_tokens) },
  { title: 'Cost', cell: row => formatUsd(row.cost_usd) },
]
