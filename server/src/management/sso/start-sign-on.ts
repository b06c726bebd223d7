// Begins a single sign-on: sends the browser to the issuer of a tenant, or to the installation's own.

import { z } from 'zod'
import { tokenDigest } from '../../crypto/secrets/credentials.ts'
import { isOwnPath } from '../../domain/access/single-sign-on.ts'
import { Refusal } from '../../domain/errors.ts'
import { IssuerFailure } from '../../oidc/issuer-failure.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { clientNetwork } from '../plane/client-network.ts'
import { type Route, route } from '../plane/route.ts'
import { findTenantByEmail, getConnection, noTenant, wantedClaims } from './find-connection.ts'
import { attemptSeconds, browserDigest, createSignOnBrowser, newState, secretsOf } from './sign-on-browser.ts'

/** Each start leaves a row for some minutes: a bound for one client, and for one that many people share. */
const allowedStarts = { limit: 200, windowSeconds: 15 * 60 }
const home = '/app/'
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** A browser may send anything; what is no text counts as missing. */
const text = (description: string) => z.string().optional().catch(undefined).meta({ description })

export function startRoutes(management: ManagementDependencies): Route[] {
  const { settings } = management
  return [
    route({
      method: 'GET',
      path: '/auth/v1/sso',
      operation: 'getSignOnOptions',
      summary: 'Tell whether the installation has a single sign-on of its own',
      credential: 'none',
      owner: 'none',
      answers: { 200: z.object({ installation: z.boolean() }) },
      async handle() {
        return { status: 200, body: { installation: settings.singleSignOn !== null } }
      },
    }),
    route({
      method: 'GET',
      path: '/auth/v1/sso/start',
      operation: 'startSignOn',
      summary: 'Send the browser to the identity provider of a tenant, or to that of the installation',
      credential: 'none',
      owner: 'none',
      query: z.object({
        tenant: text('The id of the tenant'),
        email: text('In place of the tenant: its domain says which tenant, if any'),
        return_to: text('A path of this installation, where the browser goes afterwards'),
        fresh: text('`true` asks the person to authenticate again'),
      }),
      answers: { 302: null },
      landing: error => landingOf(settings.baseUrl, error),
      async handle({ query, header, clientAddress }) {
        await limitStarts(management, clientAddress)
        const tenantId = await chooseTenant(management, query)
        return await begin(management, { ...query, tenantId, cookie: header('cookie') })
      },
    }),
  ]
}

/** Where a browser is sent whose sign-in failed: the page says what to do. */
export function landingOf(baseUrl: string, error: Refusal): string {
  return `${baseUrl}/sso?problem=${error.code}`
}

async function limitStarts({ windows }: ManagementDependencies, clientAddress: string): Promise<void> {
  const taken = await windows.take([{ name: `sso-starts:${clientNetwork(clientAddress)}`, ...allowedStarts }])
  if (!taken.admitted) throw new Refusal('too_many_attempts', { retryAfterSeconds: taken.retryAfterSeconds })
}

type Chosen = Partial<Record<'tenant' | 'email', string | undefined>>

async function chooseTenant(management: ManagementDependencies, { tenant, email }: Chosen): Promise<string> {
  if (tenant !== undefined) {
    if (!uuid.test(tenant)) throw new Refusal('sso_not_configured')
    return tenant.toLowerCase()
  }
  return email === undefined ? noTenant : await findTenantByEmail(management, email)
}

interface Beginning {
  tenantId: string
  cookie: string | undefined
  return_to?: string | undefined
  fresh?: string | undefined
}

async function begin(management: ManagementDependencies, { tenantId, cookie, return_to, fresh }: Beginning) {
  const { sql, now, settings } = management
  const browser = createSignOnBrowser(settings.baseUrl)
  const secret = browser.readOrMake(cookie)
  const state = newState()
  const found = await getConnection(management, tenantId)
  const asked = { isFresh: fresh === 'true', wanted: wantedClaims(found) }
  const location = await askIssuer(() =>
    found.client.authorizationUrl(secretsOf(secret, state), callbackUrl(settings.baseUrl), asked),
  )
  await sql
    .insertInto('sso_attempts')
    .values({
      state_digest: tokenDigest(state),
      browser_digest: browserDigest(secret),
      tenant_id: tenantId,
      return_to: return_to !== undefined && isOwnPath(return_to, settings.baseUrl) ? return_to : home,
      expires_at: now() + attemptSeconds * 1000,
    })
    .execute()
  return { status: 302, headers: { location, 'set-cookie': browser.keep(secret) } }
}

export function callbackUrl(baseUrl: string): string {
  return `${baseUrl}/auth/v1/sso/callback`
}

const refusals = { unreachable: 'sso_issuer_unavailable', refused: 'sso_refused', invalid: 'sso_invalid' } as const

/** Turns what the issuer failed at into the error whose page says what to do. */
export async function askIssuer<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (cause) {
    if (!(cause instanceof IssuerFailure)) throw cause
    throw new Refusal(refusals[cause.kind], { cause })
  }
}
