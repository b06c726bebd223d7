// The live configuration of a project: the row with the data plane's document, whose revision rises with every change,
// and its push to the store. The row is the source of truth; the worker repeats failed pushes.

import type { Transaction } from 'kysely'
import { Refusal } from '../../domain/errors.ts'
import type { JsonObject } from '../../domain/json-object.ts'
import { initialLiveConfig, type LiveConfig, parseLiveConfig } from '../../domain/settings/live-config.ts'
import type { Settings } from '../../domain/settings/settings.ts'
import { StoreUnavailable } from '../../kv/store.ts'
import { findProjectedConfig } from '../../storage/projections.ts'
import type { Schema } from '../../storage/schema.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import type { ActPlace } from '../plane/acts/audit-facts.ts'
import type { MintingProject } from '../plane/mint-credential.ts'

type Database = Pick<Transaction<Schema>, 'selectFrom'>

interface NewProject {
  id: string
  tenant_id: string
  slug: string
}

export async function startLive(trx: Transaction<Schema>, project: NewProject, defaults: Settings, now: number) {
  const body = JSON.stringify(initialLiveConfig(project, defaults))
  await trx.insertInto('live_configs').values({ project_id: project.id, revision: 1, body, updated_at: now }).execute()
}

export async function getLive(sql: Database, projectId: string): Promise<LiveConfig> {
  const row = await sql
    .selectFrom('live_configs')
    .select('body')
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow()
  const live = parseLiveConfig(row.body)
  // A corrupt document rejects the change: a fallback to the defaults would switch guardrails off.
  if (live === null) throw new Error('the live configuration of a project is corrupt')
  return live
}

/** What is live in the act's project, for the audit. */
export async function readLive(sql: Database, { project }: ActPlace): Promise<JsonObject> {
  const { settings, tiers, prompts } = await getLive(sql, project)
  const ofTiers = tiers.map(tier => [`tiers.${tier.name}`, tier.overrides])
  const ofPrompts = prompts.map(({ name, ...template }) => [`prompts.${name}`, template])
  return { ...settings, ...Object.fromEntries([...ofTiers, ...ofPrompts]) }
}

/** Writes the next revision. The caller must have locked the project's settings row. */
export async function writeLive(trx: Transaction<Schema>, live: LiveConfig, now: number): Promise<void> {
  await trx
    .updateTable('live_configs')
    .set(row => ({ revision: row('revision', '+', 1), body: JSON.stringify(live), updated_at: now }))
    .where('project_id', '=', live.project_id)
    .execute()
}

/** Raises the revision without a change of the document, when the project's status changes. */
export async function raiseLiveRevision(trx: Transaction<Schema>, projectId: string, now: number): Promise<void> {
  await trx
    .updateTable('live_configs')
    .set(row => ({ revision: row('revision', '+', 1), updated_at: now }))
    .where('project_id', '=', projectId)
    .execute()
}

/** Pushes the current row. Throws StoreUnavailable if the store cannot be reached. */
async function pushLive({ sql, kv }: Pick<ManagementDependencies, 'sql' | 'kv'>, projectId: string): Promise<void> {
  const config = await findProjectedConfig(sql, projectId)
  // The project has been deleted meanwhile; the worker removes it from the store.
  if (config === undefined) return
  await kv.putSlugs([config])
  await kv.putConfig(projectId, config)
}

/** For changes whose response does not promise the push. Returns whether the push succeeded. */
export async function tryPushLive(management: ManagementDependencies, projectId: string): Promise<boolean> {
  const push = () => pushLive(management, projectId)
  return await management.pushToStore(`live ${projectId}`, push, { project_id: projectId })
}

/** For changes whose response promises the push. If it fails, the change stays in the database and is pushed again. */
export async function publishLive(management: ManagementDependencies, projectId: string): Promise<void> {
  if (!(await tryPushLive(management, projectId))) throw new Refusal('store_sync_failed')
}

/**
 * Before a mint responds, the store has the project's slug and, if the project was deployed, its settings. Mints that
 * arrive during a project's sync share the next one, so that a burst of mints costs two syncs.
 */
export function createMintSync(management: ManagementDependencies) {
  const { kv, log } = management

  async function sync({ projectId, tenantId, slug, deployedAt }: MintingProject): Promise<void> {
    try {
      if (deployedAt === null) await kv.putSlugs([{ slug, projectId, tenantId }])
      else await pushLive(management, projectId)
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      log.warn('store could not be updated', { project_id: projectId })
    }
  }

  return shareRuns(sync, holder => `${holder.projectId} ${holder.deployedAt === null ? 'new' : 'deployed'}`)
}

/** Every call is served by a run that began after it. Per name, at most one run is in progress and one is queued. */
function shareRuns<T>(run: (subject: T) => Promise<void>, nameOf: (subject: T) => string) {
  const running = new Map<string, Promise<void>>()
  const waiting = new Map<string, Promise<void>>()

  function begin(name: string, subject: T): Promise<void> {
    waiting.delete(name)
    const begun = run(subject).finally(() => {
      if (running.get(name) === begun) running.delete(name)
    })
    running.set(name, begun)
    return begun
  }

  return (subject: T): Promise<void> => {
    const name = nameOf(subject)
    const next = waiting.get(name)
    if (next !== undefined) return next
    const current = running.get(name)
    if (current === undefined) return begin(name, subject)
    const afterCurrent = current.then(
      () => begin(name, subject),
      () => begin(name, subject),
    )
    waiting.set(name, afterCurrent)
    return afterCurrent
  }
}
