// Accepts, lists and withdraws invitations. Each is single-use and valid for seven days; only a digest of its token is
// stored. If the invited email already has an account, accepting also requires that account's session or password.

import type { Transaction } from 'kysely'
import { z } from 'zod'
import { tokenDigest } from '../../crypto/secrets/credentials.ts'
import { Refusal } from '../../domain/errors.ts'
import { noteAct } from '../../storage/audit/act.ts'
import type { Schema } from '../../storage/schema.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { rowOf } from '../plane/acts/audit-facts.ts'
import type { Caller } from '../plane/caller.ts'
import { checkPassword } from '../plane/fields.ts'
import { isoTime } from '../plane/iso-time.ts'
import { type Route, route } from '../plane/route.ts'
import { addMembership } from './memberships.ts'
import type { ProvePassword } from './prove-password.ts'
import {
  askSecondFactor,
  byPassword,
  getUser,
  type SignIn,
  sessionQuery,
  sessionSchema,
  startSession,
} from './start-session.ts'

const invitationSchema = z.object({
  id: z.string(),
  email: z.string(),
  role: z.string(),
  created_at: z.string(),
  expires_at: z.string(),
})

export function invitationRoutes(management: ManagementDependencies, provePassword: ProvePassword): Route[] {
  return [
    route({
      method: 'POST',
      path: '/auth/v1/invitations/accept',
      operation: 'acceptInvitation',
      audit: { action: 'invitation.accept', read: rowOf('invitations', { id: 'target' }) },
      summary: 'Accept an invitation: by the session of its email, its account’s password, or a new password',
      credential: 'optional-session',
      owner: 'none',
      body: z.object({ token: z.string({ error: 'token is required' }), password: checkPassword.optional() }),
      query: sessionQuery,
      answers: { 200: sessionSchema },
      refusals: [
        'invitation_not_found',
        'invitation_sign_in',
        'second_factor_required',
        'validation_failed',
        'too_many_attempts',
        'busy',
      ],
      async handle(input) {
        const { body, caller, clientAddress } = input
        const { session } = caller
        // The same for an email with and without an account, which the response must not reveal.
        if (body.password === undefined && session === null) {
          throw new Refusal('validation_failed', { message: 'password is required' })
        }
        const invitation = await getInvitation(management, tokenDigest(body.token))
        if (body.password === undefined) return await acceptBySession(management, invitation, caller)
        const acceptance = { password: body.password, clientAddress }
        const signIn = await acceptByPassword(management, provePassword, invitation, acceptance)
        return await startSession(management, signIn, input)
      },
    }),
    ...openInvitationRoutes(management),
  ]
}

/**
 * The routes of invitations that nobody accepted; one that has expired is listed until it is withdrawn, for 30 days at
 * most. Their links are returned only when they are created.
 */
function openInvitationRoutes({ sql }: ManagementDependencies): Route[] {
  const common = { credential: 'session', owner: 'tenant' } as const
  const path = '/auth/v1/tenants/:tenantId/invitations'
  return [
    route({
      ...common,
      method: 'GET',
      path,
      operation: 'listInvitations',
      permission: 'members:write',
      summary: 'List the invitations of a tenant that nobody accepted, also expired ones, without their links',
      answers: { 200: z.array(invitationSchema) },
      async handle({ owned }) {
        const rows = await sql
          .selectFrom('invitations')
          .select(['id', 'email', 'role', 'created_at', 'expires_at'])
          .where('tenant_id', '=', owned.tenant.id)
          .where('used_at', 'is', null)
          .orderBy('created_at')
          .orderBy('id')
          .execute()
        const body = rows.map(row => ({
          ...row,
          created_at: isoTime(row.created_at),
          expires_at: isoTime(row.expires_at),
        }))
        return { status: 200, body }
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: `${path}/:invitationId`,
      operation: 'withdrawInvitation',
      audit: {
        action: 'invitation.withdraw',
        target: 'invitationId',
        read: rowOf('invitations', { tenant_id: 'tenant', id: 'target' }),
      },
      permission: 'members:write',
      summary: 'Withdraw an invitation; its link stops working at once',
      answers: { 204: null },
      refusals: ['invitation_not_found'],
      async handle({ owned, params }) {
        const withdrawn = await transact(sql, trx =>
          openInvitations(trx, owned.tenant.id)
            .where('id', '=', params['invitationId'] ?? '')
            .returning('id')
            .executeTakeFirst(),
        )
        if (withdrawn === undefined) throw new Refusal('invitation_not_found')
        return { status: 204 }
      },
    }),
  ]
}

interface OpenInvitation {
  digest: string
  email: string
}

/** Comes before any password: an unknown token must not cost a password hash. */
async function getInvitation({ sql, now }: ManagementDependencies, digest: string): Promise<OpenInvitation> {
  const invitation = await sql
    .selectFrom('invitations')
    .select(['id', 'tenant_id', 'email'])
    .where('token_digest', '=', digest)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now())
    .executeTakeFirst()
  if (invitation === undefined) throw new Refusal('invitation_not_found')
  const { id, tenant_id: tenantId, email } = invitation
  noteAct({ tenantId, target: { id, name: email }, authenticatedBy: 'invitation' })
  return { digest, email }
}

