// What an end user used, today and in the last 30 days, and the limits that apply to each end user.
import type { ManagementRoutes } from '@sallyport/sdk'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lastDays } from '../../api/days.ts'
import { settingsQuery } from '../../api/queries.ts'
import { formatCount, formatCountOf, formatUsd } from '../../ui/numbers.ts'
import { Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { TotalCost } from '../prices/cost.tsx'
import { requestStatsQuery } from '../requests/queries.ts'
import type { SettingsValues } from '../settings/fields.ts'
import { liveValues } from '../settings/live-values.ts'
import { draftChangesQuery } from '../settings/queries.ts'
import { usageGroupsQuery } from '../usage/queries.ts'
import { type EndUser, endUserUsageQuery } from './queries.ts'

type UsageRow = ManagementRoutes['GET /auth/v1/projects/{projectId}/usage']['output']['data'][number]

const columns: Column<UsageRow>[] = [
  { title: 'Day (UTC)', cell: ({ day }) => day },
  { title: 'Requests', isNumber: true, cell: ({ requests }) => formatCount(requests) },
  { title: 'Tokens', isNumber: true, cell: ({ total_tokens }) => formatCount(total_tokens) },
  { title: 'Cost', isNumber: true, cell: ({ cost_usd }) => formatUsd(cost_usd) },
]

export function EndUserUsage({ projectId, user }: { projectId: string; user: EndUser }) {
  const usage = useQuery(endUserUsageQuery(projectId, user.uid))
  const groups = useInfiniteQuery(usageGroupsQuery(projectId, { ...lastDays(30), uid: user.uid }, 'model'))
  const rows = groups.data?.pages.flatMap(({ data }) => data) ?? []
  const models = rows.map(({ group, total_tokens: tokens }) => ({ model: group, tokens }))
  const { data: stats } = useQuery(requestStatsQuery(projectId, { uid: user.uid }))
  return (
    <>
      <p>{`Today, since 00:00 UTC: requests ${formatCount(user.requests_today)}, tokens ${formatCount(user.tokens_today)}.`}</p>
      {stats !== undefined && stats.totals.errors > 0 && (
        <p>
          {`Last 24 hours: ${formatCount(stats.totals.errors)} of ${formatCountOf(stats.totals.requests, 'request')} rejected or failed.`}{' '}
          <Link to="/app/projects/$projectId/requests" params={{ projectId }} search={{ uid: user.uid, error: 'any' }}>
            See why
          </Link>
        </p>
      )}
      <Loaded query={usage} what="the usage">
        {({ data, totals }) => (
          <>
            {data.length > 0 && (
              <p>
                {`Last 30 days: tokens ${formatCount(totals.total_tokens)}, cost `}
                <TotalCost projectId={projectId} usd={totals.cost_usd} models={models} />.
              </p>
            )}
            <Table
              caption="Usage of the last 30 days"
              isSmall
              columns={columns}
              rows={data}
              keyOf={({ day }) => day ?? ''}
              empty={<p className="text-soft">No usage in the last 30 days.</p>}
            />
          </>
        )}
      </Loaded>
    </>
  )
}

export function EndUserLimits({ projectId }: { projectId: string }) {
  const settings = useQuery(settingsQuery(projectId))
  const changes = useQuery(draftChangesQuery(projectId))
  return (
    <Loaded query={settings} what="the limits">
      {draft => (
        <Loaded query={changes} what="the live limits">
          {rows => <Limits live={liveValues(draft, rows)} />}
        </Loaded>
      )}
    </Loaded>
  )
}

function Limits({ live }: { live: SettingsValues }) {
  return (
    <>
      <ul className="list-disc pl-5">
        <li>{limitText('request', 'a minute', live.user_rpm_limit, live.rpm_limit)}</li>
        <li>{limitText('token', 'a day', live.user_tokens_per_day, live.tokens_per_day)}</li>
      </ul>
      <p className="max-w-2xl text-sm text-soft">
        These limits of the project are live. A tier in the user’s token may set others.{' '}
        <a href="/docs/end-users#limit-what-a-token-may-ask-for">About limits</a>
      </p>
    </>
  )
}

function limitText(what: string, period: string, own: number | null, project: number): string {
  const atMost = (count: number): string => `at most ${formatCountOf(count, what)} ${period}`
  if (own !== null) return `Each end user: ${atMost(own)}`
  return `No limit of their own; all users together: ${atMost(project)}`
}
