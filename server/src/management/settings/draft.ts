// Reads and writes the whole draft of a project at once, for settings in files: what a file would change, and its
// application, which is refused if the draft has changed since it was read.

import type { Transaction } from 'kysely'
import { z } from 'zod'
import { accept } from '../../domain/checked.ts'
import { cleanName } from '../../domain/clean-name.ts'
import type { JsonObject } from '../../domain/json-object.ts'
import { changesBetween, type Snapshot } from '../../domain/settings/snapshot.ts'
import type { Schema } from '../../storage/schema.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import type { ActPlace } from '../plane/acts/audit-facts.ts'
import { checkedOptional, checkName } from '../plane/fields.ts'
import { checkHeld } from '../plane/member-roles.ts'
import { type Route, route } from '../plane/route.ts'
import { snapshotDraft } from './deployments.ts'
import { type CheckedDocument, checkDocument, mergeDocument, taggedDraft, writeDraft } from './draft-document.ts'
import { checkIfMatch, entityTag, ifMatchHeader } from './entity-tag.ts'
import { factChanges, mergeFacts, type ProjectFacts, permissionFor, readFacts, writeFacts } from './project-facts.ts'
import { getSettingsRow, lockSettings, type SettingsRow } from './settings-row.ts'

const object = z.record(z.string(), z.unknown())
const tierSchema = z.object({
  name: checkName,
  sort_order: z.number({ error: 'sort_order must be a finite number' }).optional(),
  overrides: z.unknown().default({}),
})
const managedBySchema = z.enum(['file'], { error: 'managed_by must be file or null' }).nullable()
const bodySchema = z.object({
  name: checkedOptional<string | undefined>({ type: 'string', minLength: 1, maxLength: 255 }, value =>
    value === undefined ? accept(value) : cleanName(value),
  ),
  managed_by: managedBySchema.optional().meta({
    description: '`file`: the dashboard changes nothing any more that a file holds; null: it does again',
  }),
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
  name: z.string(),
  managed_by: managedBySchema,
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
type Database = Pick<Transaction<Schema>, 'selectFrom'>

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
        const { draft, facts } = await readDocument(sql, await getSettingsRow(sql, owned.project.id))
        const etag = tagOf({ draft, facts })
        return { status: 200, headers: { etag }, body: { etag, ...facts, ...draft } }
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
        const before = await readDocument(sql, await getSettingsRow(sql, input.owned.project.id))
        const after = mergeAll(management, before, checked)
        return { status: 200, body: { etag: tagOf(before), changes: allChanges(before, after) } }
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
    inFile: true,
    summary: 'Merge a document into the draft: all of it, or nothing if anything is invalid',
    audit: { action: 'draft.apply', read: readWholeDraft },
    permission: 'settings:write',
    headers: ifMatchHeader,
    body: bodySchema,
    answers: { 200: comparedSchema },
    refusals: [...refusals, 'draft_changed'],
    async handle(input) {
      const checked = await checkDocument(management, input.owned.tenant.id, input.body)
      const { before, after } = await transact(sql, async trx => {
        const row = await lockSettings(trx, input.owned.project.id)
        const before = await readDocument(trx, row)
        checkIfMatch(input.header('if-match'), () => taggedDocument(before))
        const after = mergeAll(management, before, checked)
        checkHeld(allChanges(before, after).flatMap(permissionFor), input.owned.permissions)
        await writeDraft(trx, { row, before: before.draft, after: after.draft, now: now() })
        await writeFacts(trx, row.project_id, after.facts)
        return { before, after }
      })
      const etag = tagOf(after)
      return { status: 200, headers: { etag }, body: { etag, changes: allChanges(before, after) } }
    },
  })
}

/** All that a file of the project holds. */
interface WholeDocument {
  draft: Snapshot
  facts: ProjectFacts
}

async function readDocument(sql: Database, row: SettingsRow): Promise<WholeDocument> {
  return { draft: await snapshotDraft(sql, row), facts: await readFacts(sql, row.project_id) }
}

function mergeAll(
  management: ManagementDependencies,
  { draft, facts }: WholeDocument,
  checked: CheckedDocument,
): WholeDocument {
  return { draft: mergeDocument(management, draft, checked), facts: mergeFacts(facts, checked.given) }
}

const allChanges = (before: WholeDocument, after: WholeDocument) => [
  ...factChanges(before.facts, after.facts),
  ...changesBetween(before.draft, after.draft),
]

const taggedDocument = ({ draft, facts }: WholeDocument) => ({ ...taggedDraft(draft), ...facts })
const tagOf = (whole: WholeDocument) => entityTag(taggedDocument(whole))

async function readWholeDraft(sql: Database, { project }: ActPlace): Promise<JsonObject> {
  const { draft, facts } = await readDocument(sql, await getSettingsRow(sql, project))
  return { ...draft.settings, tiers: draft.tiers, prompts: draft.prompts, ...facts }
}
