// The one place that checks a credential, and the ids of a path against the caller's memberships. No route can skip it:
// the plane runs it for every route, by the route's declaration.

import { isSameSecret } from '../../crypto/compare.ts'
import { serviceAccountStart, tokenDigest } from '../../crypto/secrets/credentials.ts'
import { Refusal, type RefusalCode } from '../../domain/errors.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { bearerToken } from './bearer-token.ts'
import { anonymousCaller, type Caller, type Owned } from './caller.ts'
import type { ApiKeyFinder } from './mint-credential.ts'
import { checkOwnership } from './ownership.ts'
import type { Route } from './route.ts'
import { createSessionCookie } from './session-cookie.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const missing: Record<string, RefusalCode> = {
  tenantId: 'tenant_not_found',
  projectId: 'project_not_found',
  keyId: 'api_key_not_found',
  tierId: 'tier_not_found',
  sessionId: 'session_not_found',
  invitationId: 'invitation_not_found',
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

export function createAuthorise(
  management: ManagementDependencies,
  findExternalSession: SessionFinder,
  findServiceAccount: SessionFinder,
  findApiKey: ApiKeyFinder,
) {
  const { sql, settings } = management
  const sessionCookie = createSessionCookie(settings.baseUrl)

  async function checkSession(route: Route, credentials: Credentials): Promise<Caller> {
    const { authorization, cookie, writeHeader } = credentials
    const fromCookie = authorization === undefined ? sessionCookie.read(cookie) : null
    const token = fromCookie ?? bearerToken(authorization)
    if (fromCookie === null && token.startsWith(serviceAccountStart)) return await checkServiceAccount(route, token)
    const isOwn = fromCookie !== null || token.startsWith('sess_')
    const caller = await (isOwn ? findOwnSession(management, token, fromCookie !== null) : findExternalSession(token))
    if (caller === null) throw new Refusal('invalid_session')
    // A browser may send the cookie with requests of any page; only a page of this origin can send the header.
    if (fromCookie !== null && route.method !== 'GET' && writeHeader !== '1') throw new Refusal('write_header_required')
    return caller
  }

  async function checkServiceAccount(route: Route, key: string): Promise<Caller> {
    const caller = await findServiceAccount(key)
    // On a route for all, it is nobody: that route asks who the person is.
    if (caller === null || route.credential !== 'session') throw new Refusal('invalid_session')
    if (route.onlyForPeople) throw new Refusal('only_for_people')
    return caller
  }

  // Not rate-limited: the secret is too long to be guessed, and a client at the operator's address, such as a proxy's,
  // must not be able to lock the kill switches.
  function checkAdminSecret(adminSecret: string | undefined): Caller {
    if (adminSecret === undefined || !isSameSecret(adminSecret, settings.adminSecret)) {
      throw new Refusal('invalid_admin_secret')
    }
    return { ...anonymousCaller, kind: 'admin' }
  }

  return {
    async credential(route: Route, credentials: Credentials): Promise<Caller> {
      if (route.credential === 'session') return await checkSession(route, credentials)
      if (route.credential === 'optional-session') return await checkSession(route, credentials).catch(asAnonymous)
      if (route.credential === 'admin-secret') return checkAdminSecret(credentials.adminSecret)
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
      if (route.owner === 'none' || route.owner === 'caller') return null
      return await checkOwnership(sql, route, caller, params)
    },
  }
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
    .where('sessions.token_digest', '=', digest)
    .executeTakeFirst()
  const time = now()
  if (row === undefined || row.expires_at <= time) return null
  if ((row.last_seen_at ?? row.created_at) <= time - seenEveryMs) {
    await sql.updateTable('sessions').set({ last_seen_at: time }).where('token_digest', '=', digest).execute()
  }
  const session = { issuer: 'own' as const, digest, expiresAt: row.expires_at, isCookie }
  return { ...anonymousCaller, kind: 'user', userId: row.id, email: row.email, session }
}
