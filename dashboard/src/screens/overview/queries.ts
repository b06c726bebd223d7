// What the overviews read: the sums of a period and of the one before it, and who and what caused them.
import type { ManagementRoutes } from '@sallyport/sdk'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { dayOf, lastDays, type Period } from '../../api/days.ts'
import { request } from '../../api/management.ts'
import type { Range } from './range-links.tsx'

export type Stats = ManagementRoutes['GET /auth/v1/projects/{projectId}/requests/stats']['output']
export type Bucket = Stats['data'][number]

const [hourMs, dayMs] = [3_600_000, 86_400_000]

/** Each period is made of so many columns of the chart. */
const columns: Record<Range, { by: 'hour' | 'day'; count: number; lengthMs: number }> = {
  '24h': { by: 'hour', count: 24, lengthMs: hourMs },
  '7d': { by: 'day', count: 7, lengthMs: dayMs },
  '30d': { by: 'day', count: 30, lengthMs: dayMs },
}

export interface Slots {
  by: 'hour' | 'day'
  /** When each column begins, oldest first; the last one is running. */
  starts: number[]
  lengthMs: number
}

/** The columns of a period that ends now, on whole hours or days of UTC. */
export function slotsOf(range: Range, now = Date.now()): Slots {
  const { by, count, lengthMs } = columns[range]
  const last = Math.floor(now / lengthMs) * lengthMs
  return { by, lengthMs, starts: Array.from({ length: count }, (_, index) => last - (count - 1 - index) * lengthMs) }
}

/** So many columns earlier. */
export const slotsBefore = ({ starts, lengthMs, by }: Slots): Slots => ({
  by,
  lengthMs,
  starts: starts.map(at => at - starts.length * lengthMs),
})

export function daysOfRange(range: Range): Period {
  return range === '24h' ? lastDays(2) : lastDays(columns[range].count)
}

/** It reads many rows. */
const refetchMs = 15_000

export const statsQuery = (projectId: string, { by, starts, lengthMs }: Slots, status?: '5xx') =>
  queryOptions({
    queryKey: ['project', projectId, 'request-stats', by, starts[0], starts.length, status],
    queryFn: () =>
      request('GET', '/auth/v1/projects/{projectId}/requests/stats', {
        path: { projectId },
        query: {
          from: new Date(starts[0] ?? 0).toISOString(),
          to: new Date((starts.at(-1) ?? 0) + lengthMs - 1).toISOString(),
          by,
          ...(status !== undefined && { status }),
        },
      }),
    refetchInterval: refetchMs,
    placeholderData: keepPreviousData,
  })

export type UsageRow = ManagementRoutes['GET /auth/v1/projects/{projectId}/usage']['output']['data'][number]

/** The most rows that the API returns at once. */
const maxGroups = 200

export const usageByQuery = (projectId: string, period: Period, grouping: 'model' | 'uid' | 'day') =>
  queryOptions({
    queryKey: ['project', projectId, 'usage', 'overview', grouping, period],
    queryFn: () =>
      request('GET', '/auth/v1/projects/{projectId}/usage', {
        path: { projectId },
        query: { ...period, group_by: grouping, limit: maxGroups },
      }),
    refetchInterval: refetchMs,
    placeholderData: keepPreviousData,
  })

export const labelOfSlot = (at: number, by: 'hour' | 'day'): string =>
  by === 'day' ? dayOf(at) : `${dayOf(at)} ${new Date(at).toISOString().slice(11, 16)}`
