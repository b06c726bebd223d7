// Two periods of requests side by side: their addresses, and what is read of each.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type Period, readDay } from '../../api/days.ts'
import { request } from '../../api/management.ts'
import type { GivenSearch } from '../../api/search-text.ts'

/** Either around a deployment, or two periods of days. */
export interface Comparison {
  deployment?: number
  hours?: number
  from?: string
  to?: string
  other_from?: string
  other_to?: string
}

const days = ['from', 'to', 'other_from', 'other_to'] as const
export const windows = [1, 6, 24] as const

export function readComparison(search: GivenSearch): Comparison {
  const deployment = Number(search['deployment'])
  const hours = windows.find(one => one === Number(search['hours']))
  const found: Comparison = {}
  if (Number.isInteger(deployment) && deployment > 0) found.deployment = deployment
  if (hours !== undefined) found.hours = hours
  for (const name of days) {
    const day = readDay(search[name])
    if (day !== undefined) found[name] = day
  }
  return found
}

const hourMs = 3_600_000

/** As many hours before a deployment, and after it. */
export function aroundTime(iso: string, hours: number): [before: Period, after: Period] {
  const at = Date.parse(iso)
  const time = (millis: number): string => new Date(millis).toISOString()
  return [
    { from: time(at - hours * hourMs), to: time(at - 1) },
    { from: time(at), to: time(at + hours * hourMs) },
  ]
}

export type Compared = Awaited<ReturnType<typeof readPeriod>>

async function readPeriod(projectId: string, period: Period, by: 'minute' | 'hour') {
  const read = (filter: { status?: string; guardrail?: string; feedback?: 'positive' | 'negative' }) =>
    request('GET', '/auth/v1/projects/{projectId}/requests/stats', {
      path: { projectId },
      query: { ...period, ...filter, by },
    })
  const [all, refused, blocked, liked, disliked] = await Promise.all([
    read({}),
    read({ status: '4xx' }),
    read({ guardrail: 'blocked' }),
    read({ feedback: 'positive' }),
    read({ feedback: 'negative' }),
  ])
  return {
    ...all.totals,
    since: all.complete_from,
    refused: refused.totals.requests,
    blocked: blocked.totals.requests,
    liked: liked.totals.requests,
    disliked: disliked.totals.requests,
  }
}

/** `by`: minutes keep to the second of a deployment, hours read any number of requests. */
export const periodQuery = (projectId: string, period: Period, by: 'minute' | 'hour') =>
  queryOptions({
    queryKey: ['project', projectId, 'request-period', period, by],
    queryFn: () => readPeriod(projectId, period, by),
    placeholderData: keepPreviousData,
  })
