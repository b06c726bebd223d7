// API keys of a project: list, create, rotate, revoke. The plaintext is returned once; only a digest and a slow hash
// are stored. Rotation issues the new key in the transaction that revokes the old one.

import { randomBytes } from 'node:crypto'
import type { Transaction } from 'kysely'
import { z } from 'zod'
import { apiKeyDigest, apiKeyHint, apiKeyPrefix, newApiKey } from '../../crypto/secrets/credentials.ts'
import { accept, refuse } from '../../domain/checked.ts'
import { Refusal } from '../../domain/errors.ts'
import { noteAct } from '../../storage/audit/act.ts'
import type { Schema } from '../../storage/schema.ts'
import { transact } from '../../storage/transact.ts'
import { recordTenantEvent } from '../../storage/webhooks/tenant-events.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { rowOf } from '../plane/acts/audit-facts.ts'
import type { Owned } from '../plane/caller.ts'
import { checkedOptional, checkKeyName, overlapField } from '../plane/fields.ts'
import { isoTime, readIsoTime } from '../plane/iso-time.ts'
import { type Route, route } from '../plane/route.ts'

const onceMessage = 'Store this key now: it is shown only once.'
const revokedMessage = 'API key revoked'
const roleSchema = z.enum(['user', 'dashboard-service', 'admin'], {
  error: 'role is not a permitted role. Allowed: user, dashboard-service, admin',
})
const listedSchema = z.object({
  id: z.string(),
  name: z.string().nullable(),
  role: z.string(),
  prefix: z.string().meta({ description: 'Begin of the digest, not of the key' }),
  hint: z
    .string()
    .nullable()
    .meta({ description: 'The last four characters of the key; null in keys of old versions' }),
  createdAt: z.string(),
  created_by: z.string().nullable().meta({ description: 'The email of who created or rotated it' }),
  last_used_at: z.string().nullable().meta({ description: 'To the minute; null if it was never used' }),
  expires_at: z.string().nullable(),
  replaced_by: z
    .string()
    .nullable()
    .meta({ description: 'The id of the key that a rotation made in its place: this one works until `expires_at`' }),
})
const expiryWords = 'expires_at must be an ISO 8601 time in the future'
const expirySchema = checkedOptional<number | null>(
  { type: ['string', 'null'], format: 'date-time', description: 'The key mints nothing from then on; null: never' },
  value => {
    if (value === undefined || value === null) return accept(null)
    const time = readIsoTime(value)
    return time === null ? refuse(expiryWords) : accept(time.millis)
  },
)
const rotatedSchema = z.object({ id: z.string(), api_key: z.string(), message: z.string() })
const createdSchema = rotatedSchema.extend({ project_id: z.string() })
const messageSchema = z.object({ message: z.string() })

export function apiKeyRoutes(management: ManagementDependencies): Route[] {
  return [...listAndCreate(management), ...rotateAndRevoke(management)]
}

function listAndCreate(management: ManagementDependencies): Route[] {
  const { sql } = management
  return [
    route({
      method: 'GET',
      path: '/auth/v1/projects/:projectId/api-keys',
      operation: 'listApiKeys',
      summary: 'List the active API keys of a project',
      credential: 'session',
      owner: 'project',
      permission: 'project:read',
      answers: { 200: z.array(listedSchema) },
      async handle({ owned }) {
        return { status: 200, body: await listKeys(sql, owned.project.id) }
      },
    }),
    route({
      method: 'POST',
      path: '/auth/v1/projects/:projectId/api-keys',
      operation: 'createApiKey',
      audit: { action: 'api_key.create', read: rowOf('api_keys', { id: 'target' }) },
      summary: 'Create an API key; only this response contains its plaintext',
      credential: 'session',
      owner: 'project',
      permission: 'keys:write',
      body: z.object({ name: checkKeyName, role: roleSchema.default('user'), expires_at: expirySchema }),
      answers: { 201: createdSchema },
      refusals: ['project_suspended', 'busy'],
      idempotency: 'secret',
      async handle({ owned, body, caller }) {
        if (owned.project.status === 'suspended') throw new Refusal('project_suspended')
        const { name, role, expires_at } = body
        if (expires_at !== null && expires_at <= management.now()) {
          throw new Refusal('validation_failed', { message: expiryWords })
        }
        const created = await newKey(management)
        await transact(sql, async trx => {
          await checkStillActive(trx, owned.project.id)
          const of = { project_id: owned.project.id, name, role, expires_at, created_by: caller.email }
          noteAct({ target: { id: created.id } })
          await insertKey(trx, created, of)
          const data = { api_key_id: created.id, role: body.role }
          await recordTenantEvent(trx, placeOf(owned.project, created.created_at), { type: 'api_key_created', data })
        })
        return {
          status: 201,
          body: { id: created.id, project_id: owned.project.id, api_key: created.plaintext, message: onceMessage },
        }
      },
    }),
  ]
}

