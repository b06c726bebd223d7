// What a file of a project says beside its draft: it applies at once, and no deployment holds it.

import type { Kysely, Transaction } from 'kysely'
import type { Permission } from '../../domain/access/permissions.ts'
import type { SettingChange } from '../../domain/settings/snapshot.ts'
import type { WebhookType } from '../../domain/webhooks/tenant-events.ts'
import { type EndUserBudgets, listEndUserBudgets, writeEndUserBudgets } from '../../storage/budgets/budget-rows.ts'
import type { Schema } from '../../storage/schema.ts'
import {
  deleteWebhooks,
  insertWebhook,
  listProjectWebhooks,
  openWebhookSecret,
  readTypes,
  replaceWebhookSecret,
  setWebhookTypes,
  type WebhookRow,
} from '../../storage/webhooks/webhook-rows.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { lockTenant } from '../lock-tenant.ts'
import type { CheckedFacts, GivenWebhook } from './check-facts.ts'
import { refuse } from './document-places.ts'

interface Webhook {
  url: string
  types: WebhookType[] | null
  /** Null for one that is to come. */
  row: WebhookRow | null
  /** Null leaves that of the row. */
  newSecret: string | null
}

export interface ProjectFacts {
  name: string
  managed_by: 'file' | null
  /** By their ids. */
  endUserBudgets: EndUserBudgets[]
  /** By their addresses. */
  webhooks: Webhook[]
}

export async function readFacts(sql: Pick<Kysely<Schema>, 'selectFrom'>, projectId: string): Promise<ProjectFacts> {
  const project = await sql
    .selectFrom('projects')
    .select(['name', 'managed_by'])
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow()
  const rows = await listProjectWebhooks(sql, projectId)
  return {
    ...project,
    endUserBudgets: await listEndUserBudgets(sql, projectId),
    webhooks: rows.map(row => ({ url: row.url, types: readTypes(row.types), row, newSecret: null })),
  }
}

/** As a file and the API show them. */
export function showFacts({ name, managed_by, endUserBudgets, webhooks }: ProjectFacts) {
  return {
    name,
    managed_by,
    end_user_budgets: endUserBudgets.map(({ userId, budgets }) => ({ uid: userId, budgets })),
    webhooks: webhooks.map(({ url, types }) => ({ url, types })),
  }
}

export function mergeFacts(
  { secretBox }: Pick<ManagementDependencies, 'secretBox'>,
  facts: ProjectFacts,
  given: CheckedFacts,
  prune: boolean,
): ProjectFacts {
  const { name, managedBy, endUserBudgets, webhooks } = given
  const merge = (webhook: GivenWebhook, old: Webhook | undefined): Webhook => {
    const row = old?.row ?? null
    const isSame = row !== null && webhook.secret !== null && openWebhookSecret(secretBox, row) === webhook.secret
    return { url: webhook.url, types: webhook.types, row, newSecret: isSame ? null : webhook.secret }
  }
  const users = mergeBy(
    ({ userId }) => userId,
    endUserBudgets,
    facts.endUserBudgets,
    prune,
    user => user,
  )
  return {
    name: name ?? facts.name,
    managed_by: managedBy === undefined ? facts.managed_by : managedBy,
    endUserBudgets: users.filter(({ budgets }) => budgets.length > 0),
    webhooks: mergeBy<GivenWebhook, Webhook>(({ url }) => url, webhooks, facts.webhooks, prune, merge),
  }
}

