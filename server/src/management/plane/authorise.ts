// The one place that checks a credential, and the ids of a path against the caller's memberships. No route can skip it:
// the plane runs it for every route, by the route's declaration.

import { serviceAccountStart, tokenDigest } from '../../crypto/secrets/credentials.ts'
import { readAuthenticatedBy } from '../../domain/access/authentications.ts'
import { Refusal, type RefusalCode } from '../../domain/errors.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { bearerToken } from './bearer-token.ts'
import { anonymousCaller, type Caller, type Owned } from './caller.ts'
import type { ApiKeyFinder } from './mint-credential.ts'
import { checkOwnership } from './ownership.ts'
import type { Route } from './route.ts'
import { createSessionCookie, type SessionCookie } from './session-cookie.ts'
import { checkStepUp } from './step-up.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const missing: Record<string, RefusalCode> = {
  tenantId: 'tenant_not_found',
  projectId: 'project_not_found',
  keyId: 'api_key_not_found',
  tierId: 'tier_not_found',
  sessionId: 'session_not_found',
  passkeyId: 'passkey_not_found',
  invitationId: 'invitation_not_found',
  credentialId: 'not_found',
  serviceAccountId: 'service_account_not_found',
}

const noSession = new Set<RefusalCode>([
  'bearer_required',
  'invalid_session',
  'service_account_expired',
  'write_header_required',
])

/** How precisely a session's last use is recorded: exact times would need a write for each request. */
const seenEveryMs = 60_000

export interface Credentials {
  cookie: string | undefined
  /** The header that a write with the session cookie requires. */
  writeHeader: string | undefined
  authorization: string | undefined
  adminSecret: string | undefined
  hostSlug: string | null
}

export type SessionFinder = (token: string) => Promise<Caller | null>

/** Throws for who is no operator, and for what the operator may not do with this credential. */
export interface OperatorFinder {
  bySecret(route: Route, secret: string): Promise<Caller>
  bySession(route: Route, caller: Caller): Promise<Caller>
}

interface Finders {
  findExternalSession: SessionFinder
  findServiceAccount: SessionFinder
  findApiKey: ApiKeyFinder
  operators: OperatorFinder
}

export function createAuthorise(
  management: ManagementDependencies,
  { findExternalSession, findServiceAccount, findApiKey, operators }: Finders,
) {
  const { sql, settings, now } = management
  const sessionCookie = createSessionCookie(settings.baseUrl)

  async function checkSession(route: Route, credentials: Credentials): Promise<Caller> {
    const { authorization, cookie } = credentials
    const fromCookie = authorization === undefined ? sessionCookie.read(cookie) : null
    const token = fromCookie ?? bearerToken(authorization)
    if (fromCookie === null && token.startsWith(serviceAccountStart)) {
      return checkServiceAccount(route, await findServiceAccount(token))
    }
    const isOwn = fromCookie !== null || token.startsWith('sess_')
    const caller = await (isOwn ? findOwnSession(management, token, fromCookie !== null) : findExternalSession(token))
    if (caller === null) throw new Refusal('invalid_session')
    if (caller.session?.tenantId != null) checkTenantSession(route)
    if (fromCookie !== null) checkWriteHeader(route, credentials)
    return caller
  }

  async function checkOperator(route: Route, credentials: Credentials): Promise<Caller> {
    if (credentials.adminSecret !== undefined) return await operators.bySecret(route, credentials.adminSecret)
    const token = readOwnToken(sessionCookie, credentials)
    const caller = token === null ? null : await findOwnSession(management, token.text, token.isCookie)
    if (caller === null) throw new Refusal('invalid_admin_secret')
    if (caller.session?.tenantId !== null) throw new Refusal('invalid_admin_secret')
    const operator = await operators.bySession(route, caller)
    if (token?.isCookie) checkWriteHeader(route, credentials)
    return operator
  }

  return {
    async credential(route: Route, credentials: Credentials): Promise<Caller> {
      if (route.credential === 'session') return await checkSession(route, credentials)
      if (route.credential === 'optional-session') return await checkSession(route, credentials).catch(asAnonymous)
      if (route.credential === 'admin-secret') return await checkOperator(route, credentials)
      if (route.credential === 'api-key') {
        return {
          ...anonymousCaller,
          kind: 'api-key',
          apiKey: await findApiKey(credentials.authorization, credentials.hostSlug),
        }
      }
      return anonymousCaller
    },

    async ownership(route: Route, caller: Caller, params: Record<string, string>): Promise<Owned | null> {
      for (const [name, value] of Object.entries(params)) {
        if (name.endsWith('Id') && !uuid.test(value)) throw new Refusal(missing[name] ?? 'not_found')
      }
      const isOfTenant = route.owner !== 'none' && route.owner !== 'caller'
      const owned = isOfTenant ? await checkOwnership(sql, route, caller, params) : null
      // Last, so that nobody signs in again for what they may not do.
      checkStepUp(route, caller, now())
      return owned
    },
  }
}

