// Lists what a deploy of the draft, or a rollback, would change in the live settings, tiers and prompts. Changes
// nothing.

import { z } from 'zod'
import { changesBetween } from '../../domain/settings/snapshot.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { type Route, route } from '../plane/route.ts'
import { getSnapshot, snapshotDraft } from './deployments.ts'
import { getLive } from './live-configs.ts'
import { getSettingsRow } from './settings-row.ts'

const changesSchema = z.array(
  z.object({
    field: z.string().meta({ description: 'A settings field, `tiers.<name>` or `prompts.<name>`' }),
    from: z.unknown(),
    to: z.unknown(),
  }),
)
const querySchema = z.object({
  deployment: z
    .string({ error: 'deployment must be the number of a deployment' })
    .meta({ description: 'Compare the live settings with those of this deployment, not with the draft' })
    .optional(),
})

export function settingsChangesRoutes({ sql }: ManagementDependencies): Route[] {
  return [
    route({
      method: 'GET',
      path: '/auth/v1/projects/:projectId/settings/changes',
      operation: 'listSettingsChanges',
      summary: 'List what a deploy of the draft, or a rollback, would change',
      credential: 'session',
      owner: 'project',
      permission: 'project:read',
      query: querySchema,
      answers: { 200: changesSchema },
      refusals: ['settings_not_found', 'deployment_not_found'],
      async handle({ owned, query }) {
        const { project } = owned
        const row = await getSettingsRow(sql, project.id)
        const next =
          query.deployment === undefined
            ? await snapshotDraft(sql, row)
            : await getSnapshot(sql, project.id, query.deployment)
        return { status: 200, body: changesBetween(await getLive(sql, project.id), next) }
      },
    }),
  ]
}
