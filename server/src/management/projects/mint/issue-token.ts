// Issues a token of a project for one user: limited, refused to the blocked, and only once the gateway can know the
// project.

import { z } from 'zod'
import { mintToken, type TokenMinter } from '../../../crypto/tokens/mint-token.ts'
import { Refusal } from '../../../domain/errors.ts'
import type { MintRequest } from '../../../domain/mint-request.ts'
import { unknownTierMessage } from '../../../domain/settings/live-config.ts'
import type { WindowDemand, Windows } from '../../../kv/store.ts'
import { findRestrictionRow } from '../../../storage/end-users/restrict.ts'
import type { ManagementDependencies } from '../../dependencies.ts'
import type { MintingProject } from '../../plane/mint-credential.ts'
import { createMintSync } from '../../settings/live-configs.ts'
import { createTierFinder } from './find-tier.ts'

export const issuedSchema = z.object({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  project_id: z.string(),
  expires_in: z.int(),
  warning: z.string().optional().meta({ description: 'Present if the project has no such tier' }),
})

export function createTokenMinter({ settings, signingKey, now, randomId }: ManagementDependencies): TokenMinter {
  const { tokenIssuer: issuer, tokenAudience: audience } = settings
  return { signingKey, issuer, audience, now, randomId }
}

/** `windowName` is that of the rate limit of whoever asks. */
export function createIssue(management: ManagementDependencies) {
  const { sql, windows, settings } = management
  const syncOnMint = createMintSync(management)
  const hasTier = createTierFinder(management)
  const minter = createTokenMinter(management)

  return async (project: MintingProject, windowName: string, request: MintRequest) => {
    const demand = { name: windowName, limit: settings.mintPerMinute, windowSeconds: 60 }
    return await countMint(windows, demand, async () => {
      const restriction = await findRestrictionRow(sql, { projectId: project.projectId, userId: request.user_id })
      if (restriction !== undefined && restriction.blocked_at !== null) throw new Refusal('mint_user_blocked')
      await syncOnMint(project)
      const revokedBefore = restriction?.tokens_revoked_before ?? 0
      const minted = await issueToken(minter, project, request, revokedBefore)
      const { tier } = request
      if (tier === null || (await hasTier(project.projectId, tier))) return minted
      return { ...minted, warning: unknownTierMessage(tier) }
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
  { tenantId, projectId }: MintingProject,
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
