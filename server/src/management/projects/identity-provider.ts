// The external identity provider of a project, whose tokens end users may use instead of minted ones. It is part of the
// live configuration and needs no deploy; the worker fetches its key set in each cycle.

import type { Selectable, Transaction } from 'kysely'
import { z } from 'zod'
import { Refusal } from '../../domain/errors.ts'
import { hasControlCharacters, isStorable } from '../../domain/stored-text.ts'
import { getProjectedKeySet, keySetRevision, raiseRevision } from '../../storage/projections.ts'
import type { Schema } from '../../storage/schema.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { rowOf } from '../plane/acts/audit-facts.ts'
import { getAllowedAddress } from '../plane/allowed-address.ts'
import { isoTime } from '../plane/iso-time.ts'
import { type Route, route } from '../plane/route.ts'
import { getLive, tryPushLive, writeLive } from '../settings/live-configs.ts'
import { lockSettings } from '../settings/settings-row.ts'

const path = '/auth/v1/projects/:projectId/identity-provider'
const common = { credential: 'session', owner: 'project', path } as const

const maxCharacters = 2048

const someText = (field: string) =>
  z
    .string({ error: issue => (issue.input === undefined ? `${field} is required` : `${field} must be a string`) })
    .trim()
    .min(1, { error: `${field} is required` })
const text = (field: string, maxLength: number) =>
  someText(field)
    .max(maxLength, { error: `${field} must be at most ${maxLength} characters` })
    .refine(value => isStorable(value) && !hasControlCharacters(value), {
      error: `${field} must not contain control characters`,
    })
const claim = (field: string) =>
  text(field, 100).regex(/^[A-Za-z0-9_.:/-]+$/, { error: `${field} must be the name of a claim` })

const bodySchema = z.object({
  issuer: text('issuer', maxCharacters),
  // `checkAddress` rejects an invalid address with the same error, regardless of what is wrong with it.
  jwks_url: someText('jwks_url'),
  audience: text('audience', maxCharacters),
  user_id_claim: claim('user_id_claim').default('sub'),
  tier_claim: claim('tier_claim').nullish(),
})
const recordSchema = z.object({
  project_id: z.string(),
  issuer: z.string(),
  jwks_url: z.string(),
  audience: z.string(),
  user_id_claim: z.string(),
  tier_claim: z.string().nullable(),
  last_synced_at: z.string().nullable(),
  last_error: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
})

export function identityProviderRoutes(management: ManagementDependencies): Route[] {
  const { sql } = management
  return [
    route({
      ...common,
      method: 'GET',
      operation: 'getIdentityProvider',
      permission: 'project:read',
      summary: 'Get the external identity provider of a project',
      answers: { 200: recordSchema },
      refusals: ['no_identity_provider'],
      async handle({ owned }) {
        const row = await sql
          .selectFrom('identity_providers')
          .selectAll()
          .where('project_id', '=', owned.project.id)
          .executeTakeFirst()
        if (row === undefined) throw new Refusal('no_identity_provider')
        return { status: 200, body: show(row) }
      },
    }),
    route({
      ...common,
      method: 'PUT',
      operation: 'setIdentityProvider',
      audit: { action: 'identity_provider.put', read: rowOf('identity_providers', { project_id: 'project' }) },
      permission: 'keys:write',
      summary: 'Set the external identity provider whose tokens the project accepts',
      body: bodySchema,
      answers: { 200: recordSchema },
      refusals: ['invalid_base_url'],
      async handle({ owned, body }) {
        await checkAddress(management, body.jwks_url)
        const row = await transact(sql, trx => storeProvider(trx, management, owned.project.id, body))
        await push(management, owned.project.id)
        return { status: 200, body: show(row) }
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      operation: 'deleteIdentityProvider',
      audit: { action: 'identity_provider.delete', read: rowOf('identity_providers', { project_id: 'project' }) },
      permission: 'keys:write',
      summary: 'Remove the external identity provider; only minted tokens are accepted',
      answers: { 204: null },
      refusals: ['no_identity_provider'],
      async handle({ owned }) {
        await transact(sql, trx => removeProvider(trx, owned.project.id, management.now()))
        await push(management, owned.project.id)
        return { status: 204 }
      },
    }),
  ]
}

async function checkAddress({ outbound }: ManagementDependencies, address: string): Promise<void> {
  const isPlain = address.length <= maxCharacters && isStorable(address) && !hasControlCharacters(address)
  if (!isPlain) throw new Refusal('invalid_base_url')
  await getAllowedAddress(outbound, address)
}

type Row = Selectable<Schema['identity_providers']>

/** Pushes the key set first: the new config must not be used with keys that were fetched for the old one. */
async function push(management: ManagementDependencies, projectId: string): Promise<void> {
  const { sql, kv, pushToStore } = management
  const push = async () => kv.putKeySet(projectId, await getProjectedKeySet(sql, projectId))
  await pushToStore(`key set ${projectId}`, push, { project_id: projectId })
  await tryPushLive(management, projectId)
}

/** Keeps the fetched keys only if the address is unchanged: tokens of an old address's keys are not trusted. */
async function storeProvider(
  trx: Transaction<Schema>,
  { now }: ManagementDependencies,
  projectId: string,
  body: z.output<typeof bodySchema>,
): Promise<Row> {
  await lockSettings(trx, projectId)
  const updatedAt = now()
  const provider = { ...body, tier_claim: body.tier_claim ?? null }
  // Raised first, because the job that stores fetched keys locks the same row.
  const revision = await raiseRevision(trx, keySetRevision(projectId))
  const fetched = await trx
    .selectFrom('identity_providers')
    .select(['key_set', 'last_synced_at', 'last_error'])
    .where('project_id', '=', projectId)
    .where('jwks_url', '=', body.jwks_url)
    .executeTakeFirst()
  const row = {
    ...provider,
    ...(fetched ?? { key_set: null, last_synced_at: null, last_error: null }),
    revision,
    updated_at: updatedAt,
  }
  const stored = await trx
    .insertInto('identity_providers')
    .values({ project_id: projectId, ...row, created_at: updatedAt })
    .onConflict(conflict => conflict.column('project_id').doUpdateSet(row))
    .returningAll()
    .executeTakeFirstOrThrow()
  await writeLive(trx, { ...(await getLive(trx, projectId)), identity_provider: provider }, updatedAt)
  return stored
}

async function removeProvider(trx: Transaction<Schema>, projectId: string, now: number): Promise<void> {
  await lockSettings(trx, projectId)
  await raiseRevision(trx, keySetRevision(projectId))
  const removed = await trx
    .deleteFrom('identity_providers')
    .where('project_id', '=', projectId)
    .returning('project_id')
    .executeTakeFirst()
  if (removed === undefined) throw new Refusal('no_identity_provider')
  await writeLive(trx, { ...(await getLive(trx, projectId)), identity_provider: null }, now)
}

function show(row: Row) {
  return {
    ...row,
    last_synced_at: isoTime(row.last_synced_at),
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  }
}
