// This replica's share of the limits while the store is unreachable: what it may admit on its own, so that all replicas
// together stay within them. Opens its windows as the store left them; counts nothing itself.

import { dayMs } from '../../domain/day.ts'
import { requestsKey } from '../../kv/process/admissions.ts'
import type { SpendTable } from '../../kv/process/spend-table.ts'
import type { AdmissionRequest } from '../../kv/store.ts'
import type { WindowTable } from '../../kv/window-table.ts'
import type { TallyOf } from './project-tally.ts'
import type { Replicas } from './replicas.ts'
import type { SeenWindows } from './seen-windows.ts'

interface LocalShare {
  /** The store decided alone for a while: the windows that are open here may have gone on there. */
  noteStoreDecided(): void
  /** Whether the project has its share of the day's tokens. */
  isGiven(projectId: string): boolean
  of(request: AdmissionRequest): AdmissionRequest
  /** The same for a request whose tokens the store reserves. */
  ofRequests(request: AdmissionRequest): AdmissionRequest
  /** The store has answered for the project: its next outage starts from what the store says from now on. */
  forget(projectId: string): void
}

interface LocalShareParts {
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

export function createOutageShare({ replicas, seen, tallyOf, windows, spend, now }: LocalShareParts): LocalShare {
  /** Project → the tokens that this process may have spent by the end of the day, its share counted in. */
  const allowances = new Map<string, { day: number; tokens: number; isTold: boolean }>()
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
   * This replica's share of what was left as far as it knows, from the first request on that costs tokens; of the whole day
   * while neither store nor database has told it.
   */
  function allowanceOf(request: AdmissionRequest): number {
    const { projectId, projectTokens, tokens: demand } = request
    const day = Math.floor(now() / dayMs)
    const known = allowances.get(projectId)
    const remaining = tallyOf(projectId).remainingOn(day)
    const isTold = remaining !== null
    if (known?.day === day && (known.isTold || !isTold)) return known.tokens
    const { spent, reserved } = spend.readDay(projectId, day, '').project
    const left = remaining === null ? projectTokens : Math.max(0, Math.min(remaining, projectTokens))
    const tokens = Math.min(Number.MAX_SAFE_INTEGER, spent + reserved + share(left))
    if (demand === null) return tokens
    if (allowances.size >= maxAllowances) allowances.clear()
    allowances.set(projectId, { day, tokens, isTold })
    return tokens
  }

  return {
    noteStoreDecided: requestWindows.noteStoreDecided,
    isGiven: projectId => allowances.get(projectId)?.day === Math.floor(now() / dayMs),
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

function createWindowShares({ replicas, seen, windows, now }: Omit<LocalShareParts, 'spend' | 'tallyOf'>) {
  /** Windows that were compared with the store's since it last decided alone. */
  const current = new Set<string>()
  const share = replicas.shareOf
  return {
    noteStoreDecided: () => current.clear(),
    /**
     * A window that is open in the store goes on here: it ends as it would there, and only this share of its rest is left.
     * What this process counted in an earlier outage still counts: the store may not have reported it back.
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
