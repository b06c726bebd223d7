// Who last changed each thing of a list: one request for a page of it.

import { z } from 'zod'
import { isStorable } from '../../domain/stored-text.ts'
import { findLastChanges } from '../../storage/audit/last-changes.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { type Route, route } from '../plane/route.ts'
import { entrySchema } from './audit-schemas.ts'

/** The most rows that a page of a list has. */
const maxTargets = 200
const maxActions = 20
const maxCharacters = 512

const bodySchema = z.object({
  actions: listField('actions', maxActions).meta({ description: 'Those that count as changes, such as `role.put`' }),
  targets: listField('targets', maxTargets).meta({ description: 'The ids of the things' }),
  project_id: textField(`project_id must be a string of 1 to ${maxCharacters} characters, or null`)
    .nullish()
    .meta({ description: 'For ids that are unique in a project only, such as names of prompts' }),
})

function listField(name: string, max: number) {
  const error = `${name} must be a list of 1 to ${max} strings of 1 to ${maxCharacters} characters`
  return z.array(textField(error), { error }).min(1, { error }).max(max, { error })
}

function textField(error: string) {
  return z.string({ error }).min(1, { error }).max(maxCharacters, { error }).refine(isStorable, { error })
}

export function lastChangesRoute({ sql }: ManagementDependencies): Route {
  return route({
    method: 'POST',
    path: '/auth/v1/tenants/:tenantId/audit/last-changes',
    operation: 'findLastChanges',
    audit: null,
    summary: 'Find the entry by which each thing of a list was last changed; what was never changed has none',
    credential: 'session',
    owner: 'tenant',
    permission: 'audit:read',
    body: bodySchema,
    answers: { 200: z.object({ data: z.array(entrySchema) }) },
    async handle({ owned, body }) {
      const { project_id: projectId = null, actions, targets } = body
      const data = await findLastChanges(sql, { chain: owned.tenant.id, actions, projectId, targets })
      return { status: 200, body: { data } }
    },
  })
}
