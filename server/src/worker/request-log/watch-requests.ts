// Measures what the alerts on requests are about, and begins and ends them.

import type { RequestAlert } from '../../domain/requests/request-alert.ts'
import { everyRequestOf, type RequestFilter } from '../../domain/requests/request-filter.ts'
import {
  beginAlert,
  endAlert,
  listAlerts,
  listWatchedProjects,
  type WatchedProject,
} from '../../storage/request-log/alert-rows.ts'
import type { RequestDays } from '../../storage/request-log/request-days.ts'
import { sumAllRows } from '../../storage/request-log/request-stats.ts'
import { inPages } from '../in-pages.ts'
import type { Job, WorkerDependencies } from '../job.ts'

const projectsAtOnce = 100
const minuteMs = 60_000

export function watchRequests(days: RequestDays): Job {
  return {
    name: 'watch-requests',
    everyMs: minuteMs,
    runsBeforeReady: false,
    async run(dependencies, signal) {
      let after = ''
      await inPages(signal, async () => {
        const projects = await listWatchedProjects(dependencies.sql, after, projectsAtOnce)
        for (const project of projects) if (!signal.aborted) await watch(dependencies, days, project)
        after = projects.at(-1)?.projectId ?? ''
        return projects.length === projectsAtOnce
      })
    },
  }
}

async function watch({ sql, now }: WorkerDependencies, days: RequestDays, project: WatchedProject): Promise<void> {
  for (const { alert, beganAt } of await listAlerts(sql, project.projectId)) {
    const at = now()
    const value = await measure(days, alert, windowOf(alert, project.projectId, at))
    const change = { ...project, alert, value, at }
    const isOver = value > alert.over
    if (isOver && beganAt === null) await beginAlert(sql, change)
    if (!isOver && beganAt !== null) await endAlert(sql, change)
  }
}

function windowOf(alert: RequestAlert, projectId: string, at: number): RequestFilter {
  return {
    ...everyRequestOf(projectId),
    from: at - alert.window_minutes * minuteMs,
    to: at,
    model: alert.for.model ?? null,
    tier: alert.for.tier ?? null,
    guardrail: alert.on === 'guardrail_blocks' ? 'blocked' : null,
    feedback: alert.on === 'feedback' ? 'negative' : null,
  }
}

/** 0 without a request. */
async function measure(days: RequestDays, { on }: RequestAlert, filter: RequestFilter): Promise<number> {
  const { requests, errors, cost_nanousd: cost, latency_ms, first_token_ms } = await sumAllRows(days, filter)
  switch (on) {
    case 'error_rate':
      return requests === 0 ? 0 : errors / requests
    case 'p95_latency_ms':
      return latency_ms?.p95 ?? 0
    case 'first_token_ms':
      return first_token_ms?.p95 ?? 0
    case 'cost_usd':
      return cost / 1e9
    default:
      return requests
  }
}
