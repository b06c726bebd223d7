// What the screen of alerts reads and writes.
import type { ManagementRoutes } from '@sallyport/sdk'
import { queryOptions } from '@tanstack/react-query'
import { request } from '../../api/management.ts'
import { liveMs, queryClient } from '../../api/queries.ts'

type Alerts = ManagementRoutes['GET /auth/v1/projects/{projectId}/alerts']['output']
export type Alert = Alerts['alerts'][number]
export type Measure = Alert['on']

const path = '/auth/v1/projects/{projectId}/alerts'

export const alertsQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['project', projectId, 'alerts'],
    queryFn: () => request('GET', path, { path: { projectId } }),
    refetchInterval: liveMs,
  })

export async function saveAlerts(projectId: string, alerts: readonly Omit<Alert, 'began_at'>[]): Promise<void> {
  const body = {
    alerts: alerts.map(({ name, on, over, window_minutes, for: of }) => ({ name, on, over, window_minutes, for: of })),
  }
  const saved = await request('PUT', path, { path: { projectId }, body })
  queryClient.setQueryData(alertsQuery(projectId).queryKey, saved)
}
