// A copy's share of the limits while the store is away: what every copy may admit on its own so that all together stay about
// within them. Knows how many copies live and what was left of a day; counts nothing itself.

import { dayMs } from '../domain/day.ts'
import type { SpendTable } from '../kv/spend-table.ts'
import type { AdmissionRequest } from '../kv/store.ts'
import type { CopyCount } from './copy-count.ts'
import type { ProjectConfig } from './project-config.ts'

interface LocalShare {
  /** Whether the project has its share of the day's tokens. */
  isGiven(projectId: string): boolean
  of(request: AdmissionRequest, config: ProjectConfig): AdmissionRequest
  /** The same for requests that the store counts again: only what this copy may admit until its window is over. */
  afterwards(request: AdmissionRequest): AdmissionRequest
  /** The store has just gone: what it last said of the open windows bounds them from now on. */
  beginOutage(): void
  /** The store has answered for the project: its next outage starts from what the store says from now on. */
  forget(projectId: string): void
}

interface LocalShareParts {
  copies: CopyCount
  /** What this process has spent and reserved without the store. */
  spend: SpendTable
  now: () => number
}

const mostAllowances = 100_000

export function createLocalShare({ copies, spend, now }: LocalShareParts): LocalShare {
  /** Project → the tokens that this process may have spent by the end of the day, its share counted in. */
  const allowances = new Map<string, { day: number; tokens: number; isTold: boolean }>()
  /** Project → what this process may admit of the window that was open when the store went. */
  const openWindows = new Map<string, { endsAt: number; requests: number }>()
  const share = (limit: number): number => Math.ceil(limit / copies.alive())

  function requestsOf(projectId: string, perMinute: number): number {
    const open = openWindows.get(projectId)
    return open !== undefined && now() < open.endsAt ? Math.min(share(perMinute), open.requests) : share(perMinute)
  }

  function noteWindow(projectId: string, { window }: ProjectConfig): void {
    if (openWindows.has(projectId)) return
    if (openWindows.size >= mostAllowances) openWindows.clear()
    openWindows.set(projectId, { endsAt: window.endsAt, requests: share(window.remaining) })
  }

  /**
   * This copy's share of what was left as far as it knows, from the first request on that costs tokens; of the whole day
   * while neither store nor database has told it.
   */
  function allowanceOf({ budget }: ProjectConfig, request: AdmissionRequest): number {
    const { projectId, projectTokens, tokens: demand } = request
    const day = Math.floor(now() / dayMs)
    const known = allowances.get(projectId)
    const isTold = budget.day === day
    if (known?.day === day && (known.isTold || !isTold)) return known.tokens
    const { spent, reserved } = spend.readDay(projectId, day, '').project
    const left = isTold ? Math.max(0, Math.min(budget.remaining, projectTokens)) : projectTokens
    const tokens = Math.min(Number.MAX_SAFE_INTEGER, spent + reserved + share(left))
    if (demand === null) return tokens
    if (allowances.size >= mostAllowances) allowances.clear()
    allowances.set(projectId, { day, tokens, isTold })
    return tokens
  }

  return {
    isGiven: projectId => allowances.get(projectId)?.day === Math.floor(now() / dayMs),
    of(request, config) {
      const { projectId, projectRequests, userRequests, userTokens } = request
      noteWindow(projectId, config)
      return {
        ...request,
        projectRequests: requestsOf(projectId, projectRequests),
        userRequests: userRequests === null ? null : share(userRequests),
        projectTokens: allowanceOf(config, request),
        userTokens: userTokens === null ? null : share(userTokens),
      }
    },
    afterwards: request => ({
      ...request,
      projectRequests: requestsOf(request.projectId, request.projectRequests),
      userRequests: request.userRequests === null ? null : share(request.userRequests),
    }),
    beginOutage: () => openWindows.clear(),
    forget: projectId => void allowances.delete(projectId),
  }
}
