// Exports the usage of a project by day, end user, model and endpoint, as CSV or NDJSON.

import { z } from 'zod'
import { Refusal } from '../../domain/errors.ts'
import { csvLine } from '../../domain/reports/csv.ts'
import { readDays, showNumbers } from '../../domain/reports/usage-report.ts'
import { listUsageDays } from '../../storage/usage-rows.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { type Route, route } from '../plane/route.ts'
import { writePages } from '../plane/write-pages.ts'

type Sql = ManagementDependencies['sql']
type Listed = Awaited<ReturnType<typeof listUsageDays>>
type Row = Listed['rows'][number]
type Days = ReturnType<typeof readDays>

const formats = ['csv', 'ndjson'] as const
type Format = (typeof formats)[number]

const contentTypes: Record<Format, string> = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson; charset=utf-8',
}
const sums = ['requests', 'prompt_tokens', 'completion_tokens', 'total_tokens', 'cost_usd']
/** Columns are added at the end, for those who read them by their position. */
const columns = ['day', 'uid', 'model', ...sums, 'endpoint']

const querySchema = z.object({
  format: z
    .unknown()
    .meta({ type: 'string', enum: [...formats], default: 'csv' })
    .optional(),
  from: z.unknown().meta({ type: 'string', format: 'date', description: 'First day, UTC' }).optional(),
  to: z.unknown().meta({ type: 'string', format: 'date', description: 'Last day, UTC' }).optional(),
})

export function usageExportRoutes({ sql, writeUsage }: ManagementDependencies): Route[] {
  return [
    route({
      method: 'GET',
      path: '/auth/v1/projects/:projectId/usage/export',
      operation: 'exportProjectUsage',
      audit: { action: 'usage.export', target: 'projectId', reads: 'always' },
      summary: 'Export the usage of a project by day, end user, model and endpoint, oldest first',
      credential: 'session',
      owner: 'project',
      permission: 'billing:read',
      query: querySchema,
      answers: { 200: 'table' },
      async handle({ owned, query }) {
        const format = readFormat(query)
        const days = readDays(query)
        const headers = {
          'content-type': contentTypes[format],
          'content-disposition': `attachment; filename="usage-${owned.project.slug}.${format}"`,
        }
        await writeUsage()
        const pages = writeUsageRows(sql, owned.project.id, days, format)
        return { status: 200, write: exchange => writePages(exchange, headers, pages) }
      },
    }),
  ]
}

function readFormat({ format: wanted = 'csv' }: z.output<typeof querySchema>): Format {
  const format = formats.find(known => known === wanted)
  if (format !== undefined) return format
  throw new Refusal('validation_failed', { message: `format must be one of: ${formats.join(', ')}`, param: 'format' })
}

const rowsAtOnce = 500

async function* writeUsageRows(sql: Sql, projectId: string, days: Days, format: Format): AsyncGenerator<string> {
  const writeRow = format === 'csv' ? writeCells : writeDocument
  if (format === 'csv') yield csvLine(columns)
  const filter = { projectId, userId: null, ...days }
  let after: Listed['next'] = null
  do {
    const { rows, next }: Listed = await listUsageDays(sql, filter, { after, limit: rowsAtOnce })
    yield rows.map(writeRow).join('')
    after = next
  } while (after !== null)
}

function writeCells(row: Row): string {
  const { requests, prompt_tokens, completion_tokens, total_tokens, cost_nanousd } = row
  const numbers = [requests, prompt_tokens, completion_tokens, total_tokens, writeDollars(cost_nanousd)]
  return csvLine([row.day, row.user_id, row.model, ...numbers, row.endpoint])
}

/** Without an exponent, which not every spreadsheet reads. */
function writeDollars(nanoDollars: number): number | string {
  return nanoDollars % 1e9 === 0 ? nanoDollars / 1e9 : (nanoDollars / 1e9).toFixed(9).replace(/0+$/, '')
}

function writeDocument(row: Row): string {
  const { day, user_id: uid, model, endpoint } = row
  return `${JSON.stringify({ day, uid, model, ...showNumbers(row), endpoint })}\n`
}
