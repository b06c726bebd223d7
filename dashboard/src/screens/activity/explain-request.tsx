// Why a request was rejected or failed: what its row in the request log says, with the way to the setting.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { projectQuery, settingsQuery } from '../../api/queries.ts'
import { formatCountOf } from '../../ui/numbers.ts'
import type { LoggedRequest } from '../requests/filter.ts'
import { hasPage } from '../requests/one-request-actions.tsx'
import { liveValues } from '../settings/live-values.ts'
import { draftChangesQuery } from '../settings/queries.ts'
import { ErrorExplanation } from './explain-error.tsx'

interface ExplanationProps {
  projectId: string
  row: LoggedRequest
  code: string
}

export function Explanation({ projectId, row, code }: ExplanationProps) {
  const { budget, limit, uid, status } = row
  if (budget !== null) return <RefusedBudget projectId={projectId} budget={budget} uid={uid} />
  const instead =
    limit !== null ? (
      <>
        {describeLimit(limit)} <LimitNow projectId={projectId} limit={limit} tier={row.tier} />
      </>
    ) : (
      code === 'service_disabled' && describeSwitch(row)
    )
  return (
    <>
      {status < 400 && code !== 'client_gone' && 'The answer had begun and was cut off. '}
      <ErrorExplanation projectId={projectId} code={code} {...(instead !== false && { instead })} />
    </>
  )
}

function describeLimit({ level, period }: Limit): string {
  const [what, time] = measures[period]
  const measure = `${what}s ${time}`
  return level === 'project'
    ? `The project’s limit of ${measure} was reached.`
    : `The limit of ${measure} for each end user was reached. A tier may set its own.`
}

/** A request that was sent to a provider, or whose answer had begun, was admitted before. */
function describeSwitch({ status, attempts, kill_switch }: LoggedRequest): string {
  const wasAdmitted = status < 400 || attempts > 0
  if (kill_switch !== null) {
    const name = switchNames[kill_switch]
    const what = wasAdmitted
      ? `During the request, an operator turned on the kill switch of the ${name}.`
      : `The kill switch of the ${name} was on when the request arrived.`
    return `${what} Only an operator can turn it off.`
  }
  return wasAdmitted
    ? 'During the request, an operator turned a kill switch on, or the project was suspended. Only an operator can turn a kill switch off.'
    : 'A kill switch was on when the request arrived: for the project, its tenant or the whole installation. Only an operator can turn it off.'
}

const switchNames = { global: 'whole installation', tenant: 'tenant', project: 'project' } as const

type Limit = NonNullable<LoggedRequest['limit']>

const measures = { minute: ['request', 'a minute'], day: ['token', 'a day'] } as const

const limitFields = {
  project: { minute: 'rpm_limit', day: 'tokens_per_day' },
  end_user: { minute: 'user_rpm_limit', day: 'user_tokens_per_day' },
} as const

interface LimitNowProps {
  projectId: string
  limit: Limit
  tier: string | null
}

/** What the limit is now. A tier may have another one for its end users. */
function LimitNow({ projectId, limit: { level, period }, tier }: LimitNowProps) {
  const draft = useQuery(settingsQuery(projectId))
  const changes = useQuery(draftChangesQuery(projectId))
  if (draft.data === undefined || changes.data === undefined || (level === 'end_user' && tier !== null)) return null
  const value = liveValues(draft.data, changes.data)[limitFields[level][period]]
  const [what, time] = measures[period]
  return typeof value === 'number' && `The live limit is ${formatCountOf(value, what)} ${time}.`
}

type Budget = NonNullable<LoggedRequest['budget']>

const owners: Record<Budget['level'], string> = {
  tenant: 'tenant',
  project: 'project',
  tier: 'tier',
  end_user: 'end user',
  platform: 'operator',
}

interface RefusedBudgetProps {
  projectId: string
  budget: Budget
  uid: string | null
}

function RefusedBudget({ projectId, budget: { level, period }, uid }: RefusedBudgetProps) {
  return (
    <>
      The {owners[level]}’s budget of the {period} had too little left for the request.{' '}
      {level === 'platform' ? 'Only the operator can raise it.' : placeOf(level, projectId, uid)}
    </>
  )
}

function placeOf(level: Exclude<Budget['level'], 'platform'>, projectId: string, uid: string | null): ReactNode {
  switch (level) {
    case 'tenant':
      return <TenantBudgets projectId={projectId} />
    case 'project':
      return (
        <Link to="/app/projects/$projectId/settings" params={{ projectId }} hash="budgets">
          Budgets of the project
        </Link>
      )
    case 'tier':
      return (
        <Link to="/app/projects/$projectId/tiers" params={{ projectId }}>
          Tiers
        </Link>
      )
    case 'end_user':
      return uid === null || !hasPage(uid) ? null : (
        <Link to="/app/projects/$projectId/end-users/user" params={{ projectId }} search={{ uid }}>
          Budgets of the end user
        </Link>
      )
  }
}

function TenantBudgets({ projectId }: { projectId: string }) {
  const { data: project } = useQuery(projectQuery(projectId))
  if (project === undefined) return null
  return (
    <Link to="/app/tenants/$tenantId/budgets" params={{ tenantId: project.tenant_id }}>
      Budgets of the tenant
    </Link>
  )
}
