// Deploys the draft with the tiers and prompts: in one transaction they become an immutable numbered snapshot and go
// live, then they are pushed to the store. Discarding restores settings and prompts from the last snapshot; a rollback
// deploys an old one again.

import type { Transaction } from 'kysely'
import { z } from 'zod'
import { getPage } from '../../domain/cursor.ts'
import { Refusal } from '../../domain/errors.ts'
import { buildLiveConfig, type LiveConfig } from '../../domain/settings/live-config.ts'
import { defaultSettings } from '../../domain/settings/settings.ts'
import { abbreviatedChanges, parseSnapshot, type Snapshot } from '../../domain/settings/snapshot.ts'
import type { Schema } from '../../storage/schema.ts'
import { transact } from '../../storage/transact.ts'
import { recordTenantEvent } from '../../storage/webhooks/tenant-events.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { pageQuery } from '../plane/fields.ts'
import { isoTime } from '../plane/iso-time.ts'
import { type Route, type RouteInput, route } from '../plane/route.ts'
import { checkProviderConfigured } from './check-provider-configured.ts'
import { getLive, publishLive, readLive, writeLive } from './live-configs.ts'
import { replacePrompts, snapshotPrompts } from './prompts.ts'
import { settingsSchema } from './settings.ts'
import {
  fromSettingsColumns,
  getSettingsRow,
  lockSettings,
  readDraft,
  type SettingsRow,
  showSettings,
  toSettingsColumns,
} from './settings-row.ts'
import { replaceTiers, snapshotTiers } from './tier-rows.ts'

const deployedSchema = z.object({ deployed: z.literal(true), project_id: z.string(), deployed_at: z.string() })
const deploymentsSchema = z.object({
  data: z.array(
    z.object({
      number: z.int(),
      deployed_at: z.string(),
      deployed_by: z.string(),
      rolled_back_to: z.int().nullable().meta({ description: 'What a rollback deployed again; else null' }),
      changes: z.array(z.object({ field: z.string(), from: z.unknown(), to: z.unknown() })),
    }),
  ),
  next_cursor: z.string().nullable(),
})

const common = { credential: 'session', owner: 'project' } as const