/** The caller is signed in already: the response has the user, and no new session. */
async function acceptBySession(management: ManagementDependencies, invitation: OpenInvitation, caller: Caller) {
  const { sql, now } = management
  if (caller.email !== invitation.email) throw new Refusal('invitation_sign_in')
  await transact(sql, trx => join(trx, management, invitation.digest, async () => caller.userId))
  const expires_in = Math.floor(((caller.session?.expiresAt ?? 0) - now()) / 1000)
  return { status: 200, body: { expires_in, user: await getUser(management, caller.userId) } }
}

async function acceptByPassword(
  management: ManagementDependencies,
  provePassword: ProvePassword,
  { digest, email }: OpenInvitation,
  { password, clientAddress }: { password: string; clientAddress: string },
): Promise<SignIn> {
  const { sql, passwords } = management
  const known = await sql.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst()
  // The link alone must not set the password of an account that exists.
  if (known !== undefined) {
    const proof = await provePassword(email, password, clientAddress)
    if (proof === null) throw new Refusal('invitation_sign_in')
    // Nobody becomes a member by a password alone: the session that follows accepts.
    if (proof.hasSecondFactor) throw await askSecondFactor(management, proof)
    await transact(sql, trx => join(trx, management, digest, async () => proof.userId))
    return byPassword(proof, 'password')
  }
  const passwordHash = await passwords.hash(password)
  const userId = await transact(sql, trx =>
    join(trx, management, digest, invited => createUser(trx, management, invited, passwordHash)),
  )
  return byPassword({ userId, passwordHash }, 'invitation')
}

interface Invited {
  tenantId: string
  email: string
}

async function join(
  trx: Transaction<Schema>,
  { now }: ManagementDependencies,
  digest: string,
  getUserId: (invited: Invited) => Promise<string>,
): Promise<string> {
  const time = now()
  const used = await trx
    .updateTable('invitations')
    .set({ used_at: time })
    .where('token_digest', '=', digest)
    .where('used_at', 'is', null)
    .where('expires_at', '>', time)
    .returning(['tenant_id', 'email', 'role'])
    .executeTakeFirst()
  if (used === undefined) throw new Refusal('invitation_not_found')
  const userId = await getUserId({ tenantId: used.tenant_id, email: used.email })
  noteAct({ actor: { kind: 'user', id: userId, name: used.email } })
  await addMembership(trx, { tenantId: used.tenant_id, userId, role: used.role, at: time })
  return userId
}

async function createUser(
  trx: Transaction<Schema>,
  { now, randomId }: ManagementDependencies,
  { tenantId, email }: Invited,
  passwordHash: string,
): Promise<string> {
  const created = await trx
    .insertInto('users')
    .values({ id: randomId(), email, password_hash: passwordHash, home_tenant_id: tenantId, created_at: now() })
    .onConflict(conflict => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  // Another link has just created the account; the client may retry with that account's password.
  if (created === undefined) throw new Refusal('invitation_sign_in')
  return created.id
}

/** Builds a delete of all open invitations of a tenant, which the caller may narrow. */
export function openInvitations(trx: Pick<Transaction<Schema>, 'deleteFrom'>, tenantId: string) {
  return trx.deleteFrom('invitations').where('tenant_id', '=', tenantId).where('used_at', 'is', null)
}
