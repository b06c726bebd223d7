// Computes this replica's share of the limits while the store is unavailable: what it may admit on its own, so that all
// replicas together stay within the limits. Its windows continue those that the store last reported.

import { dayMs } from '../../domain/day.ts'
import { requestsKey } from '../../kv/process/admissions.ts'
import type { SpendTable } from '../../kv/process/spend-table.ts'
import type { AdmissionRequest } from '../../kv/store.ts'
import type { WindowTable } from '../../kv/window-table.ts'
import type { TallyOf } from '../admission/project-tally.ts'
import type { Replicas } from './replicas.ts'
import type { SeenWindows } from './seen-windows.ts'

interface LocalShare {
  /** Call this when the store decided alone for a while: it may have counted more in windows that are open here. */
  noteStoreDecided(): void
  /** Whether the project's share of this day's tokens is known. */
  hasAllowance(projectId: string): boolean
  /** The request with its limits reduced to this replica's share. */
  of(request: AdmissionRequest): AdmissionRequest
  /** The same without tokens, for a request whose tokens the store reserves. */
  ofRequests(request: AdmissionRequest): AdmissionRequest
  /** Drops the project's share: in the next outage it is computed again, from what the store reports until then. */
  forget(projectId: string): void
}

interface OutageShareDependencies {
  replicas: Pick<Replicas, 'shareOf'>
  seen: Pick<SeenWindows, 'find'>
  tallyOf: TallyOf
  /** The windows that this process counts without the store. */
  windows: WindowTable
  /** What this process has spent and reserved without the store. */
  spend: SpendTable
  now: () => number
}

const maxAllowances = 100_000
const maxCurrent = 100_000

export function createOutageShare({
  replicas,
  seen,
  tallyOf,
  windows,
  spend,
  now,
}: OutageShareDependencies): LocalShare {
  /** Project → how many tokens this process may spend without the store on this day, those already spent included. */
  const allowances = new Map<string, { day: number; tokens: number; isReported: boolean }>()
  const share = replicas.shareOf
  const requestWindows = createWindowShares({ replicas, seen, windows, now })

  function ofRequests(request: AdmissionRequest): AdmissionRequest {
    const { projectId, userId, projectRequests, userRequests } = request
    return {
      ...request,
      projectRequests: requestWindows.shareOf(projectId, null, projectRequests),
      userRequests: userRequests === null ? null : requestWindows.shareOf(projectId, userId, userRequests),
      tokens: null,
    }
  }

  /**
   * The tokens spent and reserved here, plus this replica's share of those left. Fixed at the first request that costs
   * tokens. The share is one of the whole day until the store or the database has reported what is left.
   */
  function allowanceOf(request: AdmissionRequest): number {
    const { projectId, projectTokens } = request
    const day = Math.floor(now() / dayMs)
    const known = allowances.get(projectId)
    const remaining = tallyOf(projectId).remainingOn(day)
    const isReported = remaining !== null
    if (known?.day === day && (known.isReported || !isReported)) return known.tokens
    const { spent, reserved } = spend.readDay(projectId, day, '').project
    const left = remaining === null ? projectTokens : Math.max(0, Math.min(remaining, projectTokens))
    const tokens = Math.min(Number.MAX_SAFE_INTEGER, spent + reserved + share(left))
    if (request.tokens === null) return tokens
    if (allowances.size >= maxAllowances) allowances.clear()
    allowances.set(projectId, { day, tokens, isReported })
    return tokens
  }

  return {
    noteStoreDecided: requestWindows.noteStoreDecided,
    hasAllowance: projectId => allowances.get(projectId)?.day === Math.floor(now() / dayMs),
    of: request => ({
      ...ofRequests(request),
      tokens: request.tokens,
      projectTokens: allowanceOf(request),
      userTokens: request.userTokens === null ? null : share(request.userTokens),
    }),
    ofRequests,
    forget: projectId => void allowances.delete(projectId),
  }
}

function createWindowShares({ replicas, seen, windows, now }: Omit<OutageShareDependencies, 'spend' | 'tallyOf'>) {
  /** Windows that were compared with the store's since it last decided alone. */
  const current = new Set<string>()
  const share = replicas.shareOf
  return {
    noteStoreDecided: () => current.clear(),
    /**
     * A window that is open in the store continues here: it ends at the same time, and only this replica's share of its
     * remaining requests is left. Requests counted here in an earlier outage still count: the store's report may not
     * include them yet.
     */
    shareOf(projectId: string, userId: string | null, limit: number): number {
      const key = requestsKey(projectId, userId)
      const { count, endsAt } = windows.read(key, now())
      if (endsAt > 0 && current.has(key)) return share(limit)
      if (current.size >= maxCurrent) current.clear()
      current.add(key)
      const found = seen.find(projectId, userId)
      if (found !== null) {
        const usedUp = share(limit) - share(Math.max(0, limit - found.count))
        windows.write(key, Math.max(count, usedUp), endsAt > 0 ? endsAt : found.endsAt, now())
      }
      return share(limit)
    },
  }
}
