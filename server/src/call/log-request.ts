// Makes the row of the request log when a request has ended, and passes it to whoever writes the rows.

import { memoize } from '../collections/bounded-memo.ts'
import type { Verified } from '../domain/caller.ts'
import { endpoints } from '../domain/conversation/operations.ts'
import { reasonOfStatus } from '../domain/reports/activity.ts'
import { clientOf, keptName, type RequestRecord, statusOfGone } from '../domain/requests/request-record.ts'
import type { PlaneRequest, PlaneResponse } from '../http/exchange.ts'
import { findExceeded, findRefusal } from '../http/reply.ts'
import type { AdmittedCall } from './admitted-call.ts'
import { cacheHeader } from './inference-port.ts'

export interface RequestRecorder {
  /** Rows are written in batches. */
  add(record: RequestRecord): void
}

/** Of the listener. */
export interface EndedRequest {
  id: string
  projectId: string
  receivedAt: number
  request: PlaneRequest
  response: PlaneResponse
  /** Its pattern; null if there is no such route. */
  route: string | null
}

const agentSessionHeader = 'x-claude-code-session-id'
const agentHeader = 'x-claude-code-agent-id'
/** In which a coding agent names its session, and those that work for it. They are of no use to a provider. */
export const agentHeaders = [agentSessionHeader, agentHeader] as const

const nameByPattern = new Map<string, string>(Object.values(endpoints).map(({ pattern, name }) => [pattern, name]))
const clientNameOf = memoize(clientOf)

/** `call` is null if the request was refused before it was admitted, `verified` if its caller was not known by then. */
export function recordOf(
  { id, projectId, receivedAt, request, response, route }: EndedRequest,
  call: AdmittedCall | null,
  verified: Verified | null,
  now: number,
): RequestRecord {
  const notes = call?.notes
  const usage = notes?.usage
  const isGone = call?.ending === 'client_gone'
  const userAgent = request.headers['user-agent']
  const latencyMs = Math.max(0, now - receivedAt)
  const cache = response.getHeader(cacheHeader)
  const errorCode = isGone ? 'client_gone' : (findRefusal(response) ?? call?.failure ?? codeOfStatus(response))
  return {
    id,
    projectId,
    at: receivedAt,
    userId: verified?.userId ?? null,
    tier: call === null ? (verified?.tier ?? null) : call.resolved.tier,
    endpoint: route === null ? null : (nameByPattern.get(route) ?? route),
    isStream: notes?.isStream ?? false,
    modelAsked: keptNameOrNull(notes?.modelAsked),
    model: notes?.model ?? null,
    provider: notes?.provider ?? null,
    status: isGone && !response.headersSent ? statusOfGone : response.statusCode,
    errorCode,
    finishReason: notes?.finishReason ?? null,
    latencyMs,
    firstTokenMs: notes?.firstTokenMs ?? null,
    attempts: notes?.attempts ?? 0,
    cache: cache === 'hit' || cache === 'miss' ? cache : null,
    promptTokens: usage?.promptTokens ?? 0,
    cachedTokens: usage?.cachedTokens ?? 0,
    completionTokens: usage?.completionTokens ?? 0,
    reasoningTokens: usage?.reasoningTokens ?? 0,
    cost: usage?.cost ?? 0,
    guardrails: notes?.outcomes ?? [],
    threadId: keptNameOrNull(verified?.threadId),
    sessionId: keptNameOrNull(verified?.sessionId),
    agentSessionId: headerOrNull(request, agentSessionHeader),
    agentId: headerOrNull(request, agentHeader),
    client: typeof userAgent === 'string' ? clientNameOf(userAgent) : null,
    isPlayground: notes?.isPlayground ?? false,
    promptName: call?.prompt?.name ?? null,
    promptVersion: call?.prompt?.version ?? null,
    exceeded: errorCode === null ? null : (findExceeded(response) ?? switchOf(call)),
    timeline: notes?.timeline(latencyMs) ?? [],
  }
}

function switchOf(call: AdmittedCall | null): RequestRecord['exceeded'] {
  const level = call?.killSwitch ?? null
  return level === null ? null : { level, period: null }
}

function codeOfStatus({ statusCode }: PlaneResponse): string | null {
  return statusCode < 400 ? null : reasonOfStatus(statusCode)
}

function keptNameOrNull(name: string | null | undefined): string | null {
  return name === null || name === undefined ? null : keptName(name)
}

function headerOrNull({ headers }: PlaneRequest, name: string): string | null {
  const value = headers[name]
  return typeof value === 'string' && value !== '' ? keptName(value) : null
}
