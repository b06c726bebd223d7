// Tries a tenant's issuer before people depend on it: an address alone, a whole client, or what is stored.

import { z } from 'zod'
import { Refusal } from '../../domain/errors.ts'
import { checkIssuer, issuerChecks } from '../../oidc/check-issuer.ts'
import { connectionOf } from '../../oidc/connection-of.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { getAllowedUrl } from '../plane/allowed-address.ts'
import { type Route, route } from '../plane/route.ts'
import { clientIdField, clientSecretField, issuerField } from './connection-fields.ts'
import { findRow, ssoPath } from './connections.ts'
import { callbackUrl } from './start-sign-on.ts'

const bodySchema = z.object({
  issuer: issuerField.optional(),
  client_id: clientIdField.optional(),
  client_secret: clientSecretField.optional(),
})

/** A test reaches out for a tenant, so it has a bound of its own. */
const allowedTests = { limit: 60, windowSeconds: 60 * 60 }

export function testRoute(management: ManagementDependencies): Route {
  const { outbound, settings, windows } = management
  return route({
    method: 'POST',
    path: `${ssoPath}/test`,
    operation: 'testSignOn',
    audit: { action: 'sso.test', target: 'tenantId', reads: 'always' },
    summary: 'Try an identity provider step by step; without a body the stored one',
    credential: 'session',
    owner: 'tenant',
    permission: 'sso:write',
    body: bodySchema,
    answers: {
      200: z.object({
        ok: z.boolean(),
        callback_url: z.string(),
        checks: z.array(
          z.object({
            name: z.enum(issuerChecks),
            outcome: z.enum(['passed', 'failed', 'warning', 'skipped']),
            detail: z.string(),
          }),
        ),
      }),
    },
    refusals: ['invalid_base_url', 'sso_not_configured', 'too_many_attempts'],
    async handle({ owned, body }) {
      const tenantId = owned.tenant.id
      const { issuer, client } = await chooseConnection(management, tenantId, body)
      await getAllowedUrl(outbound, issuer)
      const taken = await windows.take([{ name: `sso-tests:${tenantId}`, ...allowedTests }])
      if (!taken.admitted) throw new Refusal('too_many_attempts', { retryAfterSeconds: taken.retryAfterSeconds })
      const callback_url = callbackUrl(settings.baseUrl)
      const checks = await checkIssuer(outbound, { issuer, client, guard: 'tenant', tenantId }, callback_url)
      return { status: 200, body: { ok: !checks.some(({ outcome }) => outcome === 'failed'), callback_url, checks } }
    },
  })
}

/** The stored secret goes to the issuer that it was stored for, and to no other. */
async function chooseConnection(
  { sql, secretBox }: ManagementDependencies,
  tenantId: string,
  body: z.output<typeof bodySchema>,
) {
  const row = await findRow(sql, tenantId)
  const stored = row === undefined ? null : connectionOf(row, secretBox)
  const issuer = body.issuer ?? stored?.issuer
  if (issuer === undefined) throw new Refusal('sso_not_configured')
  const id = body.client_id ?? (stored?.issuer === issuer ? stored.clientId : undefined)
  const isStored = stored?.issuer === issuer && stored.clientId === id
  const secret = body.client_secret ?? (isStored ? stored.clientSecret : undefined)
  return { issuer, client: id === undefined || secret === undefined ? null : { id, secret } }
}
