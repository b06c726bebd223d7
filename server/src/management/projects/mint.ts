// Mints short-lived tokens for end users, in exchange for a project's API key, which a server holds. The management
// host and the project's own host use the same code.

import { z } from 'zod'
import type { MintResponse, MintRequest as WireRequest } from '../../../../sdk/src/wire.ts'
import { mintToken, type TokenMinter } from '../../crypto/tokens/mint-token.ts'
import { getChecked } from '../../domain/checked.ts'
import { Refusal } from '../../domain/errors.ts'
import { type MintRequest, parseMintRequest } from '../../domain/mint-request.ts'
import { roles } from '../../domain/role.ts'
import { unknownTierMessage } from '../../domain/settings/live-config.ts'
import type { WindowDemand, Windows } from '../../kv/store.ts'
import { findRestrictionRow } from '../../storage/end-users/restrict.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import type { ApiKeyHolder } from '../plane/mint-credential.ts'
import { type Route, type RouteInput, route } from '../plane/route.ts'
import { createMintSync } from '../settings/live-configs.ts'
import { createTierFinder } from './find-tier.ts'

const bodySchema = z.looseObject({}).meta({
  properties: {
    user_id: { type: 'string', minLength: 1, maxLength: 255 },
    role: { type: 'string', enum: [...roles], description: 'Default: the role of the API key' },
    ttl: { type: 'integer', minimum: 60, maximum: 86_400, default: 3600 },
    tier: { type: 'string', maxLength: 255 },
    session_id: { type: 'string', pattern: '^[A-Za-z0-9_.:-]{1,128}$' },
  } satisfies Record<keyof WireRequest, object>,
  required: ['user_id'],
})
const mintedSchema = z.object({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  project_id: z.string(),
  expires_in: z.int(),
  warning: z.string().optional().meta({ description: 'Present if the project has no such tier' }),
})
/** Has at least the fields that the SDK reads. */
const projectMintedSchema = mintedSchema.extend({ session_id: z.string() }) satisfies z.ZodType<MintResponse>
const common = {
  method: 'POST',
  // Tokens are as many as sessions of end users: the request log has what they did.
  audit: null,
  credential: 'api-key',
  owner: 'none',
  body: bodySchema,
  refusals: ['mint_user_blocked', 'mint_rate_limited', 'busy'],
} as const

export function mintRoutes(management: ManagementDependencies): Route[] {
  const mint = createMint(management)
  return [
    route({
      ...common,
      path: '/auth/v1/auth/mint',
      operation: 'mintToken',
      summary: 'Mint a token for one end user',
      answers: { 200: mintedSchema },
      async handle(input) {
        const { minted } = await mint(input)
        return { status: 200, body: minted }
      },
    }),
    route({
      ...common,
      path: '/v1/auth/mint',
      operation: 'mintTokenOnProjectHost',
      summary: "Mint a token on the project's own host; the response has a session id too",
      onProjectHost: true,
      // A gateway without the api role forwards mints.
      refusals: [...common.refusals, 'unknown_host', 'mint_unreachable', 'mint_failed'],
      answers: { 200: projectMintedSchema },
      async handle(input) {
        const { request, minted } = await mint(input)
        return { status: 200, body: { ...minted, session_id: request.session_id ?? management.randomId() } }
      },
    }),
  ]
}

export function createTokenMinter({ settings, signingKey, now, randomId }: ManagementDependencies): TokenMinter {
  const { tokenIssuer: issuer, tokenAudience: audience } = settings
  return { signingKey, issuer, audience, now, randomId }
}

function createMint(management: ManagementDependencies) {
  const { sql, windows, settings } = management
  const syncOnMint = createMintSync(management)
  const hasTier = createTierFinder(management)
  const minter = createTokenMinter(management)

  return async ({ caller, body }: RouteInput<unknown, unknown>) => {
    const holder = caller.apiKey
    if (holder === null) throw new Error('the mint ran without an API key')
    const request = getChecked(parseMintRequest(body, holder.role))
    const demand = { name: `mint:${holder.keyId}`, limit: settings.mintPerMinute, windowSeconds: 60 }
    return await countMint(windows, demand, async () => {
      const restriction = await findRestrictionRow(sql, { projectId: holder.projectId, userId: request.user_id })
      if (restriction !== undefined && restriction.blocked_at !== null) throw new Refusal('mint_user_blocked')
      await syncOnMint(holder)
      const revokedBefore = restriction?.tokens_revoked_before ?? 0
      const minted = await issueToken(minter, holder, request, revokedBefore)
      const { tier } = request
      if (tier === null || (await hasTier(holder.projectId, tier))) return { request, minted }
      return { request, minted: { ...minted, warning: unknownTierMessage(tier) } }
    })
  }
}

/** Only successful mints count. */
async function countMint<T>(windows: Windows, demand: WindowDemand, work: () => Promise<T>): Promise<T> {
  const taken = await windows.take([demand])
  if (!taken.admitted) throw new Refusal('mint_rate_limited', { retryAfterSeconds: taken.retryAfterSeconds })
  try {
    return await work()
  } catch (error) {
    await windows.giveBack(taken.receipt)
    throw error
  }
}

async function issueToken(
  minter: TokenMinter,
  { tenantId, projectId }: ApiKeyHolder,
  request: MintRequest,
  revokedBefore: number,
) {
  const subject = {
    tenantId,
    projectId,
    userId: request.user_id,
    role: request.role,
    ttlSeconds: request.ttl,
    // A token minted in the same second as a revocation must be valid.
    issuedAfter: revokedBefore,
  }
  const token = await mintToken(minter, request.tier === null ? subject : { ...subject, tier: request.tier })
  return { access_token: token, token_type: 'Bearer' as const, project_id: projectId, expires_in: request.ttl }
}
