// What an end user used, today and in the last 30 days, and the limits that apply to each end user.
import type { ManagementRoutes } from '@sallyport/sdk'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lastDays } from '../../api/days.ts'
import { settingsQuery } from '../../api/queries.ts'
import { Figures } from '../../ui/figures.tsx'
import { formatCount, formatCountOf, formatUsd } from '../../ui/numbers.ts'
import { Awaited } from '../../ui/page.tsx'
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
  const stats = useQuery(requestStatsQuery(projectId, { uid: user.uid }))
  const last = stats.data?.totals
  return (
    <>
      <Awaited queries={[stats]} />
      <Loaded query={usage} what="the usage">
        {({ data, totals }) => (
          <>
            <Figures
              figures={[
                { title: 'Requests today', value: formatCount(user.requests_today), note: 'since 00:00 UTC' },
                { title: 'Tokens today', value: formatCount(user.tokens_today), note: 'since 00:00 UTC' },
                {
                  title: 'Rejected or failed',
                  value: last === undefined ? '–' : formatCount(last.errors),
                  note: last !== undefined && (
                    <>
                      {`of ${formatCountOf(last.requests, 'request')} in 24 hours`}
                      {last.errors > 0 && <WhyLink projectId={projectId} uid={user.uid} />}
                    </>
                  ),
                },
                {
                  title: 'Cost',
                  value: <TotalCost projectId={projectId} usd={totals.cost_usd} models={models} />,
                  note: `${formatCountOf(totals.total_tokens, 'token')} in 30 days`,
                },
              ]}
            />
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

function WhyLink({ projectId, uid }: { projectId: string; uid: string }) {
  return (
    <>
      .{' '}
      <Link to="/app/projects/$projectId/requests" params={{ projectId }} search={{ uid, error: 'any' }}>
        See why
      </Link>
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
