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
import { checkHeld } from '../plane/member-roles.ts'
import { type Route, route } from '../plane/route.ts'
import { snapshotDraft } from './deployments.ts'
import { draftBody, draftSchema } from './draft-body.ts'
import { type CheckedDocument, checkDocument, mergeDocument, showDraft, writeDraft } from './draft-document.ts'
import { checkIfMatch, entityTag, ifMatchHeader } from './entity-tag.ts'
import {
  factChanges,
  mergeFacts,
  type ProjectFacts,
  permissionsFor,
  readFacts,
  requireSecrets,
  showFacts,
  writeFacts,
} from './project-facts.ts'
import { findWarnings, warningSchema } from './settings-changes.ts'
import { getSettingsRow, lockSettings, type SettingsRow } from './settings-row.ts'

const comparedSchema = z.object({
  etag: z.string().meta({ description: 'Of the draft as it is; send it as If-Match to apply what was compared' }),
  changes: z.array(z.object({ field: z.string(), from: z.unknown(), to: z.unknown() })),
  warnings: z.array(warningSchema).meta({ description: 'Of what will not work once the document is deployed' }),
})

const path = '/auth/v1/projects/:projectId/draft'
const common = { credential: 'session', owner: 'project' } as const
const refusals = [
  'webhook_limit',
  'too_many_user_budgets',
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
      summary: 'Get all that a file of the project holds: the draft, its name, its webhooks and budgets of end users',
      permission: 'project:read',
      answers: { 200: draftSchema },
      refusals: ['settings_not_found'],
      async handle({ owned }) {
        const { draft, facts } = await readDocument(sql, await getSettingsRow(sql, owned.project.id))
        const etag = tagOf({ draft, facts })
        const { end_user_budgets, ...shown } = showFacts(facts)
        const budgets = owned.permissions.includes('billing:read') ? { end_user_budgets } : {}
        return { status: 200, headers: { etag }, body: { etag, ...shown, ...budgets, ...showDraft(draft) } }
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: `${path}/compare`,
      operation: 'compareDraft',
      summary: 'Check a document, and list what it would change; changes nothing',
      audit: null,
      permission: 'project:read',
      body: draftBody,
      answers: { 200: comparedSchema },
      refusals,
      async handle(input) {
        // What it lists would show them.
        if (input.body.end_user_budgets !== undefined) checkHeld(['billing:read'], input.owned.permissions)
        const checked = await checkDocument(management, input.owned.tenant.id, input.body)
        const before = await readDocument(sql, await getSettingsRow(sql, input.owned.project.id))
        const after = mergeAll(management, before, checked)
        const warnings = await warningsOf(management, input.owned.tenant.id, after)
        return { status: 200, body: { etag: tagOf(before), changes: allChanges(before, after), warnings } }
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
    summary: 'Merge a document into the draft and the project: all of it, or nothing if anything is invalid',
    audit: { action: 'draft.apply', read: readWholeDraft },
    permission: 'settings:write',
    headers: ifMatchHeader,
    body: draftBody,
    answers: { 200: comparedSchema },
    refusals: [...refusals, 'draft_changed'],
    async handle(input) {
      const checked = await checkDocument(management, input.owned.tenant.id, input.body)
      const { before, after } = await transact(sql, async trx => {
        const row = await lockSettings(trx, input.owned.project.id)
        const before = await readDocument(trx, row)
        checkIfMatch(input.header('if-match'), () => taggedDocument(before))
        const after = mergeAll(management, before, checked)
        requireSecrets(before.facts, checked.facts)
        checkHeld(allChanges(before, after).flatMap(permissionsFor), input.owned.permissions)
        await writeDraft(trx, { row, before: before.draft, after: after.draft, now: now() })
        const place = { tenantId: input.owned.tenant.id, projectId: row.project_id }
        await writeFacts(trx, management, place, { before: before.facts, after: after.facts })
        return { before, after }
      })
      const etag = tagOf(after)
      const warnings = await warningsOf(management, input.owned.tenant.id, after)
      return { status: 200, headers: { etag }, body: { etag, changes: allChanges(before, after), warnings } }
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
  return {
    draft: mergeDocument(management, draft, checked),
    facts: mergeFacts(management, facts, checked.facts, checked.given.prune),
  }
}

const warningsOf = (management: ManagementDependencies, tenantId: string, { draft, facts }: WholeDocument) =>
  findWarnings(management.sql, management, tenantId, { ...draft, hasUserBudgets: facts.endUserBudgets.length > 0 })

const allChanges = (before: WholeDocument, after: WholeDocument) => [
  ...factChanges(before.facts, after.facts),
  ...changesBetween(before.draft, after.draft),
]

const taggedDocument = ({ draft, facts }: WholeDocument) => ({ ...showDraft(draft), ...showFacts(facts) })
const tagOf = (whole: WholeDocument) => entityTag(taggedDocument(whole))

async function readWholeDraft(sql: Database, { project }: ActPlace): Promise<JsonObject> {
  const { draft, facts } = await readDocument(sql, await getSettingsRow(sql, project))
  return { ...draft.settings, tiers: draft.tiers, prompts: draft.prompts, ...showFacts(facts) }
}