/** In the order of their keys. Null leaves all as they are. */
function mergeBy<Given, Kept>(
  keyOf: (one: Given | Kept) => string,
  given: readonly Given[] | null,
  kept: readonly Kept[],
  prune: boolean,
  make: (one: Given, old: Kept | undefined) => Kept,
): Kept[] {
  if (given === null) return kept.slice()
  const old = new Map(kept.map(one => [keyOf(one), one]))
  const merged = new Map(prune ? [] : old)
  for (const one of given) merged.set(keyOf(one), make(one, old.get(keyOf(one))))
  return [...merged.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

/** In the order of a file. */
export function factChanges(before: ProjectFacts, after: ProjectFacts): SettingChange[] {
  const fields = ['name', 'managed_by'] as const
  const webhooks = (facts: ProjectFacts) => new Map(facts.webhooks.map(webhook => [webhook.url, showChanged(webhook)]))
  const budgets = (facts: ProjectFacts) =>
    new Map(facts.endUserBudgets.map(({ userId, budgets }) => [userId, budgets] as const))
  return [
    ...fields.flatMap(field => changeOf(field, before[field], after[field])),
    ...mapChanges('webhooks', webhooks(before), webhooks(after)),
    ...mapChanges('end_user_budgets', budgets(before), budgets(after)),
  ]
}

/** Nothing of a secret but that it is another one. */
function showChanged({ types, row, newSecret }: Webhook) {
  return { types, ...(row !== null && newSecret !== null && { secret: 'replaced' }) }
}

function mapChanges(
  list: string,
  before: ReadonlyMap<string, unknown>,
  after: ReadonlyMap<string, unknown>,
): SettingChange[] {
  const keys = [...new Set([...before.keys(), ...after.keys()])]
  return keys.flatMap(key => changeOf(`${list}.${key}`, before.get(key) ?? null, after.get(key) ?? null))
}

function changeOf(field: string, from: unknown, to: unknown): SettingChange[] {
  return JSON.stringify(from) === JSON.stringify(to) ? [] : [{ field, from, to }]
}

/** What a change needs besides the permission to write settings. */
export function permissionsFor({ field }: Pick<SettingChange, 'field'>): Permission[] {
  if (field === 'name') return ['project:write']
  if (field.startsWith('webhooks.')) return ['webhooks:write']
  if (field.startsWith('end_user_budgets.')) return ['billing:write']
  return field.startsWith('prompts.') ? ['prompts:write'] : []
}

/** A comparison needs no secrets; a new webhook does. */
export function requireSecrets(before: ProjectFacts, { webhooks }: CheckedFacts): void {
  const known = before.webhooks.map(({ url }) => url)
  const missing = webhooks?.findIndex(({ url, secret }) => secret === null && !known.includes(url)) ?? -1
  if (missing >= 0) refuse(`webhooks[${missing}].secret is required: the project has no such webhook yet`)
}

interface Place {
  tenantId: string
  projectId: string
}

export async function writeFacts(
  trx: Transaction<Schema>,
  management: ManagementDependencies,
  { tenantId, projectId }: Place,
  { before, after }: { before: ProjectFacts; after: ProjectFacts },
): Promise<void> {
  const { name, managed_by } = after
  await trx.updateTable('projects').set({ name, managed_by }).where('id', '=', projectId).execute()
  const changed = factChanges(before, after).map(({ field }) => field)
  const users = new Map(after.endUserBudgets.map(user => [user.userId, user]))
  const changedUsers = changed
    .filter(field => field.startsWith('end_user_budgets.'))
    .map(field => field.slice('end_user_budgets.'.length))
    .map(userId => users.get(userId) ?? { userId, budgets: [] })
  await writeEndUserBudgets(trx, projectId, changedUsers, management.now())
  if (changed.some(field => field.startsWith('webhooks.'))) {
    await lockTenant(trx, tenantId)
    await writeWebhooks(trx, management, { tenantId, projectId }, { before, after })
  }
}

async function writeWebhooks(
  trx: Transaction<Schema>,
  management: ManagementDependencies,
  { tenantId, projectId }: Place,
  { before, after }: { before: ProjectFacts; after: ProjectFacts },
): Promise<void> {
  const kept = after.webhooks.map(({ url }) => url)
  const removed = before.webhooks.filter(({ url }) => !kept.includes(url))
  await deleteWebhooks(
    trx,
    tenantId,
    removed.flatMap(({ row }) => row?.id ?? []),
  )
  for (const { url, types, row, newSecret: secret } of after.webhooks) {
    if (row === null) {
      if (secret === null) throw new Error('a webhook without a secret was not refused')
      await insertWebhook(trx, management, { id: management.randomId(), tenantId, projectId, url, types, secret })
      continue
    }
    if (JSON.stringify(types) !== JSON.stringify(readTypes(row.types))) await setWebhookTypes(trx, row.id, types)
    if (secret !== null) await replaceWebhookSecret(trx, management, { tenantId, webhookId: row.id, secret })
  }
}
