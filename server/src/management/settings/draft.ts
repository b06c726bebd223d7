// Reads and writes the whole draft of a project at once, for settings in files: what a file would change, and its
// application, which is refused if the draft has changed since it was read.

import type { Transaction } from 'kysely'
import { z } from 'zod'
import type { JsonObject } from '../../domain/json-object.ts'
import { changesBetween, type Snapshot } from '../../domain/settings/snapshot.ts'
import type { Schema } from '../../storage/schema.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import type { ActPlace } from '../plane/acts/audit-facts.ts'
import { checkName } from '../plane/fields.ts'
import { checkHeld } from '../plane/member-roles.ts'
import { type Route, type RouteInput, route } from '../plane/route.ts'
import { snapshotDraft } from './deployments.ts'
import { checkDocument, mergeDocument, taggedDraft, writeDraft } from './draft-document.ts'
import { checkIfMatch, entityTag, ifMatchHeader } from './entity-tag.ts'
import { getSettingsRow, lockSettings } from './settings-row.ts'

const object = z.record(z.string(), z.unknown())
const tierSchema = z.object({
  name: checkName,
  sort_order: z.number({ error: 'sort_order must be a finite number' }).optional(),
  overrides: z.unknown().default({}),
})
const bodySchema = z.object({
  settings: z.record(z.string(), z.unknown(), { error: 'settings must be an object' }).optional(),
  tiers: z.array(tierSchema, { error: 'tiers must be a list of tiers, each with a name' }).max(1000).optional(),
  prompts: z
    .array(z.record(z.string(), z.unknown()), { error: 'prompts must be a list of prompts, each with a name' })
    .max(1000)
    .optional(),
  prune: z.boolean({ error: 'prune must be a boolean' }).default(false).meta({
    description: 'Removes the tiers and prompts that these lists lack; a list that is absent changes nothing',
  }),
})
const draftSchema = z.object({
  etag: z.string().meta({ description: 'Also the header ETag' }),
  settings: object,
  tiers: z.array(z.object({ name: z.string(), sort_order: z.number(), overrides: object })),
  prompts: z.array(object),
})
const comparedSchema = z.object({
  etag: z.string().meta({ description: 'Of the draft as it is; send it as If-Match to apply what was compared' }),
  changes: z.array(z.object({ field: z.string(), from: z.unknown(), to: z.unknown() })),
})

const path = '/auth/v1/projects/:projectId/draft'
const common = { credential: 'session', owner: 'project' } as const
const refusals = [
  'settings_not_found',
  'provider_not_configured',
  'invalid_base_url',
  'prompt_limit',
  'prompts_too_large',
] as const
type Input = RouteInput<z.output<typeof bodySchema>, unknown>

export function draftRoutes(management: ManagementDependencies): Route[] {
  return [...readRoutes(management), applyRoute(management)]
}

function readRoutes(management: ManagementDependencies): Route[] {
  const { sql } = management
  return [
    route({
      ...common,
      method: 'GET',
      path,
      operation: 'getDraft',
      summary: 'Get the whole draft: settings, tiers and prompts',
      permission: 'project:read',
      answers: { 200: draftSchema },
      refusals: ['settings_not_found'],
      async handle({ owned }) {
        const draft = await snapshotDraft(sql, await getSettingsRow(sql, owned.project.id))
        const etag = tagOf(draft)
        return { status: 200, headers: { etag }, body: { etag, ...draft } }
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: `${path}/compare`,
      operation: 'compareDraft',
      summary: 'Check a document, and list what it would change in the draft; changes nothing',
      audit: null,
      permission: 'project:read',
      body: bodySchema,
      answers: { 200: comparedSchema },
      refusals,
      async handle(input) {
        const checked = await checkDocument(management, input.owned.tenant.id, input.body)
        const before = await snapshotDraft(sql, await getSettingsRow(sql, input.owned.project.id))
        const after = mergeDocument(management, before, checked)
        return { status: 200, body: { etag: tagOf(before), changes: changesBetween(before, after) } }
      },
    }),
  ]
}

function applyRoute(management: ManagementDependencies): Route {
  const { sql, now } = management
  return route({
    ...common,
    method: 'PUT',
    path,
    operation: 'applyDraft',
    summary: 'Merge a document into the draft: all of it, or nothing if anything is invalid',
    audit: { action: 'draft.apply', read: readWholeDraft },
    permission: 'settings:write',
    headers: ifMatchHeader,
    body: bodySchema,
    answers: { 200: comparedSchema },
    refusals: [...refusals, 'draft_changed'],
    async handle(input) {
      checkPromptPermission(input)
      const checked = await checkDocument(management, input.owned.tenant.id, input.body)
      const { before, after } = await transact(sql, async trx => {
        const row = await lockSettings(trx, input.owned.project.id)
        const before = await snapshotDraft(trx, row)
        checkIfMatch(input.header('if-match'), () => taggedDraft(before))
        const after = mergeDocument(management, before, checked)
        await writeDraft(trx, { row, before, after, now: now() })
        return { before, after }
      })
      const etag = tagOf(after)
      return { status: 200, headers: { etag }, body: { etag, changes: changesBetween(before, after) } }
    },
  })
}

function checkPromptPermission({ owned, body }: Input): void {
  if (body.prompts !== undefined) checkHeld(['prompts:write'], owned.permissions)
}

const tagOf = (draft: Snapshot) => entityTag(taggedDraft(draft))

async function readWholeDraft(
  sql: Pick<Transaction<Schema>, 'selectFrom'>,
  { project }: ActPlace,
): Promise<JsonObject> {
  const { settings, tiers, prompts } = await snapshotDraft(sql, await getSettingsRow(sql, project))
  return { ...settings, tiers, prompts }
}
