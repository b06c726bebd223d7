// The secrets by which a project's attestations are checked: stored encrypted, never read back, in force at once. Must
// never let a secret reach a log, an error or a response.

import type { Transaction } from 'kysely'
import { z } from 'zod'
import { attestationSecretContext } from '../../crypto/secrets/attestation-secret.ts'
import { Refusal } from '../../domain/errors.ts'
import { type AttestationKind, attestationKinds } from '../../domain/settings/anonymous-rules.ts'
import type { ProjectRef } from '../../kv/store.ts'
import { noteAct } from '../../storage/audit/act.ts'
import type { Schema } from '../../storage/schema.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { rowOf } from '../plane/acts/audit-facts.ts'
import { isoTime } from '../plane/iso-time.ts'
import { type Route, route } from '../plane/route.ts'
import type { Attestations } from './attestations.ts'

const path = '/auth/v1/projects/:projectId/attestation'
const common = { credential: 'session', owner: 'project' } as const
const readSecret = rowOf('attestation_secrets', { project_id: 'project', kind: 'target' })

const kindError = `kind must be one of: ${attestationKinds.join(', ')}`
const bodySchema = z.object({
  kind: z.enum(attestationKinds, { error: kindError }),
  secret: z
    .string({ error: issue => (issue.input === undefined ? 'secret is required' : 'secret must be a string') })
    .meta({ description: 'The secret key of the service; for `app_check`, the number of the Firebase project' }),
})
const storedSchema = z.object({ kind: z.enum(attestationKinds), set_at: z.string() })

export function attestationSecretRoutes(management: ManagementDependencies, attestations: Attestations): Route[] {
  const { sql } = management
  return [
    route({
      ...common,
      method: 'GET',
      path,
      operation: 'listAttestationSecrets',
      permission: 'project:read',
      summary: 'List for which attestations a project has a secret; the secrets cannot be read',
      answers: { 200: z.object({ secrets: z.array(storedSchema) }) },
      async handle({ owned }) {
        const rows = await sql
          .selectFrom('attestation_secrets')
          .select(['kind', 'set_at'])
          .where('project_id', '=', owned.project.id)
          .orderBy('kind')
          .execute()
        return { status: 200, body: { secrets: rows.map(({ kind, set_at }) => ({ kind, set_at: isoTime(set_at) })) } }
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path,
      operation: 'setAttestationSecret',
      audit: { action: 'attestation_secret.put', read: readSecret },
      permission: 'keys:write',
      summary: 'Store the secret by which an attestation of anonymous users is checked',
      body: bodySchema,
      answers: { 200: storedSchema },
      async handle({ owned, body: { kind, secret: given } }) {
        noteAct({ target: { id: kind } })
        const secret = checkSecret(attestations, kind, given)
        const project = { tenantId: owned.tenant.id, projectId: owned.project.id }
        const setAt = await storeSecret(management, project, kind, secret)
        return { status: 200, body: { kind, set_at: isoTime(setAt) } }
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: `${path}/:kind`,
      operation: 'deleteAttestationSecret',
      audit: { action: 'attestation_secret.delete', target: 'kind', read: readSecret },
      permission: 'keys:write',
      summary: 'Delete the secret of an attestation, which fails from then on',
      answers: { 204: null },
      refusals: ['no_attestation_secret'],
      async handle({ owned, params }) {
        await transact(sql, trx => deleteSecret(trx, owned.project.id, params['kind'] ?? ''))
        return { status: 204 }
      },
    }),
  ]
}

function checkSecret(attestations: Attestations, kind: AttestationKind, given: string): string {
  const secret = given.trim()
  const { secret: rule } = attestations[kind]
  if (rule === null) throw new Refusal('validation_failed', { message: `${kind} has no secret` })
  if (!rule.form.test(secret)) {
    throw new Refusal('validation_failed', { message: `secret of ${kind} must be ${rule.words}` })
  }
  return secret
}

async function storeSecret(
  { sql, secretBox, randomId, now }: ManagementDependencies,
  { tenantId, projectId }: ProjectRef,
  kind: AttestationKind,
  secret: string,
): Promise<number> {
  const id = randomId()
  const ciphertext = secretBox.seal(secret, attestationSecretContext({ tenantId, projectId, rowId: id, kind }))
  const row = { id, ciphertext, set_at: now() }
  await transact(sql, async trx => {
    await trx
      .insertInto('attestation_secrets')
      .values({ project_id: projectId, kind, ...row })
      .onConflict(conflict => conflict.columns(['project_id', 'kind']).doUpdateSet(row))
      .execute()
  })
  return row.set_at
}

async function deleteSecret(trx: Transaction<Schema>, projectId: string, kind: string): Promise<void> {
  const deleted = await trx
    .deleteFrom('attestation_secrets')
    .where('project_id', '=', projectId)
    .where('kind', '=', kind)
    .returning('id')
    .executeTakeFirst()
  if (deleted === undefined) throw new Refusal('no_attestation_secret')
}

/** Null if the project has none. */
export async function findAttestationSecret(
  { sql, secretBox }: ManagementDependencies,
  { tenantId, projectId }: ProjectRef,
  kind: AttestationKind,
): Promise<string | null> {
  const row = await sql
    .selectFrom('attestation_secrets')
    .select(['id', 'ciphertext'])
    .where('project_id', '=', projectId)
    .where('kind', '=', kind)
    .executeTakeFirst()
  if (row === undefined) return null
  return secretBox.open(row.ciphertext, attestationSecretContext({ tenantId, projectId, rowId: row.id, kind }))
}
