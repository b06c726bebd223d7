// Exports the requests of a project, newest first, with the same filters as the list, as NDJSON or CSV. Without any
// text of a request or its answer.

import { z } from 'zod'
import { csvLine } from '../../domain/reports/csv.ts'
import type { RequestFilter } from '../../domain/requests/request-filter.ts'
import { listRequests } from '../../storage/request-log/list-requests.ts'
import type { RequestDays } from '../../storage/request-log/request-days.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { type Route, route } from '../plane/route.ts'
import { writePages } from '../plane/write-pages.ts'
import { filterQuery, readFilter, showRequest } from './request-query.ts'

const formats = ['ndjson', 'csv'] as const
type Format = (typeof formats)[number]

const contentTypes: Record<Format, string> = {
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
}
const rowsAtOnce = 500

export function requestExportRoutes(management: ManagementDependencies): Route[] {
  const { requests, requestDays } = management
  return [
    route({
      method: 'GET',
      path: '/auth/v1/projects/:projectId/requests/export',
      operation: 'exportRequests',
      audit: { action: 'requests.export', target: 'projectId', reads: 'always' },
      summary: 'Export the requests of a project, newest first, without any text of them',
      credential: 'session',
      owner: 'project',
      permission: 'project:read',
      query: filterQuery.extend({
        format: z.enum(formats, { error: `format must be one of: ${formats.join(', ')}` }).default('ndjson'),
      }),
      answers: { 200: 'table' },
      async handle({ owned, query }) {
        const { format } = query
        const filter = await readFilter(management, owned.project.id, query)
        await requests.flush()
        const headers = {
          'content-type': contentTypes[format],
          'content-disposition': `attachment; filename="requests-${owned.project.slug}.${format}"`,
        }
        return { status: 200, write: exchange => writePages(exchange, headers, readAll(requestDays, filter, format)) }
      },
    }),
  ]
}

type Shown = ReturnType<typeof showRequest>

/** An export has no words of end users, whoever asks for it. */
const withoutContent = { permissions: [] }

async function* readAll(days: RequestDays, filter: RequestFilter, format: Format): AsyncGenerator<string> {
  const write = format === 'csv' ? writeCells : writeDocument
  if (format === 'csv') yield csvLine(columns.map(([name]) => name))
  for (let after: string | null = null; ; ) {
    const { rows, next } = await listRequests(days, filter, { after, limit: rowsAtOnce })
    yield rows.map(row => write(showRequest(row, withoutContent))).join('')
    if (next === null) return
    after = next
  }
}

/** Columns are added at the end, for those who read them by their position. */
const columns: readonly (readonly [name: string, read: (row: Shown) => string | number | boolean | null])[] = [
  ['id', row => row.id],
  ['at', row => row.at],
  ['uid', row => row.uid],
  ['tier', row => row.tier],
  ['endpoint', row => row.endpoint],
  ['stream', row => row.stream],
  ['model_asked', row => row.model_asked],
  ['model', row => row.model],
  ['provider', row => row.provider],
  ['status', row => row.status],
  ['error', row => row.error],
  ['finish_reason', row => row.finish_reason],
  ['latency_ms', row => row.latency_ms],
  ['first_token_ms', row => row.first_token_ms],
  ['attempts', row => row.attempts],
  ['cache', row => row.cache],
  ['prompt_tokens', row => row.tokens.prompt],
  ['cached_tokens', row => row.tokens.cached],
  ['completion_tokens', row => row.tokens.completion],
  ['reasoning_tokens', row => row.tokens.reasoning],
  ['cost_usd', row => writeDollars(row.cost_usd)],
  ['guardrails', row => row.guardrails.map(({ type, action }) => `${type}:${action}`).join(' ')],
  ['thread_id', row => row.thread_id],
  ['session_id', row => row.session_id],
  ['client', row => row.client],
  ['playground', row => row.playground],
  ['feedback_score', row => row.feedback?.score ?? null],
  ['prompt', row => row.prompt],
  ['prompt_version', row => row.prompt_version],
  ['agent_session_id', row => row.agent_session_id],
  ['agent_id', row => row.agent_id],
  ['budget_level', row => row.budget?.level ?? null],
  ['budget_period', row => row.budget?.period ?? null],
  ['limit_level', row => row.limit?.level ?? null],
  ['limit_period', row => row.limit?.period ?? null],
  ['kill_switch', row => row.kill_switch],
]

function writeDocument({ feedback, ...row }: Shown): string {
  return `${JSON.stringify({ ...row, feedback_score: feedback?.score ?? null })}\n`
}

function writeCells(row: Shown): string {
  return csvLine(columns.map(([, read]) => writeCell(read(row))))
}

function writeCell(value: string | number | boolean | null): string | number {
  return value === null ? '' : typeof value === 'boolean' ? String(value) : value
}

/** Without an exponent, which not every spreadsheet reads. */
function writeDollars(dollars: number): string {
  return dollars === 0 ? '0' : dollars.toFixed(9).replace(/\.?0+$/, '')
}
