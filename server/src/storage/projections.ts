// Reads the rows that are projected into the key-value store, in the shape in which they are written there. Management
// reads one row after a change, the worker reads all of them in each cycle.

import type { Kysely, Transaction } from 'kysely'
import { writeRestrictions } from '../domain/end-users/restrictions.ts'
import type { Schema } from './schema.ts'
import { projectTenantPrices } from './tenant-prices.ts'

type Database = Pick<Kysely<Schema> | Transaction<Schema>, 'selectFrom'>

export interface ProjectedConfig {
  projectId: string
  tenantId: string
  slug: string
  status: 'active' | 'suspended'
  revision: number
  body: string
}

/** Undefined if the project was deleted. */
export async function findProjectedConfig(sql: Database, projectId: string): Promise<ProjectedConfig | undefined> {
  return await selectConfigs(sql).where('live_configs.project_id', '=', projectId).executeTakeFirst()
}

/** One page in the order of ids, to read all of them in turn. */
export async function listProjectedConfigs(sql: Database, afterId: string, limit: number): Promise<ProjectedConfig[]> {
  return await selectConfigs(sql)
    .where('live_configs.project_id', '>', afterId)
    .orderBy('live_configs.project_id')
    .limit(limit)
    .execute()
}

function selectConfigs(sql: Database) {
  return sql
    .selectFrom('live_configs')
    .innerJoin('projects', 'projects.id', 'live_configs.project_id')
    .select([
      'live_configs.project_id as projectId',
      'projects.tenant_id as tenantId',
      'projects.slug',
      'projects.status',
      'live_configs.revision',
      'live_configs.body',
    ])
}

export const killSwitchRevision = 'kill-switches'
/** Raised with the rows of the model registry, which every replica with the inference role holds in memory. */
export const modelsRevision = 'models'

export interface ProjectedSwitches {
  global: boolean
  tenants: string[]
  projects: string[]
}

export async function readKillSwitches(sql: Database): Promise<ProjectedSwitches> {
  const rows = await sql
    .selectFrom('kill_switches')
    .select(['scope', 'target_id'])
    .where('enabled', '=', 1)
    .orderBy('target_id')
    .execute()
  const targets = (scope: string) => rows.filter(row => row.scope === scope).map(row => row.target_id)
  return { global: targets('global').length > 0, tenants: targets('tenant'), projects: targets('project') }
}

/** Zero if no switch was ever set. */
export async function readRevision(sql: Database, name: string): Promise<number> {
  const row = await sql.selectFrom('revisions').select('revision').where('name', '=', name).executeTakeFirst()
  return row?.revision ?? 0
}

/** By name; those that were never raised are left out. */
export async function readRevisions(sql: Database, names: readonly string[]): Promise<Map<string, number>> {
  const rows = await sql.selectFrom('revisions').select(['name', 'revision']).where('name', 'in', names).execute()
  return new Map(rows.map(({ name, revision }) => [name, revision]))
}

/** Returns the next revision; a concurrent caller waits for the end of this transaction. */
export async function raiseRevision(trx: Transaction<Schema>, name: string): Promise<number> {
  const { revision } = await trx
    .insertInto('revisions')
    .values({ name, revision: 1 })
    .onConflict(conflict =>
      conflict.column('name').doUpdateSet(row => ({ revision: row('revisions.revision', '+', 1) })),
    )
    .returning('revision')
    .executeTakeFirstOrThrow()
  return revision
}

/**
 * All ciphertexts of one tenant, and its prices, as one document that only the writer and the reader of the keys
 * understand.
 */
export interface ProjectedProviderKeys {
  tenantId: string
  revision: number
  body: string
}

export async function getProjectedProviderKeys(sql: Database, tenantId: string): Promise<ProjectedProviderKeys> {
  const [keys] = await projectProviderKeys(sql, await selectTenants(sql).where('id', '=', tenantId).execute())
  if (keys === undefined) throw new Error('the tenant does not exist')
  return keys
}

/** Includes tenants that have no key any more: that must be projected too. */
export async function listProjectedProviderKeys(
  sql: Database,
  afterTenantId: string,
  limit: number,
): Promise<ProjectedProviderKeys[]> {
  const tenants = await selectTenants(sql)
    .where('provider_keys_revision', '>', 0)
    .where('deleted_at', 'is', null)
    .where('id', '>', afterTenantId)
    .orderBy('id')
    .limit(limit)
    .execute()
  return await projectProviderKeys(sql, tenants)
}

function selectTenants(sql: Database) {
  return sql.selectFrom('tenants').select(['id', 'provider_keys_revision as revision'])
}

/** Also locks the tenant, so that changes of its keys are serialised. */
export async function raiseProviderKeysRevision(
  trx: Transaction<Schema>,
  tenantId: string,
): Promise<Pick<Schema['tenants'], 'plan'>> {
  return await trx
    .updateTable('tenants')
    .set(row => ({ provider_keys_revision: row('provider_keys_revision', '+', 1) }))
    .where('id', '=', tenantId)
    .returning('plan')
    .executeTakeFirstOrThrow()
}

/** The document's member of the tenant's prices, by model, as `readPriceSchedule` reads them; no provider's name. */
export const pricesMember = 'prices'

/** The document's value for each provider type. */
export interface StoredProviderKey {
  id: string
  /** The encrypted key, or the provider's encrypted credential. */
  ciphertext: string
  base_url_override: string | null
  /** The tenant's own models; absent if the registry has the provider's models. */
  models?: unknown
}