function checkServiceAccount(route: Route, caller: Caller | null): Caller {
  // On a route for all, it is nobody: that route asks who the person is.
  if (caller === null || route.credential !== 'session') throw new Refusal('invalid_session')
  if (route.onlyForPeople) throw new Refusal('only_for_people')
  return caller
}

/** What a tenant's issuer vouches for must not change the account, or count as its owner's own sign-in. */
function checkTenantSession(route: Route): void {
  if (route.credential === 'optional-session') throw new Refusal('invalid_session')
  if (route.owner === 'caller' && !route.inTenantSession) throw new Refusal('own_sign_in_required')
}

/** Sessions of the external issuer do not count: nobody knows when their user authenticated. */
function readOwnToken(
  sessionCookie: SessionCookie,
  { authorization, cookie }: Credentials,
): { text: string; isCookie: boolean } | null {
  const isCookie = authorization === undefined
  const text = isCookie ? sessionCookie.read(cookie) : (/^Bearer (sess_\S+)$/.exec(authorization)?.[1] ?? null)
  return text === null ? null : { text, isCookie }
}

/** A browser may send the cookie with requests of any page; only a page of this origin can send the header. */
function checkWriteHeader(route: Route, { writeHeader }: Credentials): void {
  if (route.method !== 'GET' && writeHeader !== '1') throw new Refusal('write_header_required')
}

function asAnonymous(error: unknown): Caller {
  if (error instanceof Refusal && noSession.has(error.code)) return anonymousCaller
  throw error
}

async function findOwnSession(
  { sql, now }: ManagementDependencies,
  token: string,
  isCookie: boolean,
): Promise<Caller | null> {
  const digest = tokenDigest(token)
  const row = await sql
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['users.id', 'users.email', 'sessions.expires_at', 'sessions.created_at', 'sessions.last_seen_at'])
    .select(['sessions.authenticated_at', 'sessions.authenticated_by', 'sessions.tenant_id', 'sessions.identity_id'])
    .select('users.second_factor_since')
    .where('sessions.token_digest', '=', digest)
    .executeTakeFirst()
  const time = now()
  if (row === undefined || row.expires_at <= time) return null
  if ((row.last_seen_at ?? row.created_at) <= time - seenEveryMs) {
    await sql.updateTable('sessions').set({ last_seen_at: time }).where('token_digest', '=', digest).execute()
  }
  const session = {
    issuer: 'own' as const,
    digest,
    expiresAt: row.expires_at,
    authenticatedAt: row.authenticated_at,
    authenticatedBy: readAuthenticatedBy(row.authenticated_by),
    hasSecondFactor: row.second_factor_since !== null,
    isCookie,
    tenantId: row.tenant_id,
    identityId: row.identity_id,
  }
  return { ...anonymousCaller, kind: 'user', userId: row.id, email: row.email, session }
}
