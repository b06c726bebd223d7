// Generates rows of the request log: the same ones in each run, for each project and day in the order of their ids.
import type { RequestRecord } from '../../server/src/domain/requests/request-record.ts'
import { startIdOf } from '../../server/src/storage/request-log/request-days.ts'

export const hourMs = 3_600_000
export const dayMs = 24 * hourMs

export interface Amount {
  rows: number
  days: number
  projects: number
}

/** All rows lie in the `days` before `end`. */
export interface Plan extends Amount {
  start: number
  end: number
  /** Their ids. */
  projectIds: string[]
}

export function planRows({ rows, days, projects }: Amount): Plan {
  const end = Math.floor(Date.now() / dayMs) * dayMs
  const projectIds = Array.from({ length: projects }, (_none, at) => idOf('00000000-0000-', at)).sort()
  return { rows, days, projects, start: end - days * dayMs, end, projectIds }
}

/** So many rows has each project on each day. */
export function rowsOfDay({ rows, days, projects }: Amount): number {
  return Math.round(rows / (days * projects))
}

export function idOf(beginning: string, at: number): string {
  return `${beginning}4${(at % 4096).toString(16).padStart(3, '0')}-8000-${at.toString(16).padStart(12, '0')}`
}

/** The share of the requests, and the time that half of them take. */
const models = [
  { name: 'openai/gpt-4o-mini', share: 0.55, latencyMs: 900 },
  { name: 'openai/gpt-4o', share: 0.2, latencyMs: 2_400 },
  { name: 'anthropic/claude-haiku', share: 0.17, latencyMs: 1_500 },
  { name: 'google/gemini-flash', share: 0.08, latencyMs: 700 },
] as const
const endpoints = ['chat_completions', 'responses', 'messages', 'embeddings'] as const
const errors = [
  { code: 'rate_limited', status: 429, isOfProvider: false },
  { code: 'invalid_token', status: 401, isOfProvider: false },
  { code: 'provider_unavailable', status: 502, isOfProvider: true },
  { code: 'provider_timeout', status: 504, isOfProvider: true },
] as const
const users = 2_000

/** The rows of one project on one day. */
export function* makeRows(plan: Plan, day: number, project: number): Generator<RequestRecord> {
  const chance = createChance(day * 1_000 + project + 1)
  const count = rowsOfDay(plan)
  for (let number = 0; number < count; number++) {
    const at = plan.start + day * dayMs + Math.floor((number / count) * dayMs)
    yield makeRow(idOf(startIdOf(at), number * plan.projects + project), plan.projectIds[project]!, at, chance)
  }
}

/** Times are distributed as those of models are: half within a factor of two, some ten times as long. */
export function makeRow(id: string, projectId: string, at: number, chance: () => number): RequestRecord {
  const model = pickModel(chance())
  const error = chance() < 0.03 ? errors[Math.floor(chance() * errors.length)]! : null
  const isRefused = error?.isOfProvider === false
  const latencyMs = isRefused ? 1 + Math.floor(chance() * 4) : Math.round(model.latencyMs * spread(chance) + 20)
  const isStream = chance() < 0.6
  const used = isRefused ? null : model.name
  return {
    ...plain,
    id,
    projectId,
    at,
    userId: `user-${Math.floor(chance() ** 2 * users)}`,
    tier: chance() < 0.7 ? null : chance() < 0.8 ? 'team' : 'trial',
    endpoint: chance() < 0.8 ? endpoints[0] : endpoints[1 + Math.floor(chance() * 3)]!,
    isStream,
    modelAsked: model.name,
    model: used,
    provider: used === null ? null : model.name.slice(0, model.name.indexOf('/')),
    status: error?.status ?? 200,
    errorCode: error?.code ?? null,
    finishReason: error === null ? 'stop' : null,
    latencyMs,
    firstTokenMs: isStream && error === null ? Math.round(latencyMs / 4) : null,
    attempts: isRefused ? 0 : 1,
    promptTokens: isRefused ? 0 : 200 + Math.floor(chance() * 2_000),
    completionTokens: error === null ? 20 + Math.floor(chance() * 500) : 0,
    cost: error === null ? 20_000 + Math.floor(chance() * 900_000) : 0,
    guardrails: chance() < 0.0002 ? [{ type: 'pii_block', action: 'blocked', source: 'user' }] : [],
    threadId: chance() < 0.3 ? `thread-${Math.floor(chance() * 50_000)}` : null,
    timeline: [
      { name: 'body', start: 0, end: 1, detail: null },
      { name: 'admission', start: 1, end: 2, detail: null },
      ...(used === null
        ? []
        : [
            { name: 'attempt' as const, start: 2, end: latencyMs, detail: { model: used, error: error?.code ?? null } },
          ]),
      { name: 'end', start: latencyMs, end: latencyMs, detail: null },
    ],
  }
}

const plain = {
  cache: null,
  cachedTokens: 0,
  reasoningTokens: 0,
  sessionId: null,
  agentSessionId: null,
  agentId: null,
  client: 'OpenAI/JS 5.1.0',
  isPlayground: false,
  promptName: null,
  promptVersion: null,
  exceeded: null,
} as const

function pickModel(chance: number): (typeof models)[number] {
  let left = chance
  for (const model of models) {
    left -= model.share
    if (left < 0) return model
  }
  return models[0]
}

/** Log-normal, 1 in the middle. */
function spread(chance: () => number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - chance())) * Math.cos(2 * Math.PI * chance())
  return Math.exp(0.7 * normal)
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function createChance(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
