// The operator's search of the projects of all tenants: finds the id of a project by what a log or a request shows.
import { z } from 'zod'
import type { ManagementDependencies } from '../dependencies.ts'
import { isoTime } from '../plane/iso-time.ts'
import { type Route, route } from '../plane/route.ts'
import { contains, isAfter, listNewest, searchQuery, type Wanted } from './list-newest.ts'

const projectSchema = z.object({
  id: z.string(),
  slug: z.string(),
  name: z.string(),
  status: z.enum(['active', 'suspended']),
  tenant_id: z.string(),
  tenant_name: z.string(),
  created_at: z.string(),
})

export function operatorProjectRoutes({ sql }: ManagementDependencies): Route[] {
  return [
    route({
      method: 'GET',
      credential: 'admin-secret',
      owner: 'none',
      path: '/v1/admin/projects',
      operation: 'listAllProjects',
      summary: 'List all projects, newest first; `q` is an id, the host, or a part of the name or slug',
      query: searchQuery,
      answers: { 200: z.object({ data: z.array(projectSchema), next_cursor: z.string().nullable() }) },
      async handle({ query }) {
        const { rows, next_cursor } = await listNewest('projects', query, wanted => readProjects(sql, wanted))
        const data = rows.map(row => ({ ...row, created_at: isoTime(row.created_at) }))
        return { status: 200, body: { data, next_cursor } }
      },
    }),
  ]
}

async function readProjects(sql: ManagementDependencies['sql'], { q, after, limit }: Wanted) {
  let query = sql
    .selectFrom('projects')
    .innerJoin('tenants', 'tenants.id', 'projects.tenant_id')
    .select([
      'projects.id',
      'projects.slug',
      'projects.name',
      'projects.status',
      'projects.tenant_id',
      'tenants.name as tenant_name',
      'projects.created_at',
    ])
    .where('projects.deleted_at', 'is', null)
    .where('tenants.deleted_at', 'is', null)
    .orderBy('projects.created_at', 'desc')
    .orderBy('projects.id', 'desc')
    .limit(limit)
  if (q !== '') {
    const [firstLabel = ''] = q.toLowerCase().split('.')
    query = query.where(row =>
      row.or([
        row('projects.id', '=', q.toLowerCase()),
        row('projects.tenant_id', '=', q.toLowerCase()),
        row('projects.slug', '=', firstLabel),
        contains('projects.slug', q),
        contains('projects.name', q),
      ]),
    )
  }
  if (after !== null) query = query.where(isAfter('projects', after))
  return await query.execute()
}
