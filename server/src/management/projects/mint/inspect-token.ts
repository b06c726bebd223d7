// Reports whether a project accepts a token, and why not. Must not store, log or cache the token.

import { z } from 'zod'
import { type KeySet, type KeySetRules, readKeySet } from '../../../crypto/keys/key-set.ts'
import { keySetDocument, type PublicJwk } from '../../../crypto/keys/signing-key.ts'
import type { TokenError } from '../../../crypto/token-form.ts'
import { type InspectedToken, inspectToken } from '../../../crypto/tokens/inspect-token.ts'
import type { ExternalProvider, VerifiedToken } from '../../../crypto/tokens/token-verifier.ts'
import { brand } from '../../../domain/brand.ts'
import { checkUserId } from '../../../domain/end-users/user-id.ts'
import { Refusal } from '../../../domain/errors.ts'
import { isTierInForce, unknownTierMessage } from '../../../domain/settings/live-config.ts'
import { findRestrictionRow } from '../../../storage/end-users/restrict.ts'
import type { ManagementDependencies } from '../../dependencies.ts'
import type { Owned } from '../../plane/caller.ts'
import { type Route, route } from '../../plane/route.ts'
import { getLive } from '../../settings/live-configs.ts'

const bodySchema = z.object({
  token: z.string({
    error: issue => (issue.input === undefined ? 'token is required' : 'token must be a string'),
  }),
})
const claimsSchema = z.record(z.string(), z.unknown()).nullable()
const inspectionSchema = z.object({
  valid: z.boolean(),
  reason: z
    .string()
    .nullable()
    .meta({ description: 'Why the token is rejected, or which tier it names that the project has not; else null' }),
  header: claimsSchema,
  claims: claimsSchema.meta({ description: 'The claims of the token, verified or not' }),
  source: z.enum([brand, 'external']).nullable().meta({
    description: 'Whose key the token names: the mint’s or the identity provider’s; null if the key is unknown',
  }),
})

const perMinute = 60

export function tokenInspectionRoutes(management: ManagementDependencies, previousKeys: readonly PublicJwk[]): Route[] {
  const { windows, signingKey } = management
  const ownKeySet = getKeySet(JSON.stringify(keySetDocument(signingKey, previousKeys)), ownKeyRules)
  return [
    route({
      method: 'POST',
      path: '/auth/v1/projects/:projectId/inspect-token',
      operation: 'inspectToken',
      audit: null,
      summary: 'Check whether the project accepts a token, and why not; the token is not stored',
      credential: 'session',
      owner: 'project',
      permission: 'tokens:mint',
      body: bodySchema,
      answers: { 200: inspectionSchema },
      refusals: ['inspection_rate_limited'],
      async handle({ owned, body }) {
        const demand = { name: `inspect-token:${owned.project.id}`, limit: perMinute, windowSeconds: 60 }
        const taken = await windows.take([demand])
        if (!taken.admitted) {
          throw new Refusal('inspection_rate_limited', { retryAfterSeconds: taken.retryAfterSeconds })
        }
        const external = await findExternal(management, owned.project.id, new Set(ownKeySet.keys.keys()))
        const rules = { ownKeySet, ownRules: ownRulesOf(management), external, checkUserId: readUserId }
        const inspected = inspectToken(body.token.trim(), rules, management.now())
        const reason = await findReason(management, owned, inspected)
        const { header, claims, source } = inspected
        const remark = reason ?? (await findRemark(management, owned, inspected))
        return { status: 200, body: { valid: reason === null, reason: remark, header, claims, source } }
      },
    }),
  ]
}

const ownKeyRules: KeySetRules = { algorithms: ['RS256'], reservedKids: new Set() }

function ownRulesOf({ settings }: ManagementDependencies) {
  return { issuer: settings.tokenIssuer, audience: settings.tokenAudience }
}

function readUserId(id: string): string | null {
  const checked = checkUserId(id)
  return checked.ok ? checked.value : null
}

function getKeySet(text: string, rules: KeySetRules): KeySet {
  const keySet = readKeySet(text, rules)
  if (typeof keySet === 'string') throw new Error('a key set of ours is not usable', { cause: keySet })
  return keySet
}

/** With the keys that the worker fetched last; null if there are none, or no provider is configured. */
async function findExternal(
  { sql }: ManagementDependencies,
  projectId: string,
  reservedKids: ReadonlySet<string>,
): Promise<ExternalProvider | null> {
  const row = await sql
    .selectFrom('identity_providers')
    .select(['issuer', 'audience', 'user_id_claim', 'tier_claim', 'key_set'])
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  if (row === undefined || row.key_set === null) return null
  const keySet = readKeySet(row.key_set, { algorithms: ['RS256', 'ES256', 'PS256', 'EdDSA'], reservedKids })
  if (typeof keySet === 'string') return null
  const { issuer, audience, user_id_claim: userIdClaim, tier_claim: tierClaim } = row
  return { issuer, audience, userIdClaim, tierClaim, keySet }
}

async function findReason(
  { sql }: ManagementDependencies,
  { tenant, project }: Owned,
  { result }: InspectedToken,
): Promise<string | null> {
  if (typeof result === 'string') return reasons[result] ?? 'The token is malformed'
  if (isForeign(result, tenant.id, project.id)) return 'The token belongs to another project'
  if (project.status === 'suspended') return 'The project is suspended'
  const { uid, iat, nbf } = result.claims
  const restriction = await findRestrictionRow(sql, { projectId: project.id, userId: uid })
  const issuedAt = iat ?? nbf ?? 0
  if (issuedAt <= (restriction?.tokens_revoked_before ?? -1)) return 'The token was revoked'
  return restriction !== undefined && restriction.blocked_at !== null ? 'The user is blocked' : null
}

/** What the owner should know of a token that is valid; null if nothing. */
async function findRemark({ sql, now }: ManagementDependencies, { project }: Owned, { result }: InspectedToken) {
  const tier = typeof result === 'string' ? undefined : result.claims.tier
  if (tier === undefined) return null
  const live = await getLive(sql, project.id)
  if (isTierInForce(live, tier, now())) return null
  const { unknown_tier } = live.settings
  const effect =
    unknown_tier === 'reject' ? 'its requests are rejected' : 'its requests get the settings of the project'
  return `${unknownTierMessage(tier)}: ${effect}`
}

function isForeign(token: VerifiedToken, tenantId: string, projectId: string): boolean {
  return token.provider !== 'external' && (token.claims.tid !== tenantId || token.claims.pid !== projectId)
}

/** Any other error means that the token is malformed. */
const reasons: Partial<Record<TokenError, string>> = {
  too_long: 'The token is longer than 8 KiB',
  not_three_parts: 'The token does not have three parts',
  not_base64url: 'A part of the token is not base64url',
  header_member: 'The header has a member that is not accepted',
  alg: 'The algorithm (alg) is not accepted for this key',
  typ: 'The type (typ) is not accepted',
  kid: 'The header has no usable key id (kid)',
  unknown_kid: 'No key with this key id (kid) is known',
  signature: 'The signature is wrong',
  iss: 'The issuer (iss) is not the one expected',
  aud: 'The audience (aud) is not the one expected',
  exp: 'The expiry (exp) is missing or not a whole number',
  expired: 'The token has expired (exp)',
  nbf: 'The token is not valid yet (nbf), or nbf is not a whole number',
  iat: 'The token was issued in the future (iat), or iat is not a whole number',
  lifetime: 'The token lives longer than 24 hours',
  claims: 'A claim is missing or malformed',
  user_id: 'The user id claim is missing, reserved or not accepted',
}
