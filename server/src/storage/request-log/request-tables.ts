// The tables of the request log. They are apart from all others: each day (UTC) has its own file in SQLite and its own
// partition in PostgreSQL, so that a day is dropped whole. The first 48 bits of an id are the time of its request.

import type { BudgetPeriod } from '../../domain/budgets/budget.ts'
import type { BoundLevel } from '../../domain/budgets/platform-bounds.ts'
import type { ExceededLimit, SwitchScope } from '../../domain/requests/request-record.ts'
import type { Dialect } from '../migrate.ts'
import { type ColumnType, typesIn } from './column-types.ts'
import { agentIndex, statistics } from './file-upgrades.ts'
import { createSums } from './sums/sum-columns.ts'

type Flag = 0 | 1

/** How many rows of an hour agree in all of the texts and the status, and what they add up to. '' stands for null. */
interface RequestHour {
  project_id: string
  /** Sorts before all ids of the hour. */
  id: string
  /** When the hour began. */
  at: number
  prompt: string
  tier: string
  endpoint: string
  model_asked: string
  model: string
  provider: string
  error_code: string
  status: number
  requests: number
  prompt_tokens: number
  cached_tokens: number
  completion_tokens: number
  reasoning_tokens: number
  cost_nanousd: number
  /** By range, see counted-ranges.ts. */
  latencies: string | null
  /** The same, of the rows that have a first token. */
  first_tokens: string | null
}

export type RequestTables = {
  requests: {
    project_id: string
    id: string
    at: number
    uid: string | null
    tier: string | null
    endpoint: string | null
    is_stream: Flag
    model_asked: string | null
    model: string | null
    provider: string | null
    status: number
    error_code: string | null
    finish_reason: string | null
    latency_ms: number
    /** By `latencyRangeOf`, so that the database can count percentiles. */
    latency_range: number
    first_token_ms: number | null
    attempts: number
    cache: 'hit' | 'miss' | null
    prompt_tokens: number
    cached_tokens: number
    completion_tokens: number
    reasoning_tokens: number
    cost_nanousd: number
    /** JSON, null for none. */
    guardrails: string | null
    thread_id: string | null
    session_id: string | null
    client: string | null
    is_playground: Flag
    /** JSON, null for none. */
    timeline: string | null
    feedback_score: number | null
    feedback_comment: string | null
    prompt: string | null
    prompt_version: number | null
    /** By `latencyRangeOf`. Rows of an earlier version have none. */
    first_token_range: number | null
    /** Of a coding agent. */
    agent_session_id: string | null
    agent_id: string | null
    /** Of the budget that refused it, or of the limit or the kill switch if its error is of one. */
    budget_level: BoundLevel | SwitchScope | null
    budget_period: BudgetPeriod | ExceededLimit['period'] | null
  }
  request_hours: RequestHour
  request_content: {
    project_id: string
    id: string
    uid: string
    /** As `request-content.ts` seals it. */
    sealed: Uint8Array
  }
}

/** In the order of the lists in which rows are written. New ones come last: lists of an earlier version may wait. */
export const requestColumns = {
  project_id: 'text',
  id: 'text',
  at: 'int',
  uid: 'text',
  tier: 'text',
  endpoint: 'text',
  is_stream: 'int',
  model_asked: 'text',
  model: 'text',
  provider: 'text',
  status: 'int',
  error_code: 'text',
  finish_reason: 'text',
  latency_ms: 'int',
  latency_range: 'int',
  first_token_ms: 'int',
  attempts: 'int',
  cache: 'text',
  prompt_tokens: 'int',
  cached_tokens: 'int',
  completion_tokens: 'int',
  reasoning_tokens: 'int',
  cost_nanousd: 'int',
  guardrails: 'text',
  thread_id: 'text',
  session_id: 'text',
  client: 'text',
  is_playground: 'int',
  timeline: 'text',
  feedback_score: 'float',
  feedback_comment: 'text',
  prompt: 'text',
  prompt_version: 'int',
  first_token_range: 'int',
  agent_session_id: 'text',
  agent_id: 'text',
  budget_level: 'text',
  budget_period: 'text',
} as const satisfies Record<keyof RequestTables['requests'], ColumnType>

/** What a row always has. */
const required: readonly string[] = ['project_id', 'id', 'at', 'status', 'latency_ms', 'latency_range', 'cost_nanousd']

function columnsIn(dialect: Dialect): string {
  return Object.entries(requestColumns)
    .map(([name, type]) => `${name} ${typesIn[dialect][type]}${required.includes(name) ? ' not null' : ''}`)
    .join(', ')
}

/**
 * Rows are found by project and time, by end user, thread, session of an agent, and error. The other filters read the
 * rows of the project that these leave, a bounded number at a time.
 */
const indexes = [
  'create index if not exists requests_by_uid on requests (project_id, uid, id) where uid is not null',
  'create index if not exists requests_by_thread on requests (project_id, thread_id, id) where thread_id is not null',
  agentIndex,
  'create index if not exists requests_by_error on requests (project_id, error_code, id) where error_code is not null',
]

/** What is kept by day: rows with their sums, and the content of some of them, which is dropped sooner. */
export interface DayKind {
  /** A day is there as long as the first one has it. */
  tables: readonly [keyof RequestTables, ...(keyof RequestTables)[]]
  /** Before the day in the name of a file. */
  prefix: string
  /** What a day's file of SQLite begins with. The rows of a project lie beside each other, in the order of time. */
  ofFile: readonly string[]
  /** The tables of PostgreSQL, without their partitions. */
  ofTable: readonly string[]
}

export const rowDays: DayKind = {
  tables: ['requests', 'request_hours'],
  prefix: '',
  ofFile: [
    `create table if not exists requests (${columnsIn('sqlite')}, primary key (project_id, id)) strict, without rowid`,
    ...indexes,
    createSums('sqlite'),
    'create table if not exists waiting_rows (rows text not null) strict',
    ...statistics,
  ],
  ofTable: [
    `create table if not exists requests (${columnsIn('postgres')}, primary key (project_id, id)) partition by range (id)`,
    ...indexes,
    createSums('postgres'),
  ],
}

const contentIndex = 'create index if not exists request_content_by_uid on request_content (project_id, uid)'

export const contentDays: DayKind = {
  tables: ['request_content'],
  prefix: 'content-',
  ofFile: [
    `create table if not exists request_content (project_id text not null, id text not null, uid text not null,
      sealed blob not null, primary key (project_id, id)) strict`,
    contentIndex,
  ],
  ofTable: [
    `create table if not exists request_content (project_id text collate "C" not null, id text collate "C" not null,
      uid text collate "C" not null, sealed bytea not null, primary key (project_id, id)) partition by range (id)`,
    contentIndex,
  ],
}
