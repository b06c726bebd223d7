// Counts what anonymous clients ask for, in the store alone: while it is unavailable nobody could say whether an
// attestation was used before, and no token is minted.

import { Refusal } from '../../domain/errors.ts'
import type { AnonymousRules, AttestationKind } from '../../domain/settings/anonymous-rules.ts'
import { StoreUnavailable, type WindowDemand, type WindowOutcome, type Windows } from '../../kv/store.ts'
import type { EvidenceId } from './attestation.ts'

interface Client {
  projectId: string
  network: string
  rules: AnonymousRules
}

interface Attempt extends Client {
  kind: AttestationKind
  found: EvidenceId
}

const hourSeconds = 3_600
/** A client that gave up a challenge gets another. */
const challengesPerToken = 4

/** Returns how many challenges the network got in this hour. */
export async function countChallenge(kv: Windows, { projectId, network, rules }: Client): Promise<number> {
  const limit = rules.per_address_per_hour * challengesPerToken
  const name = `challenge:${projectId}:${network}`
  const taken = await take(kv, [{ name, limit, windowSeconds: hourSeconds }])
  if (!taken.admitted) throw new Refusal('anonymous_rate_limited', { retryAfterSeconds: taken.retryAfterSeconds })
  return taken.receipt[0]?.count ?? 1
}

/**
 * Runs the check once for each evidence, and only if the network has tokens left. Failed checks count, so that nobody
 * can make us ask a service without end; a check without a result does not.
 */
export async function countAttempt(kv: Windows, attempt: Attempt, check: () => Promise<boolean>): Promise<boolean> {
  const { projectId, network, rules, kind, found } = attempt
  const once = { name: `attested:${projectId}:${kind}:${found.id}`, limit: 1, windowSeconds: found.rememberSeconds }
  const ofNetwork = {
    name: `anonymous:${projectId}:${network}`,
    limit: rules.per_address_per_hour,
    windowSeconds: hourSeconds,
  }
  const taken = await take(kv, [once, ofNetwork])
  if (!taken.admitted) {
    if (taken.name === once.name) return false
    throw new Refusal('anonymous_rate_limited', { retryAfterSeconds: taken.retryAfterSeconds })
  }
  try {
    return await check()
  } catch (error) {
    await kv.giveBack(taken.receipt)
    throw error
  }
}

async function take(kv: Windows, demands: readonly WindowDemand[]): Promise<WindowOutcome> {
  try {
    return await kv.take(demands)
  } catch (cause) {
    if (!(cause instanceof StoreUnavailable)) throw cause
    throw new Refusal('store_unavailable', { cause })
  }
}
