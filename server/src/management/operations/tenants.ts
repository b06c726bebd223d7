// The operator's view of all tenants: lists them with their owners, and reports their usage.

import { z } from 'zod'
import { endpointNames } from '../../domain/conversation/operations.ts'
import { operatorGroupings, readUsageQueryOf, showNumbers } from '../../domain/reports/usage-report.ts'
import { listUsageOfAll, sumUsageOfAll } from '../../storage/usage-rows.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { pageQuery } from '../plane/fields.ts'
import { isoTime } from '../plane/iso-time.ts'
import { type Route, route } from '../plane/route.ts'
import { contains, isAfter, listNewest, searchQuery, type Wanted } from './list-newest.ts'
import { findUnpriced } from './unpriced-usage.ts'

const tenantSchema = z.object({
  id: z.string(),
  name: z.string(),
  plan: z.enum(['free', 'pro']),
  created_at: z.string(),
  active_projects: z.int(),
  members: z.int(),
  owners: z.array(z.object({ id: z.string(), email: z.string() })),
})
const numbers = {
  requests: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
  cost_usd: z.number(),
}
const usageRowSchema = z.object({
  tenant_id: z.string().nullable(),
  day: z.string().nullable(),
  model: z.string().nullable(),
  endpoint: z.enum(endpointNames).nullable(),
  ...numbers,
  price_unknown: z.boolean().meta({
    description: 'Whether some of it cost nothing because its model has no price; false for every endpoint',
  }),
})
const date = z.unknown().meta({ type: 'string', format: 'date' }).optional()
const common = { method: 'GET', credential: 'admin-secret', owner: 'none' } as const

export function operatorTenantRoutes(management: ManagementDependencies): Route[] {
  const { sql } = management
  return [
    route({
      ...common,
      path: '/v1/admin/tenants',
      operation: 'listAllTenants',
      summary: 'List all tenants, newest first; `q` is an id, or a part of a name or of a member’s email',
      query: searchQuery,
      answers: { 200: z.object({ data: z.array(tenantSchema), next_cursor: z.string().nullable() }) },
      async handle({ query }) {
        const { rows, next_cursor } = await listNewest('tenants', query, wanted => listTenants(sql, wanted))
        return { status: 200, body: { data: await describeTenants(sql, rows), next_cursor } }
      },
    }),
    operatorUsageRoute(management),
  ]
}

function operatorUsageRoute({ sql, now, writeUsage }: ManagementDependencies): Route {
  return route({
    ...common,
    path: '/v1/admin/usage',
    operation: 'getAllUsage',
    summary: 'List the usage of all tenants; totals cover all rows of the filter',
    query: pageQuery.extend({
      from: date,
      to: date,
      group_by: z
        .unknown()
        .meta({ type: 'string', enum: [...operatorGroupings], default: 'tenant' })
        .optional(),
    }),
    answers: {
      200: z.object({
        data: z.array(usageRowSchema),
        totals: z.object(numbers),
        next_cursor: z.string().nullable(),
      }),
    },
    async handle({ query }) {
      const { from, to, grouping, page } = readUsageQueryOf(query, 'admin', operatorGroupings)
      await writeUsage()
      const rows = await listUsageOfAll(sql, { from, to }, grouping, {
        after: page.after?.[0] ?? null,
        limit: page.limit + 1,
      })
      const shown = rows.slice(0, page.limit)
      const last = shown.at(-1)?.group
      const groups = shown.map(({ group }) => group)
      const unpriced =
        grouping === 'endpoint' ? new Set() : await findUnpriced({ sql, now }, { days: { from, to }, grouping, groups })
      return {
        status: 200,
        body: {
          data: shown.map(({ group, ...sums }) => ({
            tenant_id: grouping === 'tenant' ? group : null,
            day: grouping === 'day' ? group : null,
            model: grouping === 'model' ? group : null,
            endpoint: grouping === 'endpoint' ? group : null,
            ...showNumbers(sums),
            price_unknown: unpriced.has(group),
          })),
          totals: showNumbers(await sumUsageOfAll(sql, { from, to })),
          next_cursor: rows.length > page.limit && last !== undefined ? page.cursorAfter([last]) : null,
        },
      }
    },
  })
}

type Sql = ManagementDependencies['sql']

async function listTenants(sql: Sql, { q, after, limit }: Wanted) {
  let query = sql
    .selectFrom('tenants')
    .select(['id', 'name', 'plan', 'created_at'])
    .where('deleted_at', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
  if (q !== '') {
    query = query.where(row =>
      row.or([
        row('id', '=', q.toLowerCase()),
        contains('tenants.name', q),
        row.exists(
          row
            .selectFrom('memberships')
            .innerJoin('users', 'users.id', 'memberships.user_id')
            .select('users.id')
            .whereRef('memberships.tenant_id', '=', 'tenants.id')
            .where(contains('users.email', q)),
        ),
      ]),
    )
  }
  if (after !== null) query = query.where(isAfter('tenants', after))
  return await query.execute()
}

type TenantRow = Awaited<ReturnType<typeof listTenants>>[number]

async function describeTenants(sql: Sql, tenants: readonly TenantRow[]) {
  if (tenants.length === 0) return []
  const ids = tenants.map(({ id }) => id)
  const people = await sql
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['memberships.tenant_id', 'memberships.role', 'users.id', 'users.email'])
    .where('memberships.tenant_id', 'in', ids)
    .orderBy('users.email')
    .execute()
  const projects = await sql
    .selectFrom('projects')
    .select(row => ['tenant_id', row.fn.countAll<number>().as('count')])
    .where('tenant_id', 'in', ids)
    .where('status', '=', 'active')
    .groupBy('tenant_id')
    .execute()
  return tenants.map(tenant => {
    const members = people.filter(person => person.tenant_id === tenant.id)
    return {
      ...tenant,
      created_at: isoTime(tenant.created_at),
      active_projects: Number(projects.find(row => row.tenant_id === tenant.id)?.count ?? 0),
      members: members.length,
      owners: members.filter(({ role }) => role === 'owner').map(({ id, email }) => ({ id, email })),
    }
  })
}
