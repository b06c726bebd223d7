// The filters of the request log in the query of a route, and the rows as people see them.

import { z } from 'zod'
import { budgetPeriods } from '../../domain/budgets/budget.ts'
import { boundLevels } from '../../domain/budgets/platform-bounds.ts'
import { dayMs } from '../../domain/day.ts'
import { Refusal } from '../../domain/errors.ts'
import { guardrailActions } from '../../domain/guardrails/guardrail-event.ts'
import { guardrailEventTypes } from '../../domain/guardrails/guardrails.ts'
import { endOfTime, keptSince, type RequestFilter } from '../../domain/requests/request-filter.ts'
import { type GuardrailOutcome, limitLevels, limitPeriods, switchScopes } from '../../domain/requests/request-record.ts'
import { refuseNul } from '../../storage/refuse-nul.ts'
import type { RequestRow } from '../../storage/request-log/filtered-rows.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import type { Owned } from '../plane/caller.ts'
import { isoTime, readIsoTime } from '../plane/iso-time.ts'
import { getLive } from '../settings/live-configs.ts'

const boundary = (description: string) =>
  z.unknown().meta({ type: 'string', format: 'date-time', description }).optional()
const word = (name: string, description: string) =>
  z
    .string({ error: `${name} must be a string` })
    // An empty one would mean a request without it to the sums, and none to the rows.
    .min(1, { error: `${name} must be 1-512 characters` })
    .max(512, { error: `${name} must be 1-512 characters` })
    .meta({ description })
    .optional()
const number = (description: string) => z.unknown().meta({ type: 'number', minimum: 0, description }).optional()

const feedbacks = ['any', 'positive', 'negative'] as const
const guardrailWords: readonly string[] = [...guardrailEventTypes, ...guardrailActions]

export const filterQuery = z.object({
  from: boundary('Start of the period, inclusive; UTC if it has no time zone'),
  to: boundary('End of the period, inclusive, a date until its end; UTC if it has no time zone'),
  uid: word('uid', 'An end user'),
  model: word('model', 'The model that was asked for, or that was used'),
  provider: word('provider', 'The provider that was used'),
  status: word('status', 'An HTTP status, or all of a class: `4xx`'),
  error: word('error', 'A code of an error; `any`: all requests that failed'),
  endpoint: word('endpoint', 'An endpoint, such as `chat_completions`, or the pattern of another route'),
  prompt: word('prompt', 'The name of a prompt'),
  guardrail: word('guardrail', 'The type of a guardrail’s event, or what a guardrail did, such as `blocked`'),
  feedback: z
    .enum(feedbacks, { error: `feedback must be one of: ${feedbacks.join(', ')}` })
    .meta({ description: 'Requests whose end user has judged them' })
    .optional(),
  min_latency_ms: number('Requests that took at least so long'),
  min_cost_usd: number('Requests that cost at least so much'),
  tier: word('tier', 'The tier in force'),
  thread: word('thread', 'The id of a thread'),
  agent_session: word('agent_session', 'The id of a session of a coding agent'),
  agent: word('agent', 'The id of an agent in such a session'),
  q: word('q', 'The beginning of an id'),
})
type Query = z.output<typeof filterQuery>

/** Throws if a value is none that the field can have. */
export async function readFilter(
  { sql, now }: Pick<ManagementDependencies, 'sql' | 'now'>,
  projectId: string,
  query: Query,
): Promise<RequestFilter> {
  // Before an answer begins: an export and a stream have sent their status when the rows are read.
  refuseNul(Object.values(query))
  const kept = keptSince(await getLive(sql, projectId), now())
  return { ...readWords(query), ...readNumbers(query), projectId, kept }
}

function readWords(query: Query) {
  const { uid, model, provider, error, endpoint, prompt, tier, thread, agent, guardrail, q, feedback } = query
  if (guardrail !== undefined && !guardrailWords.includes(guardrail)) {
    refuse('guardrail', `guardrail must be one of: ${guardrailWords.join(', ')}`)
  }
  if (q !== undefined && !/^[0-9a-f-]{1,36}$/.test(q)) refuse('q', 'q must be the beginning of a request ID')
  return {
    uid: uid ?? null,
    model: model ?? null,
    provider: provider ?? null,
    error: error ?? null,
    endpoint: endpoint ?? null,
    prompt: prompt ?? null,
    tier: tier ?? null,
    thread: thread ?? null,
    agentSession: query.agent_session ?? null,
    agent: agent ?? null,
    guardrail: guardrail ?? null,
    feedback: feedback ?? null,
    q: q ?? null,
  }
}

function readNumbers({ status, min_latency_ms: latency, min_cost_usd: cost, ...period }: Query) {
  const cents = readNumber(cost, 'min_cost_usd')
  const [from, to] = [readTime(period.from, 'from') ?? 0, readTime(period.to, 'to') ?? endOfTime]
  if (from > to) refuse('from', 'from must not be after to')
  return {
    from,
    to,
    status: readStatus(status),
    minLatencyMs: readNumber(latency, 'min_latency_ms'),
    minCostNanoUsd: cents === null ? null : Math.round(cents * 1e9),
  }
}

function readStatus(status: string | undefined): RequestFilter['status'] {
  if (status === undefined) return null
  if (/^[1-5]xx$/.test(status)) return { hundreds: Number(status[0]) }
  if (/^[1-5][0-9]{2}$/.test(status)) return { exactly: Number(status) }
  return refuse('status', 'status must be an HTTP status, or a class such as 4xx')
}