async function listKeys(sql: ManagementDependencies['sql'], projectId: string) {
  const keys = await sql
    .selectFrom('api_keys')
    .select(['id', 'name', 'role', 'digest', 'hint'])
    .select(['created_at', 'created_by', 'last_used_at', 'expires_at', 'replaced_by'])
    .where('project_id', '=', projectId)
    .where('revoked_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return keys.map(key => ({
    id: key.id,
    name: key.name,
    role: key.role,
    prefix: apiKeyPrefix(key.digest),
    hint: key.hint,
    createdAt: isoTime(key.created_at),
    created_by: key.created_by,
    last_used_at: isoTime(key.last_used_at),
    expires_at: isoTime(key.expires_at),
    replaced_by: key.replaced_by,
  }))
}

function rotateAndRevoke(management: ManagementDependencies): Route[] {
  const paths = ['/auth/v1/projects/:projectId/api-keys/:keyId', '/auth/v1/api-keys/:keyId']
  const rotations = paths.map((path, index) =>
    route({
      method: 'POST',
      path: `${path}/rotate`,
      operation: index === 0 ? 'rotateApiKey' : 'rotateApiKeyById',
      audit: {
        action: 'api_key.rotate',
        target: 'keyId',
        read: rowOf('api_keys', { project_id: 'project', id: 'target' }),
      },
      summary:
        'Rotate an API key; the old one works for as long as the overlap, and the new one lives as long as it should have',
      credential: 'session',
      owner: index === 0 ? 'project' : 'api-key',
      permission: 'keys:write',
      body: z.object({ overlap_seconds: overlapField.default(0) }),
      answers: { 200: rotatedSchema },
      refusals: ['api_key_not_found', 'project_suspended', 'busy'],
      async handle({ owned, params, caller, body }) {
        const old = { keyId: params['keyId'] ?? '', overlapMs: body.overlap_seconds * 1000 }
        const created = await rotate(management, owned.project, old, caller.email)
        return { status: 200, body: { id: created.id, api_key: created.plaintext, message: onceMessage } }
      },
    }),
  )
  const revocations = (['POST', 'DELETE'] as const).map((method, index) =>
    route({
      method,
      path: method === 'POST' ? `${paths[index]}/revoke` : (paths[index] ?? ''),
      operation: index === 0 ? 'revokeApiKey' : 'revokeApiKeyById',
      audit: {
        action: 'api_key.revoke',
        target: 'keyId',
        read: rowOf('api_keys', { project_id: 'project', id: 'target' }),
      },
      summary: 'Revoke an API key permanently',
      credential: 'session',
      owner: index === 0 ? 'project' : 'api-key',
      permission: 'keys:write',
      answers: { 200: messageSchema },
      refusals: ['api_key_not_found'],
      async handle({ owned, params }) {
        await revokeOne(management, owned.project, params['keyId'] ?? '')
        return { status: 200, body: { message: revokedMessage } }
      },
    }),
  )
  return [...rotations, ...revocations]
}

interface NewKey {
  id: string
  plaintext: string
  digest: string
  hash: string
  hint: string
  created_at: number
}

