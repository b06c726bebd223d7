// Answers the probes: alive, ready, and the keep-alive redirect.
import type { ServerResponse } from 'node:http'
import { refuseOtherThanGet } from '../only-get.ts'
import { replyJson } from '../reply.ts'

export interface ProbeContext {
  /** Short names of what is missing; empty when ready. */
  readiness: () => readonly string[]
  isDraining: boolean
}

export function answerProbe(path: string, method: string, response: ServerResponse, context: ProbeContext): void {
  refuseOtherThanGet(method)
  if (path === '/keepalive') replyJson(response, 302, { location: '/healthz' }, { location: '/healthz' })
  else if (path === '/healthz') replyJson(response, 200, { status: 'ok' })
  else answerReadiness(response, context)
}

function answerReadiness(response: ServerResponse, { isDraining, readiness }: ProbeContext): void {
  const reasons = isDraining ? ['draining', ...readiness()] : readiness()
  if (reasons.length === 0) replyJson(response, 200, { status: 'ready' })
  else replyJson(response, 503, { status: 'not_ready', reasons })
}
