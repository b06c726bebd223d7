// All routes of the request log and its alerts.

import type { ManagementDependencies } from '../dependencies.ts'
import type { Route } from '../plane/route.ts'
import { requestExportRoutes } from './export-requests.ts'
import { liveRequestRoutes } from './live-requests.ts'
import { requestAlertRoutes } from './request-alerts.ts'
import { requestStatsRoutes } from './request-stats.ts'
import { requestRoutes } from './requests.ts'

export function requestLogRoutes(management: ManagementDependencies): Route[] {
  return [
    ...requestStatsRoutes(management),
    ...requestExportRoutes(management),
    ...liveRequestRoutes(management),
    ...requestAlertRoutes(management),
    ...requestRoutes(management),
  ]
}
