// Ends a single sign-on: checks the issuer's answer, finds or makes the account, and opens a session in a cookie.

import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { newSessionToken, tokenDigest } from '../../crypto/secrets/credentials.ts'
import { readAssertedEmail } from '../../domain/access/single-sign-on.ts'
import { Refusal } from '../../domain/errors.ts'
import { recheckMs, type SignedIn } from '../../oidc/issuer-client.ts'
import { refreshTokenContext } from '../../oidc/sealed-secrets.ts'
import { noteAct } from '../../storage/audit/act.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { describeSession, sessionSeconds } from '../people/start-session.ts'
import { type Route, type RouteInput, route } from '../plane/route.ts'
import { createSessionCookie } from '../plane/session-cookie.ts'
import { type FoundConnection, getConnection, noTenant, wantedClaims } from './find-connection.ts'
import type { SignedInPerson } from './identities.ts'
import { storePendingLink } from './link-identity.ts'
import { signInToInstallation } from './sign-in-to-installation.ts'
import { signInToTenant } from './sign-in-to-tenant.ts'
import { browserDigest, createSignOnBrowser, secretsOf } from './sign-on-browser.ts'
import { askIssuer, callbackUrl, landingOf } from './start-sign-on.ts'

/** A list if it occurs twice. */
const parameter = z.unknown().meta({ type: 'string' }).optional()
const querySchema = z.object({ code: parameter, state: parameter, iss: parameter, error: parameter }).loose()

export function callbackRoute(management: ManagementDependencies): Route {
  const { baseUrl } = management.settings
  return route({
    method: 'GET',
    path: '/auth/v1/sso/callback',
    operation: 'finishSignOn',
    audit: { action: 'session.create' },
    summary: 'Take the identity provider’s answer, open a session in a cookie and send the browser on',
    credential: 'none',
    owner: 'none',
    query: querySchema,
    answers: { 302: null },
    landing: error => landingOf(baseUrl, error),
    async handle(input) {
      noteAct({ actor: { kind: 'user', id: null, name: null }, authenticatedBy: 'sso' })
      const secret = createSignOnBrowser(baseUrl).read(input.header('cookie'))
      const { state } = input.query
      if (secret === null || typeof state !== 'string') throw new Refusal('sso_expired')
      const attempt = await takeAttempt(management, secret, state)
      const found = await getConnection(management, attempt.tenant_id)
      const kind = found.tenantId === null ? 'installation' : 'tenant'
      try {
        const signedIn = await exchange(found, { query: input.query, secret, state, baseUrl })
        noteWho(found, signedIn)
        const answer = await signIn(management, { found, signedIn, secret, returnTo: attempt.return_to }, input)
        management.metrics.signOnEnded(kind, 'done')
        return answer
      } catch (error) {
        management.metrics.signOnEnded(kind, 'refused')
        throw error
      }
    },
  })
}

interface Returned {
  query: Record<string, unknown>
  secret: string
  state: string
  baseUrl: string
}

async function exchange(found: FoundConnection, { query, secret, state, baseUrl }: Returned): Promise<SignedIn> {
  const [parameters, secrets] = [toParameters(query), secretsOf(secret, state)]
  return await askIssuer(() => found.client.exchange(parameters, secrets, callbackUrl(baseUrl), wantedClaims(found)))
}

/** Works once: a second use of the same answer finds nothing. */
async function takeAttempt({ sql, now }: ManagementDependencies, secret: string, state: string) {
  const attempt = await sql
    .deleteFrom('sso_attempts')
    .where('state_digest', '=', tokenDigest(state))
    .where('browser_digest', '=', browserDigest(secret))
    .where('expires_at', '>', now())
    .returning(['tenant_id', 'return_to'])
    .executeTakeFirst()
  if (attempt === undefined) throw new Refusal('sso_expired')
  return attempt
}

/** A parameter that occurs twice stays twice, for the library to reject. */
function toParameters(query: Record<string, unknown>): URLSearchParams {
  return new URLSearchParams(
    Object.entries(query).flatMap(([name, given]) =>
      [given].flat().flatMap(one => (typeof one === 'string' ? [[name, one]] : [])),
    ),
  )
}

/** From here on the issuer vouches for somebody: their failures belong in the tenant's chain. */
function noteWho({ tenantId }: FoundConnection, { claims }: SignedIn): void {
  const name = readAssertedEmail(claims)?.email ?? null
  noteAct({ ...(tenantId === null ? {} : { tenantId }), actor: { kind: 'user', id: null, name } })
}

interface Proven {
  found: FoundConnection
  signedIn: SignedIn
  secret: string
  returnTo: string
}

async function signIn(management: ManagementDependencies, proven: Proven, input: RouteInput<unknown, unknown>) {
  const { found, signedIn, returnTo } = proven
  const token = newSessionToken(randomBytes)
  try {
    await transact(management.sql, async trx => {
      const person = await (found.tenantId === null
        ? signInToInstallation(trx, management, found.installation, signedIn)
        : signInToTenant(trx, management, found, signedIn))
      noteAct({ actor: { kind: 'user', id: person.userId, name: person.email }, target: { id: person.userId } })
      await trx
        .insertInto('sessions')
        .values(rowOf(management, proven, { token, person, input }))
        .execute()
    })
  } catch (error) {
    if (error instanceof Refusal && error.code === 'sso_link_required') await storePendingLink(management, proven)
    throw error
  }
  const cookie = createSessionCookie(management.settings.baseUrl).set(token, sessionSeconds)
  const headers = { location: returnTo, 'set-cookie': cookie, 'referrer-policy': 'no-referrer' }
  return { status: 302, headers }
}

interface Opened {
  token: string
  person: SignedInPerson
  input: RouteInput<unknown, unknown>
}

function rowOf(management: ManagementDependencies, { found, signedIn }: Proven, { token, person, input }: Opened) {
  const { secretBox, now } = management
  const [at, digest] = [now(), tokenDigest(token)]
  const { refreshToken, authenticatedAt } = signedIn
  const context = refreshTokenContext(found.tenantId ?? noTenant, digest)
  return {
    ...describeSession(input, at),
    token_digest: digest,
    user_id: person.userId,
    authenticated_at: Math.min(authenticatedAt ?? at, at),
    authenticated_by: 'sso',
    tenant_id: found.tenantId,
    identity_id: person.identityId,
    refresh_token: refreshToken === null ? null : secretBox.seal(refreshToken, context),
    refresh_at: refreshToken === null ? null : at + recheckMs,
  }
}