function readNumber(value: unknown, field: string): number | null {
  if (value === undefined) return null
  const isNumber = typeof value === 'string' && /^[0-9]{1,9}(?:\.[0-9]{1,9})?$/.test(value)
  return isNumber ? Number(value) : refuse(field, `${field} must be a number >= 0`)
}

function readTime(value: unknown, field: 'from' | 'to'): number | null {
  if (value === undefined) return null
  const time = readIsoTime(value)
  if (time === null) return refuse(field, `${field} must be an ISO 8601 time`)
  return field === 'to' && time.isDate ? time.millis + dayMs - 1 : time.millis
}

function refuse(param: string, message: string): never {
  throw new Refusal('validation_failed', { message, param })
}

export const requestSchema = z.object({
  id: z.string(),
  at: z.string().meta({ format: 'date-time' }),
  uid: z.string().nullable().meta({ description: 'The end user; `erased` for one who was erased' }),
  tier: z.string().nullable(),
  endpoint: z.string().nullable(),
  stream: z.boolean(),
  model_asked: z.string().nullable(),
  model: z.string().nullable(),
  provider: z.string().nullable(),
  status: z.int().meta({ description: '499: the client left before the answer began' }),
  error: z.string().nullable(),
  finish_reason: z.string().nullable(),
  latency_ms: z.int(),
  first_token_ms: z.int().nullable(),
  attempts: z.int(),
  cache: z.enum(['hit', 'miss']).nullable(),
  tokens: z.object({ prompt: z.int(), cached: z.int(), completion: z.int(), reasoning: z.int() }),
  cost_usd: z.number(),
  guardrails: z.array(
    z.object({
      type: z.string(),
      action: z.string(),
      source: z.string().nullable(),
      family: z.string().optional(),
      score: z.string().optional(),
    }),
  ),
  thread_id: z.string().nullable(),
  session_id: z.string().nullable(),
  agent_session_id: z
    .string()
    .nullable()
    .meta({ description: 'The session of a coding agent (`x-claude-code-session-id`)' }),
  agent_id: z.string().nullable().meta({ description: 'The agent of that session (`x-claude-code-agent-id`)' }),
  client: z.string().nullable(),
  playground: z.boolean(),
  prompt: z.string().nullable().meta({ description: 'The prompt of the project that the request named' }),
  prompt_version: z
    .int()
    .nullable()
    .meta({ description: 'The deployment whose prompt it was; null for one of the draft' }),
  budget: z
    .object({ level: z.enum(boundLevels), period: z.enum(budgetPeriods) })
    .nullable()
    .meta({ description: 'The budget that had too little left for the request; null if none refused it' }),
  limit: z
    .object({ level: z.enum(limitLevels), period: z.enum(limitPeriods) })
    .nullable()
    .meta({
      description:
        'The limit that rejected the request: of requests in a minute or of tokens in a day; null if none did',
    }),
  kill_switch: z.enum(switchScopes).nullable().meta({
    description:
      'What the kill switch stops that rejected or ended the request, `global` for the whole installation; null if none did',
  }),
  feedback: z
    .object({ score: z.number(), comment: z.string().nullable().meta({ description: 'Null without `content:read`' }) })
    .nullable(),
})

/** Whose permissions decide what is shown. */
export type Reader = Pick<Owned, 'permissions'>

export function mayReadContent({ permissions }: Reader): boolean {
  return permissions.includes('content:read')
}

/** Null too for a row of an earlier version. */
function showBudget({ budget_level: level, budget_period }: RequestRow) {
  const period = budgetPeriods.find(one => one === budget_period)
  const bound = boundLevels.find(one => one === level)
  return bound === undefined || period === undefined ? null : { level: bound, period }
}

/** As `showBudget`. */
function showLimit({ budget_level, budget_period }: RequestRow) {
  const level = limitLevels.find(one => one === budget_level)
  const period = limitPeriods.find(one => one === budget_period)
  return level === undefined || period === undefined ? null : { level, period }
}

/** As `showBudget`. A switch has no period. */
function showKillSwitch({ error_code, budget_level }: RequestRow) {
  if (error_code !== 'service_disabled') return null
  return switchScopes.find(one => one === budget_level) ?? null
}

export function showRequest(row: RequestRow, reader: Reader): z.output<typeof requestSchema> {
  const comment = mayReadContent(reader) ? row.feedback_comment : null
  return {
    id: row.id,
    at: isoTime(row.at),
    uid: row.uid,
    tier: row.tier,
    endpoint: row.endpoint,
    stream: row.is_stream === 1,
    model_asked: row.model_asked,
    model: row.model,
    provider: row.provider,
    status: row.status,
    error: row.error_code,
    finish_reason: row.finish_reason,
    latency_ms: row.latency_ms,
    first_token_ms: row.first_token_ms,
    attempts: row.attempts,
    cache: row.cache,
    tokens: {
      prompt: row.prompt_tokens,
      cached: row.cached_tokens,
      completion: row.completion_tokens,
      reasoning: row.reasoning_tokens,
    },
    cost_usd: row.cost_nanousd / 1e9,
    guardrails: row.guardrails === null ? [] : (JSON.parse(row.guardrails) as GuardrailOutcome[]),
    thread_id: row.thread_id,
    session_id: row.session_id,
    agent_session_id: row.agent_session_id,
    agent_id: row.agent_id,
    client: row.client,
    playground: row.is_playground === 1,
    prompt: row.prompt,
    prompt_version: row.prompt_version,
    budget: row.error_code === 'rate_limited' ? null : showBudget(row),
    limit: row.error_code === 'rate_limited' ? showLimit(row) : null,
    kill_switch: showKillSwitch(row),
    feedback: row.feedback_score === null ? null : { score: row.feedback_score, comment },
  }
}