export function deploymentRoutes(management: ManagementDependencies): Route[] {
  const { sql, now } = management
  return [
    route({
      ...common,
      method: 'POST',
      path: '/auth/v1/projects/:projectId/settings/deploy',
      operation: 'deploySettings',
      audit: { action: 'settings.deploy', target: 'projectId', read: readLive },
      permission: 'settings:deploy',
      summary: 'Deploy the draft',
      answers: { 200: deployedSchema },
      refusals: ['settings_not_found', 'provider_not_configured', 'store_sync_failed'],
      async handle(input) {
        const deployedAt = await transact(sql, trx => deployDraft(trx, management, input))
        return await answerDeployed(management, input.owned.project.id, deployedAt)
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/auth/v1/projects/:projectId/settings/discard-draft',
      operation: 'discardDraft',
      inFile: true,
      audit: { action: 'settings.discard', target: 'projectId', read: readDraft },
      permission: 'settings:write',
      summary: 'Discard the draft and restore the last deployed snapshot',
      answers: { 200: settingsSchema },
      refusals: ['settings_not_found', 'no_deployed_snapshot'],
      async handle({ owned }) {
        const row = await transact(sql, trx => discardDraft(trx, owned.project.id, now()))
        return { status: 200, body: showSettings(row) }
      },
    }),
    listRoute(management),
    route({
      ...common,
      method: 'POST',
      path: '/auth/v1/projects/:projectId/settings/deployments/:number/rollback',
      operation: 'rollbackDeployment',
      inFile: true,
      audit: { action: 'settings.rollback', target: 'projectId', read: readLive },
      permission: 'settings:deploy',
      summary: 'Roll back: deploy an old snapshot again, as a new one',
      answers: { 200: deployedSchema },
      refusals: ['settings_not_found', 'deployment_not_found', 'provider_not_configured', 'store_sync_failed'],
      async handle(input) {
        const deployedAt = await transact(sql, trx => rollBack(trx, management, input))
        return await answerDeployed(management, input.owned.project.id, deployedAt)
      },
    }),
  ]
}

function listRoute(management: ManagementDependencies): Route {
  return route({
    ...common,
    method: 'GET',
    path: '/auth/v1/projects/:projectId/settings/deployments',
    operation: 'listDeployments',
    permission: 'project:read',
    summary: 'List the deployed snapshots, newest first',
    query: pageQuery,
    answers: { 200: deploymentsSchema },
    async handle({ owned, query }) {
      return { status: 200, body: await listDeployments(management, owned.project.id, query) }
    },
  })
}

type Database = Pick<Transaction<Schema>, 'selectFrom'>
type Deploying = Pick<RouteInput<unknown, unknown>, 'owned' | 'caller' | 'params'>

/**
 * Checks only the key of the draft's model: the removal of a key disables its models at once, deployed or not, and a
 * deploy must not depend on a tier's key.
 */
async function deployDraft(
  trx: Transaction<Schema>,
  management: ManagementDependencies,
  input: Deploying,
): Promise<number> {
  const { project } = input.owned
  const row = await lockSettings(trx, project.id)
  if (row.draft_provider_model !== null) {
    await checkProviderConfigured(trx, project.tenant_id, row.draft_provider_model)
  }
  const [snapshot, basis] = await Promise.all([snapshotDraft(trx, row), findBasis(trx, project.id)])
  return await deploy(trx, management, input, { snapshot, basis, rolledBackTo: null })
}

/** What a deploy of the draft makes live. */
export async function snapshotDraft(sql: Database, row: SettingsRow): Promise<Snapshot> {
  const settings = { ...fromSettingsColumns(row), provider_model: row.draft_provider_model ?? row.provider_model }
  const { project_id } = row
  const [tiers, prompts] = await Promise.all([snapshotTiers(sql, project_id), snapshotPrompts(sql, project_id)])
  return { settings, tiers, prompts }
}

async function rollBack(trx: Transaction<Schema>, management: ManagementDependencies, input: Deploying) {
  const { project } = input.owned
  await lockSettings(trx, project.id)
  const { number = '' } = input.params
  const snapshot = await getSnapshot(trx, project.id, number)
  for (const model of modelsIn(snapshot)) await checkProviderConfigured(trx, project.tenant_id, model)
  await replaceTiers(trx, project.id, snapshot.tiers, management.now())
  await replacePrompts(trx, project.id, snapshot.prompts, management.now())
  const basis = await findBasis(trx, project.id)
  return await deploy(trx, management, input, { snapshot, basis, rolledBackTo: readNumber(number) })
}

interface Basis {
  /** The last deployment; null before the first. */
  last: { number: number; snapshot: Snapshot } | null
  live: LiveConfig
}

async function findBasis(trx: Transaction<Schema>, projectId: string): Promise<Basis> {
  const [last, live] = await Promise.all([findLastSnapshot(trx, projectId), getLive(trx, projectId)])
  return { last, live }
}

/** The project's own model first, then those of its tiers and prompts: a rollback deploys all of them again. */
function modelsIn({ settings, tiers, prompts }: Snapshot): Set<string> {
  const ofTiers = tiers.map(({ overrides }) => overrides.provider_model)
  const named = [settings.provider_model, ...ofTiers, ...prompts.map(({ model }) => model)]
  return new Set(named.filter(model => model != null))
}

/** The caller must have locked the settings row, so that numbers and revisions are consecutive. */
async function deploy(
  trx: Transaction<Schema>,
  management: ManagementDependencies,
  { owned, caller }: Deploying,
  { snapshot, basis: { last, live }, rolledBackTo }: { snapshot: Snapshot; basis: Basis; rolledBackTo: number | null },
): Promise<number> {
  const { project } = owned
  const deployedAt = management.now()
  const before = last?.snapshot ?? {
    settings: defaultSettings(management.settings.dashboardOrigin),
    tiers: [],
    prompts: [],
  }
  const number = (last?.number ?? 0) + 1
  const deployment = {
    project_id: project.id,
    number,
    snapshot: JSON.stringify(snapshot),
    changes: JSON.stringify(abbreviatedChanges(before, snapshot)),
    deployed_at: deployedAt,
    deployed_by: caller.email,
    rolled_back_to: rolledBackTo,
  }
  const settings = {
    ...toSettingsColumns(snapshot.settings),
    draft_provider_model: null,
    draft_saved_at: null,
    deployed_at: deployedAt,
    updated_at: deployedAt,
  }
  await Promise.all([
    trx.insertInto('deployments').values(deployment).execute(),
    trx.updateTable('settings').set(settings).where('project_id', '=', project.id).execute(),
    writeLive(trx, buildLiveConfig(project, { number, snapshot }, live, deployedAt), deployedAt),
  ])
  const place = { tenantId: project.tenant_id, projectId: project.id, at: deployedAt }
  await recordTenantEvent(trx, place, { type: 'settings_deployed', data: { deployment: number } })
  return deployedAt
}

/** The database keeps the deployment even if the push fails; another deploy pushes again. */
async function answerDeployed(management: ManagementDependencies, projectId: string, deployedAt: number) {
  await publishLive(management, projectId)
  return { status: 200, body: { deployed: true, project_id: projectId, deployed_at: isoTime(deployedAt) } }
}

/** Keeps the deployed model, which may have been published after the snapshot. */
async function discardDraft(trx: Transaction<Schema>, projectId: string, now: number): Promise<SettingsRow> {
  const row = await lockSettings(trx, projectId)
  const last = await findLastSnapshot(trx, projectId)
  if (last === null) throw new Refusal('no_deployed_snapshot')
  await replacePrompts(trx, projectId, last.snapshot.prompts, now)
  return await trx
    .updateTable('settings')
    .set({
      ...toSettingsColumns({ ...last.snapshot.settings, provider_model: row.provider_model }),
      draft_provider_model: null,
      draft_saved_at: null,
      updated_at: now,
    })
    .where('project_id', '=', projectId)
    .returningAll()
    .executeTakeFirstOrThrow()
}

async function findLastSnapshot(trx: Transaction<Schema>, projectId: string) {
  const row = await trx
    .selectFrom('deployments')
    .select(['number', 'snapshot'])
    .where('project_id', '=', projectId)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? null : { number: row.number, snapshot: readSnapshot(row.snapshot) }
}

/** Accepts only the form that the list shows: a deployment has one address, so `01` and `1.0` are not found. */
function readNumber(text: string): number {
  const number = Number(text)
  if (!/^[1-9]\d{0,9}$/.test(text) || number > 2_147_483_647) throw new Refusal('deployment_not_found')
  return number
}

/** `number` is what the caller gave. */
export async function getSnapshot(sql: Database, projectId: string, number: string): Promise<Snapshot> {
  const row = await sql
    .selectFrom('deployments')
    .select('snapshot')
    .where('project_id', '=', projectId)
    .where('number', '=', readNumber(number))
    .executeTakeFirst()
  if (row === undefined) throw new Refusal('deployment_not_found')
  return readSnapshot(row.snapshot)
}

function readSnapshot(text: string): Snapshot {
  const snapshot = parseSnapshot(text)
  if (snapshot === null) throw new Error('a deployment snapshot is corrupt')
  return snapshot
}

async function listDeployments({ sql }: ManagementDependencies, projectId: string, query: z.output<typeof pageQuery>) {
  await getSettingsRow(sql, projectId)
  const { limit, after, cursorAfter } = getPage(query, { list: ['deployments', projectId], key: ['number'] })
  const rows = await sql
    .selectFrom('deployments')
    .select(['number', 'deployed_at', 'deployed_by', 'rolled_back_to', 'changes'])
    .where('project_id', '=', projectId)
    .where('number', '<', after?.[0] ?? Number.MAX_SAFE_INTEGER)
    .orderBy('number', 'desc')
    .limit(limit + 1)
    .execute()
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    data: page.map(row => ({ ...row, deployed_at: isoTime(row.deployed_at), changes: JSON.parse(row.changes) })),
    next_cursor: rows.length > limit && last !== undefined ? cursorAfter([last.number]) : null,
  }
}