async function projectProviderKeys(sql: Database, tenants: readonly { id: string; revision: number }[]) {
  if (tenants.length === 0) return []
  const ids = tenants.map(tenant => tenant.id)
  const rows = await sql
    .selectFrom('provider_keys')
    .select(['tenant_id', 'provider_type', 'id', 'ciphertext', 'base_url_override', 'models'])
    .where('tenant_id', 'in', ids)
    .orderBy('provider_type')
    .execute()
  const rowsOf = Map.groupBy(rows, row => row.tenant_id)
  const pricesOf = await projectTenantPrices(sql, ids)
  return tenants.map(({ id, revision }) => {
    const keys: Record<string, unknown> = {}
    for (const { tenant_id: _, provider_type, models, ...key } of rowsOf.get(id) ?? []) {
      keys[provider_type] = models === null ? key : { ...key, models: JSON.parse(models) }
    }
    const prices = pricesOf.get(id)
    if (prices !== undefined) keys[pricesMember] = prices
    return { tenantId: id, revision, body: JSON.stringify(keys) }
  })
}

/** The external provider's keys of one project: `{jwks_url, keys}` as JSON, or empty if there are none. */
export interface ProjectedKeySet {
  projectId: string
  revision: number
  body: string
}

const keySetRevisions = 'key-set:'

/**
 * Raised with every change of a project's provider or its keys. Counted apart from the provider's row, so that it keeps
 * rising when the provider is deleted and created again, and an old set never returns.
 */
export function keySetRevision(projectId: string): string {
  return keySetRevisions + projectId
}

export async function getProjectedKeySet(sql: Database, projectId: string): Promise<ProjectedKeySet> {
  const revision = await readRevision(sql, keySetRevision(projectId))
  const [keySet] = await projectKeySets(sql, [{ projectId, revision }])
  if (keySet === undefined) throw new Error('a project was not projected')
  return keySet
}

/** Includes projects that have no provider any more: that must be projected too. */
export async function listProjectedKeySets(
  sql: Database,
  afterProjectId: string,
  limit: number,
): Promise<ProjectedKeySet[]> {
  return await projectKeySets(sql, await listRevisions(sql, keySetRevisions, afterProjectId, limit))
}

/** Lists the revisions whose name is the prefix, which ends with a colon, followed by a project's id. */
async function listRevisions(sql: Database, prefix: string, afterProjectId: string, limit: number) {
  const rows = await sql
    .selectFrom('revisions')
    .select(['name', 'revision'])
    .where('name', '>', prefix + afterProjectId)
    // The first name that sorts after all of them.
    .where('name', '<', `${prefix.slice(0, -1)};`)
    .orderBy('name')
    .limit(limit)
    .execute()
  return rows.map(({ name, revision }) => ({ projectId: name.slice(prefix.length), revision }))
}

async function projectKeySets(sql: Database, projects: readonly { projectId: string; revision: number }[]) {
  if (projects.length === 0) return []
  const rows = await sql
    .selectFrom('identity_providers')
    .select(['project_id', 'jwks_url', 'key_set'])
    .where(
      'project_id',
      'in',
      projects.map(project => project.projectId),
    )
    .execute()
  const rowOf = new Map(rows.map(row => [row.project_id, row]))
  return projects.map(project => {
    const row = rowOf.get(project.projectId)
    const body = row?.key_set ? JSON.stringify({ jwks_url: row.jwks_url, ...JSON.parse(row.key_set) }) : ''
    return { ...project, body }
  })
}

/** The restricted end users of one project, as the document that `parseRestrictions` reads. */
export interface ProjectedRestrictions {
  projectId: string
  revision: number
  body: string
}

const restrictionRevisions = 'restrictions:'

/** Raised with every change of the project's restricted end users. */
export function restrictionRevision(projectId: string): string {
  return restrictionRevisions + projectId
}

/**
 * Reads the revision before the rows: a change in between is first written under the older revision, then under
 * its own.
 */
export async function getProjectedRestrictions(sql: Database, projectId: string): Promise<ProjectedRestrictions> {
  const revision = await readRevision(sql, restrictionRevision(projectId))
  return await projectRestrictions(sql, { projectId, revision })
}

/** Includes projects that have no restriction any more: that must be projected too. */
export async function listProjectedRestrictions(
  sql: Database,
  afterProjectId: string,
  limit: number,
): Promise<ProjectedRestrictions[]> {
  const projects = await listRevisions(sql, restrictionRevisions, afterProjectId, limit)
  const projected: ProjectedRestrictions[] = []
  for (const project of projects) projected.push(await projectRestrictions(sql, project))
  return projected
}

async function projectRestrictions(sql: Database, { projectId, revision }: { projectId: string; revision: number }) {
  if (revision === 0) return { projectId, revision, body: writeRestrictions({ blocked: [], revoked: [] }) }
  const rows = await sql
    .selectFrom('end_user_restrictions')
    .select(['user_id', 'blocked_at', 'tokens_revoked_before'])
    .where('project_id', '=', projectId)
    .orderBy('user_id')
    .execute()
  const blocked = rows.filter(row => row.blocked_at !== null).map(row => row.user_id)
  const revoked = rows.flatMap(
    ({ user_id, tokens_revoked_before: before }): Array<[string, number]> =>
      before === null ? [] : [[user_id, before]],
  )
  return { projectId, revision, body: writeRestrictions({ blocked, revoked }) }
}
