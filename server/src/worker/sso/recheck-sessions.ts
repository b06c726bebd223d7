// Asks the issuers each hour whether the people whose sessions they opened may still sign in, and ends those sessions
// whose refresh token they reject. An issuer that cannot be reached ends nothing: it is asked again some minutes later.

import { SealedSecretError, type SecretBox } from '../../crypto/secrets/secret-box.ts'
import { connectionOf, type InstallationIssuer, installationConnection } from '../../oidc/connection-of.ts'
import { createIssuerClient, type IssuerClient, recheckMs } from '../../oidc/issuer-client.ts'
import { IssuerFailure } from '../../oidc/issuer-failure.ts'
import { refreshTokenContext } from '../../oidc/sealed-secrets.ts'
import { appendEntry, installationChain, lockChain } from '../../storage/audit/append-entry.ts'
import { transact } from '../../storage/transact.ts'
import type { Job, WorkerDependencies } from '../job.ts'

const retryMs = 5 * 60_000
const atOnce = 200
/** Of an issuer. A rejection is final; other answers may be mistakes in the set-up. */
const endings = new Set(['invalid_grant', 'other_subject'])

export interface Rechecking {
  secretBox: Pick<SecretBox, 'open' | 'seal'>
  installation: InstallationIssuer | null
}

interface DueSession {
  token_digest: string
  user_id: string
  tenant_id: string | null
  identity_id: string | null
  refresh_token: string | null
  subject: string
}

export function recheckSessions(rechecking: Rechecking, everyMs: number): Job {
  return {
    name: 'recheck-sessions',
    everyMs,
    runsBeforeReady: false,
    async run(dependencies, signal) {
      const due = await listDue(dependencies)
      const byTenant = Map.groupBy(due, session => session.tenant_id ?? '')
      for (const [tenantId, sessions] of byTenant) {
        if (signal.aborted) return
        await recheckTenant(dependencies, rechecking, tenantId, sessions)
      }
    },
  }
}

async function listDue({ sql, now }: WorkerDependencies): Promise<DueSession[]> {
  return await sql
    .selectFrom('sessions')
    .innerJoin('sso_identities', 'sso_identities.id', 'sessions.identity_id')
    .select(['sessions.token_digest', 'sessions.user_id', 'sessions.tenant_id', 'sessions.identity_id'])
    .select(['sessions.refresh_token', 'sso_identities.subject'])
    .where('sessions.refresh_at', '<=', now())
    .where('sessions.expires_at', '>', now())
    .orderBy('sessions.refresh_at')
    .limit(atOnce)
    .execute()
}

async function recheckTenant(
  dependencies: WorkerDependencies,
  rechecking: Rechecking,
  tenantId: string,
  sessions: readonly DueSession[],
): Promise<void> {
  const client = await findClient(dependencies, rechecking, tenantId)
  for (const [index, session] of sessions.entries()) {
    if (client === null) await endSession(dependencies, session, 'the single sign-on was removed')
    else if (!(await recheck(dependencies, rechecking, client, session))) {
      // The others would wait for the same issuer.
      await Promise.all(sessions.slice(index).map(other => askLater(dependencies, other, retryMs)))
      return
    }
  }
}

async function findClient(
  { sql, outbound }: WorkerDependencies,
  { secretBox, installation }: Rechecking,
  tenantId: string,
): Promise<IssuerClient | null> {
  if (tenantId === '') {
    return installation === null ? null : createIssuerClient(outbound, installationConnection(installation))
  }
  const row = await sql.selectFrom('sso_connections').selectAll().where('tenant_id', '=', tenantId).executeTakeFirst()
  return row === undefined ? null : createIssuerClient(outbound, connectionOf(row, secretBox))
}

/** Returns false if the issuer could not say. */
async function recheck(
  dependencies: WorkerDependencies,
  { secretBox }: Rechecking,
  client: IssuerClient,
  session: DueSession,
): Promise<boolean> {
  const context = refreshTokenContext(session.tenant_id ?? '', session.token_digest)
  try {
    const next = await client.refresh(secretBox.open(session.refresh_token ?? '', context), session.subject)
    await keepToken(dependencies, session, secretBox.seal(next, context))
    return true
  } catch (error) {
    if (error instanceof SealedSecretError) {
      await endSession(dependencies, session, 'the refresh token cannot be read')
      return true
    }
    if (!(error instanceof IssuerFailure)) throw error
    if (error.kind === 'refused' && endings.has(error.reason)) {
      await endSession(dependencies, session, 'the identity provider ended it')
      return true
    }
    dependencies.log.warn('an identity provider could not be asked whether a session goes on', {
      tenant_id: session.tenant_id ?? undefined,
      reason: error.reason,
    })
    return false
  }
}

async function keepToken({ sql, now }: WorkerDependencies, session: DueSession, sealed: string): Promise<void> {
  await sql
    .updateTable('sessions')
    .set({ refresh_token: sealed, refresh_at: now() + recheckMs })
    .where('token_digest', '=', session.token_digest)
    .execute()
}

async function askLater({ sql, now }: WorkerDependencies, session: DueSession, afterMs: number): Promise<void> {
  await sql
    .updateTable('sessions')
    .set({ refresh_at: now() + afterMs })
    .where('token_digest', '=', session.token_digest)
    .execute()
}

/** With those of the same identity by which no issuer is asked, such as those of programs that this one approved. */
async function endSession({ sql, now }: WorkerDependencies, session: DueSession, why: string): Promise<void> {
  const { token_digest: digest, user_id: userId, tenant_id: tenantId, identity_id: identityId } = session
  await transact(sql, async trx => {
    const end = await lockChain(trx, tenantId ?? installationChain)
    await trx.deleteFrom('sessions').where('token_digest', '=', digest).execute()
    await trx
      .deleteFrom('sessions')
      .where('user_id', '=', userId)
      .where('identity_id', '=', identityId)
      .where('refresh_token', 'is', null)
      .execute()
    const entry = {
      tenant_id: tenantId,
      actor: { kind: 'system' as const, id: null, name: 'worker' },
      authenticated_by: 'none',
      address: null,
      user_agent: null,
      action: 'session.end',
      target: { type: 'user', id: userId, name: null },
      before: null,
      after: { reason: why },
      outcome: 'done' as const,
      reason: null,
      request_id: null,
    }
    await appendEntry(trx, end, entry, { at: now() })
  })
}
