// Releases a project from the file that manages it: the dashboard may then change it again.

import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { rowOf } from '../plane/acts/audit-facts.ts'
import { type Route, route } from '../plane/route.ts'

export function releaseProjectRoute({ sql, log }: ManagementDependencies): Route {
  return route({
    method: 'POST',
    path: '/auth/v1/projects/:projectId/release',
    operation: 'releaseProject',
    audit: { action: 'project.release', target: 'projectId', read: rowOf('projects', { id: 'project' }) },
    summary: 'Release a project from the file that manages it, so that the dashboard may change it; idempotent',
    credential: 'session',
    owner: 'project',
    permission: 'tenant:write',
    answers: { 204: null },
    async handle({ owned: { project } }) {
      await transact(sql, trx =>
        trx.updateTable('projects').set({ managed_by: null }).where('id', '=', project.id).execute(),
      )
      log.info('project released from its file', { project_id: project.id })
      return { status: 204 }
    },
  })
}
