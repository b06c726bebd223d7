// A copy's share of the limits while the store is away: what every copy may admit on its own so that all together stay about
// within them. Knows how many copies live and what was left of a day; counts nothing itself.
import type { SpendTable } from '../kv/spend-table.ts'
import type { AdmissionRequest } from '../kv/store.ts'
import { dayMs } from '../kv/verdict.ts'
import type { CopyCount } from './copy-count.ts'
import type { ProjectConfig } from './project-config.ts'

interface LocalShare {
  of(request: AdmissionRequest, config: ProjectConfig): AdmissionRequest
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
  const share = (limit: number): number => Math.ceil(limit / copies.alive())

  /** What the store last said was left, or the whole day where it said nothing today; this copy's share of it. */
  function allowanceOf({ budget }: ProjectConfig, projectId: string, perDay: number): number {
    const day = Math.floor(now() / dayMs)
    const known = allowances.get(projectId)
    if (known?.day === day) return known.tokens
    const { spent, reserved } = spend.readDay(projectId, day, '').project
    const left = budget.day === day ? Math.min(budget.remaining, perDay) : perDay
    const tokens = spent + reserved + share(left)
    if (allowances.size >= mostAllowances) allowances.clear()
    allowances.set(projectId, { day, tokens })
    return tokens
  }

  return {
    of(request, config) {
      const { projectId, projectRequests, userRequests, tokens } = request
      return {
        ...request,
        projectRequests: share(projectRequests),
        userRequests: userRequests === null ? null : share(userRequests),
        tokens: tokens && {
          ...tokens,
          projectPerDay: allowanceOf(config, projectId, tokens.projectPerDay),
          userPerDay: tokens.userPerDay === null ? null : share(tokens.userPerDay),
        },
      }
    },
    forget: projectId => void allowances.delete(projectId),
  }
}
