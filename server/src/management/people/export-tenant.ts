// Exports everything that belongs to a tenant, except secrets, as one JSON document per line, in pages.

import { projectTables, tenantTables } from '../../storage/owned/owned-tables.ts'
import { readRows } from '../../storage/owned/read-rows.ts'
import type { RequestRow } from '../../storage/request-log/filtered-rows.ts'
import { readAllRequests } from '../../storage/request-log/list-requests.ts'
import type { RequestDays } from '../../storage/request-log/request-days.ts'
import { readTimeline } from '../../storage/request-log/timeline-text.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import type { Owned } from '../plane/caller.ts'
import { isoTime } from '../plane/iso-time.ts'
import { type Route, route } from '../plane/route.ts'
import { writePages } from '../plane/write-pages.ts'
import { showTenant } from './tenants.ts'

type Sql = ManagementDependencies['sql']
type Data = Record<string, unknown>

const headers = {
  'content-type': 'application/x-ndjson; charset=utf-8',
  'content-disposition': 'attachment; filename="tenant.ndjson"',
}

export function exportRoutes({ sql, requestDays, requests }: ManagementDependencies): Route[] {
  return [
    route({
      method: 'GET',
      path: '/auth/v1/tenants/:tenantId/export',
      operation: 'exportTenant',
      audit: { action: 'tenant.export', target: 'tenantId', reads: 'always' },
      summary: 'Export all data of a tenant except secrets, one JSON document {type, data} a line',
      credential: 'session',
      owner: 'tenant',
      permission: 'tenant:write',
      alsoNeeds: ['content:read'],
      answers: { 200: 'lines' },
      async handle({ owned }) {
        await requests.flush()
        const pages = readTenant(sql, requestDays, owned.tenant)
        return { status: 200, write: exchange => writePages(exchange, headers, pages) }
      },
    }),
  ]
}

async function* readTenant(sql: Sql, days: RequestDays, tenant: Owned['tenant']): AsyncGenerator<string> {
  yield line('tenant', showTenant(tenant))
  for (const table of tenantTables) {
    if (table.record === null) continue
    for await (const rows of readRows(sql, table, tenant.id)) {
      yield lines(table.record, table.name === 'memberships' ? await withEmails(sql, rows) : rows)
    }
  }
  for await (const project of readProjects(sql, tenant.id)) {
    yield line('project', { ...project, created_at: isoTime(project.created_at) })
    for (const table of projectTables) {
      if (table.record === null) continue
      for await (const rows of readRows(sql, table, project.id)) yield lines(table.record, rows)
    }
    for await (const rows of readAllRequests(days, project.id)) yield lines('request', rows.map(exportRequest))
  }
}

async function* readProjects(sql: Sql, tenantId: string) {
  for (let afterId = ''; ; ) {
    const projects = await sql
      .selectFrom('projects')
      .select(['id', 'tenant_id', 'name', 'slug', 'status', 'dns_status', 'created_at'])
      .where('tenant_id', '=', tenantId)
      .where('deleted_at', 'is', null)
      .where('id', '>', afterId)
      .orderBy('id')
      .limit(100)
      .execute()
    if (projects.length === 0) return
    yield* projects
    afterId = projects.at(-1)?.id ?? ''
  }
}

async function withEmails(sql: Sql, rows: readonly Data[]): Promise<Data[]> {
  const ids = rows.map(row => String(row['user_id']))
  const users = await sql.selectFrom('users').select(['id', 'email']).where('id', 'in', ids).execute()
  const emails = new Map(users.map(({ id, email }) => [id, email]))
  return rows.map(row => ({ ...row, email: emails.get(String(row['user_id'])) ?? null }))
}

function exportRequest({
  latency_range: _derived,
  first_token_range: _too,
  cost_nanousd: cost,
  ...row
}: RequestRow): Data {
  const { at, guardrails, timeline } = row
  return {
    ...row,
    at: isoTime(at),
    cost_usd: cost / 1e9,
    is_stream: row.is_stream === 1,
    is_playground: row.is_playground === 1,
    guardrails: guardrails === null ? [] : JSON.parse(guardrails),
    timeline: readTimeline(timeline),
  }
}

const line = (type: string, data: Data) => `${JSON.stringify({ type, data })}\n`
const lines = (type: string, rows: readonly Data[]) => rows.map(row => line(type, row)).join('')