/** Computes the slow hash, so it must be called before a transaction begins. */
async function newKey({ passwords, randomId, now }: ManagementDependencies): Promise<NewKey> {
  const plaintext = newApiKey(randomBytes)
  const hash = await passwords.hash(plaintext)
  const [digest, hint] = [apiKeyDigest(plaintext), apiKeyHint(plaintext)]
  return { id: randomId(), plaintext, digest, hash, hint, created_at: now() }
}

async function insertKey(
  trx: Transaction<Schema>,
  { plaintext: _, ...stored }: NewKey,
  of: { project_id: string; name: string; role: string; expires_at: number | null; created_by: string },
): Promise<void> {
  await trx
    .insertInto('api_keys')
    .values({ ...stored, ...of, revoked_at: null, last_used_at: null, replaced_by: null })
    .execute()
}

async function rotate(
  management: ManagementDependencies,
  project: Owned['project'],
  { keyId, overlapMs }: { keyId: string; overlapMs: number },
  created_by: string,
): Promise<NewKey> {
  if (project.status === 'suspended') throw new Refusal('project_suspended')
  const created = await newKey(management)
  await transact(management.sql, async trx => {
    await checkStillActive(trx, project.id)
    const at = created.created_at
    const old = await (overlapMs === 0
      ? revoke(trx, project.id, keyId, at)
      : endLater(trx, project.id, { keyId, until: at + overlapMs, replaced_by: created.id }))
    const { name, role, expires_at: end, created_at: start } = old
    const expires_at = end === null ? null : created.created_at + (end - start)
    await insertKey(trx, created, { project_id: project.id, name, role, expires_at, created_by })
    const data = { api_key_id: created.id, replaced_api_key_id: keyId, role }
    await recordTenantEvent(trx, placeOf(project, created.created_at), { type: 'api_key_rotated', data })
  })
  return created
}

async function revokeOne({ sql, now }: ManagementDependencies, project: Owned['project'], keyId: string) {
  const revokedAt = now()
  await transact(sql, async trx => {
    const { role } = await revoke(trx, project.id, keyId, revokedAt)
    const data = { api_key_id: keyId, role }
    await recordTenantEvent(trx, placeOf(project, revokedAt), { type: 'api_key_revoked', data })
  })
}

const placeOf = (project: Owned['project'], at: number) => ({ tenantId: project.tenant_id, projectId: project.id, at })

async function revoke(trx: Transaction<Schema>, projectId: string, keyId: string, revokedAt: number) {
  const revoked = await trx
    .updateTable('api_keys')
    .set({ revoked_at: revokedAt })
    .where('id', '=', keyId)
    .where('project_id', '=', projectId)
    .where('revoked_at', 'is', null)
    .returning(['name', 'role', 'created_at', 'expires_at'])
    .executeTakeFirst()
  if (revoked === undefined) throw new Refusal('api_key_not_found')
  return revoked
}

/** Returns the key as it was. It ends earlier if it should have. */
async function endLater(
  trx: Transaction<Schema>,
  projectId: string,
  { keyId, until, replaced_by }: { keyId: string; until: number; replaced_by: string },
) {
  const old = await trx
    .selectFrom('api_keys')
    .select(['name', 'role', 'created_at', 'expires_at'])
    .where('id', '=', keyId)
    .where('project_id', '=', projectId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  if (old === undefined) throw new Refusal('api_key_not_found')
  const expires_at = Math.min(until, old.expires_at ?? until)
  await trx.updateTable('api_keys').set({ expires_at, replaced_by }).where('id', '=', keyId).execute()
  return old
}

/** Locks the project's row, as a suspension does: a concurrent suspension must not leave an active key behind. */
async function checkStillActive(trx: Transaction<Schema>, projectId: string): Promise<void> {
  const project = await trx
    .updateTable('projects')
    .set(row => ({ name: row.ref('name') }))
    .where('id', '=', projectId)
    .returning('status')
    .executeTakeFirstOrThrow()
  if (project.status === 'suspended') throw new Refusal('project_suspended')
}
