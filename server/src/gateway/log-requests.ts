// Gives each request of a known project its row in the request log, once it has ended.

import type { AdmittedCall } from '../call/admitted-call.ts'
import { type EndedRequest, type RequestRecorder, recordOf } from '../call/log-request.ts'
import type { Verified } from '../domain/caller.ts'
import type { Metrics } from '../domain/metrics.ts'
import type { Incoming } from '../http/incoming.ts'
import type { ProjectConfig } from './project-config.ts'

interface RequestLog {
  note(exchange: Pick<EndedRequest, 'request' | 'response'> & { incoming: Incoming }, served: Served): void
}

/** What is null was not known yet when the request was refused. */
interface Served {
  config: ProjectConfig
  verified: Verified | null
  call: AdmittedCall | null
}

interface RequestLogDependencies {
  requests: RequestRecorder
  metrics: Pick<Metrics, 'requestRows'> | undefined
  now: () => number
}

/** Of one project. A client that is refused tries again at once, and its refusals are all alike. */
const refusalsPerSecond = 20

export function createRequestLog({ requests, metrics, now }: RequestLogDependencies): RequestLog {
  const mayKeep = createRefusalLimit()
  return {
    note({ request, response, incoming }, { config, verified, call }) {
      const time = now()
      const { projectId } = config.project
      const settings = call === null ? config.resolve(verified?.tier ?? null, now).settings : call.resolved.settings
      if (settings.request_log === 'off' || call?.isLoggedElsewhere === true) return
      if (call === null && !mayKeep(projectId, time)) {
        metrics?.requestRows('left_out', 1)
        return
      }
      const { id, receivedAt, logContext } = incoming
      const ended = { id, projectId, receivedAt, request, response, route: logContext.route ?? null }
      requests.add(recordOf(ended, call, verified, time))
    },
  }
}

function createRefusalLimit(): (projectId: string, time: number) => boolean {
  const kept = new Map<string, number>()
  let second = 0
  return (projectId, time) => {
    const now = Math.floor(time / 1_000)
    if (now !== second) {
      second = now
      kept.clear()
    }
    const count = kept.get(projectId) ?? 0
    kept.set(projectId, count + 1)
    return count < refusalsPerSecond
  }
}
