// A copy's share of the limits while the store is away: what every copy may admit on its own so that all together stay about
// within them. Knows how many copies live and what was left of a day; counts nothing itself.

import { dayMs } from '../domain/day.ts'
import type { SpendTable } from '../kv/spend-table.ts'
import type { AdmissionRequest } from '../kv/store.ts'
import type { CopyCount } from './copy-count.ts'
import type { ProjectConfig } from './project-config.ts'

interface LocalShare {
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
  const allowances = new Map<string, { day: number; tokens: number }>()
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
   * What was left as far as this copy knows, or the whole day where neither store nor database told it; this copy's share of it. Stays
   * so from the first request on that costs tokens.
   */
  function allowanceOf({ budget }: ProjectConfig, request: AdmissionRequest): number {
    const { projectId, projectTokens, tokens: demand } = request
    const day = Math.floor(now() / dayMs)
    const known = allowances.get(projectId)
    if (known?.day === day) return known.tokens
    const { spent, reserved } = spend.readDay(projectId, day, '').project
    const left = budget.day === day ? Math.max(0, Math.min(budget.remaining, projectTokens)) : projectTokens
    const tokens = spent + reserved + share(left)
    if (demand === null) return tokens
    if (allowances.size >= mostAllowances) allowances.clear()
    allowances.set(projectId, { day, tokens })
    return tokens
  }

  return {
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
