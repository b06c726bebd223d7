// The row that the request log keeps of one request: what happened to it, without any text of it.

import type { GuardrailEvent, TextSource } from '../guardrails/guardrail-event.ts'
import type { NanoUsd } from '../money.ts'

export interface RequestRecord {
  /** The `x-request-id` of its response. The order of ids is the order in which the requests were received. */
  id: string
  projectId: string
  /** Epoch ms of its receipt. */
  at: number
  /** Null if the request was refused before its caller was known. */
  userId: string | null
  tier: string | null
  /** The name of the endpoint, or the pattern of a route without a body; null if the path is none. */
  endpoint: string | null
  isStream: boolean
  modelAsked: string | null
  model: string | null
  provider: string | null
  status: number
  errorCode: string | null
  finishReason: string | null
  latencyMs: number
  firstTokenMs: number | null
  attempts: number
  /** Null if the answer cache was not asked. */
  cache: 'hit' | 'miss' | null
  promptTokens: number
  cachedTokens: number
  completionTokens: number
  reasoningTokens: number
  cost: NanoUsd
  guardrails: readonly GuardrailOutcome[]
  threadId: string | null
  sessionId: string | null
  /** The session of a coding agent, and which of its agents sent the request. */
  agentSessionId: string | null
  agentId: string | null
  /** The client's name and version. */
  client: string | null
  isPlayground: boolean
  /** The prompt of the project that it named, and the deployment whose prompt that was; null for one of the draft. */
  promptName: string | null
  promptVersion: number | null
  /** Which budget or limit refused it; or which kill switch ended it, which has no period. */
  exceeded: { level: string; period: string | null } | null
  timeline: readonly TimelineStep[]
}

export interface GuardrailOutcome {
  type: GuardrailEvent['type']
  action: GuardrailEvent['actionTaken']
  source: TextSource | null
  /** Of a jailbreak. */
  family?: string
  score?: string
}

/** Of a limit that a request exceeded: whose it is, and for how long it counts. */
export const limitLevels = ['project', 'end_user'] as const
export const limitPeriods = ['minute', 'day'] as const
export interface ExceededLimit {
  level: (typeof limitLevels)[number]
  period: (typeof limitPeriods)[number]
}

/** Of a kill switch: what it stops. */
export const switchScopes = ['global', 'tenant', 'project'] as const
export type SwitchScope = (typeof switchScopes)[number]

/** Times are milliseconds since the receipt. */
export interface TimelineStep {
  name: 'body' | 'admission' | 'guardrails' | 'attempt' | 'first_token' | 'end'
  start: number
  end: number
  /** Of an attempt: what was asked, and why it failed. */
  detail: { model: string; error: string | null } | null
}

/** Status of a request whose client left before the answer began. Nobody has received it. */
export const statusOfGone = 499

/** Each range is 4 % wide, so that its middle is within 2 % of every latency in it. */
const widthOfRange = Math.log(1.04)

/** 0 for less than a millisecond. */
export function latencyRangeOf(ms: number): number {
  return ms < 1 ? 0 : 1 + Math.floor(Math.log(ms) / widthOfRange)
}

export function middleOfRange(range: number): number {
  return range === 0 ? 0 : Math.exp((range - 0.5) * widthOfRange)
}

const maxClientLength = 60
/** Each one also names those after it. */
const browsers = [/\bEdg\/[\d.]+/, /\bOPR\/[\d.]+/, /\bFirefox\/[\d.]+/, /\bChrome\/[\d.]+/, /\bVersion\/[\d.]+/]
const product = /^[!-~]+(?: [\w.+-]+)?/

/** The name and version in a user agent: its first product, or the browser. */
export function clientOf(userAgent: string): string | null {
  const forms = userAgent.startsWith('Mozilla/') ? browsers : [product]
  for (const form of forms) {
    const found = form.exec(userAgent)
    if (found !== null) return found[0].replace('Version/', 'Safari/').slice(0, maxClientLength)
  }
  return null
}

const maxNameLength = 128

/** A name as its client wrote it, shortened, without characters that no name needs and a database may refuse. */
export function keptName(name: string): string {
  return name
    .slice(0, maxNameLength)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, '')
}
