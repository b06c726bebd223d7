// The usage of a period as a table, by day, model, end user, endpoint or tier, a page at a time.
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { nameOfEndpoint } from '../../api/endpoint-names.ts'
import { ActionButton, choiceClass } from '../../ui/button.tsx'
import { formatCount } from '../../ui/numbers.ts'
import { Section } from '../../ui/page.tsx'
import { Failure, Loading, Updated } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Cost } from '../prices/cost.tsx'
import { type UsageFilter, type UsageGroup, usageGroupsQuery } from './queries.ts'
import type { UsageGrouping } from './usage-search.ts'

interface UsageTableProps {
  projectId: string
  filter: UsageFilter
  grouping: UsageGrouping
}

const groupNames: Record<UsageGrouping, string> = {
  model: 'Model',
  uid: 'End user',
  endpoint: 'Endpoint',
  tier: 'Tier',
  day: 'Day (UTC)',
}
const groupWords: Record<UsageGrouping, string> = {
  model: 'model',
  uid: 'end user',
  endpoint: 'endpoint',
  tier: 'tier',
  day: 'day',
}
const groupings = ['model', 'uid', 'endpoint', 'tier', 'day'] as const

export function UsageTable({ projectId, filter, grouping }: UsageTableProps) {
  const usage = useInfiniteQuery(usageGroupsQuery(projectId, filter, grouping))
  const rows = usage.data?.pages.flatMap(({ data }) => data)
  const name = groupWords[grouping]
  return (
    <Section title={`By ${name}`}>
      <nav aria-label="Group by" className="flex flex-wrap gap-2">
        {groupings
          .filter(by => by !== 'tier' || filter.uid === undefined)
          .map(by => (
            <Link
              key={by}
              to="/app/projects/$projectId/usage"
              params={{ projectId }}
              search={{ ...filter, by }}
              aria-current={by === grouping ? 'true' : 'false'}
              className={choiceClass}
            >
              By {groupWords[by]}
            </Link>
          ))}
      </nav>
      {rows === undefined && !usage.isError && <Loading what="the usage" />}
      {usage.isError && <Failure error={usage.error} retry={() => void usage.refetch()} />}
      {rows !== undefined && (
        <Updated isOutdated={usage.isPlaceholderData}>
          <Table
            caption={`Usage by ${name}`}
            columns={[groupColumn(projectId, filter, grouping), ...numberColumns, costColumn(projectId, grouping)]}
            rows={rows}
            keyOf={({ group }) => group ?? ''}
            empty={<p>Nothing to show.</p>}
            fileName={`usage-by-${grouping}`}
            isPart={usage.hasNextPage}
          />
        </Updated>
      )}
      {usage.hasNextPage && (
        <p>
          <ActionButton run={() => usage.fetchNextPage({ cancelRefetch: false })}>Show more</ActionButton>
        </p>
      )}
    </Section>
  )
}

function groupColumn(projectId: string, filter: UsageFilter, grouping: UsageGrouping): Column<UsageGroup> {
  return {
    title: groupNames[grouping],
    value: ({ group }) => group,
    cell: ({ group }) => {
      if (group === null) return 'No tier'
      if (grouping === 'endpoint') return nameOfEndpoint(group)
      if (grouping !== 'uid' || filter.uid !== undefined) return <bdi>{group}</bdi>
      return (
        <Link
          to="/app/projects/$projectId/usage"
          params={{ projectId }}
          search={{ ...filter, uid: group, by: 'day' }}
          aria-label={`Only ${group}`}
        >
          <bdi>{group}</bdi>
        </Link>
      )
    },
  }
}

const numberColumns: Column<UsageGroup>[] = [
  { title: 'Requests', isNumber: true, value: row => row.requests, cell: row => formatCount(row.requests) },
  {
    title: 'Input tokens',
    isNumber: true,
    value: row => row.prompt_tokens,
    cell: row => formatCount(row.prompt_tokens),
  },
  {
    title: 'Output tokens',
    isNumber: true,
    value: row => row.completion_tokens,
    cell: row => formatCount(row.completion_tokens),
  },
]

const costColumn = (projectId: string, grouping: UsageGrouping): Column<UsageGroup> => ({
  title: 'Cost',
  isNumber: true,
  value: row => row.cost_usd,
  cell: ({ group, cost_usd: usd, prompt_tokens: prompt, completion_tokens: completion }) => (
    <Cost projectId={projectId} model={grouping === 'model' ? group : null} tokens={prompt + completion} usd={usd} />
  ),
})
