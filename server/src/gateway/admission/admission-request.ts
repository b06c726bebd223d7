// Builds the store's admission request for one request, from its caller, its estimate and the limits of its project.

import type { Verified } from '../../domain/caller.ts'
import { boundEstimate } from '../../domain/conversation/client-rules.ts'
import type { TokenEstimate } from '../../domain/conversation/token-estimate.ts'
import type { Restrictions } from '../../domain/end-users/restrictions.ts'
import type { ResolvedConfig } from '../../domain/resolved-config.ts'
import type { AdmissionRequest } from '../../kv/store.ts'

/** A request that is to be admitted. */
export interface PendingRequest {
  verified: Verified
  /** Null for requests that cost no tokens. */
  estimate: TokenEstimate | null
  /** The restrictions that its end user was checked against. */
  restrictions: Restrictions
}

export function admissionRequestOf(
  { verified, estimate, restrictions }: PendingRequest,
  configRevision: number,
  { projectLimits, userLimits, settings }: ResolvedConfig,
  holder: string,
): AdmissionRequest {
  return {
    requestId: verified.requestId,
    holder,
    projectId: verified.projectId,
    tenantId: verified.tenantId,
    userId: verified.userId,
    configRevision,
    restrictionsRevision: restrictions.revision,
    projectRequests: projectLimits.rpm_limit,
    userRequests: userLimits.rpm_limit,
    projectTokens: projectLimits.tokens_per_day,
    userTokens: userLimits.tokens_per_day,
    tokens: estimate && boundEstimate(estimate, settings),
  }
}
