// Admissions in the process: one synchronous pass, so nothing comes between the checks and the charges.
// Twin of scripts/admit.lua, settle.lua, checkpoint.lua …: same names, same order. Knows no HTTP and no SQL.
import type { ProcessProjection } from './process-projection.ts'
import type { SpendTable } from './spend-table.ts'
import type { AdmissionRequest, Admissions, TokenDemand } from './store.ts'
import {
  answerAdmission,
  assertCounts,
  assertDemand,
  type DayCount,
  dayMs,
  dayOf,
  requestWindowMs,
  type Verdict,
  type WindowCount,
} from './verdict.ts'
import type { WindowTable } from './window-table.ts'

interface Parts {
  findBar: ProcessProjection['findBar']
  windows: WindowTable
  windowNames: (projectId: string) => WindowNames
  spend: SpendTable
  clock: () => number
}

export function createProcessAdmissions(given: Omit<Parts, 'windowNames'>): Admissions {
  const { spend, clock } = given
  const parts: Parts = { ...given, windowNames: createWindowNames() }
  return {
    admit: async request => {
      assertDemand(request)
      return answerAdmission(request, admit(parts, request))
    },
    settle: async (projectId, requestId, tokens) => {
      assertCounts(tokens)
      return spend.settleReservation(projectId, requestId, tokens) ? 'settled' : 'unknown'
    },
    checkpoint: async (projectId, requestId, tokens) => {
      assertCounts(tokens)
      const held = spend.findReservation(projectId, requestId)
      if (held) spend.writeReservation(projectId, requestId, { ...held, checkpoint: tokens }, clock())
    },
    sweepReservations: async projectIds => {
      const now = clock()
      let swept = 0
      for (const projectId of projectIds) {
        for (const requestId of spend.findExpired(projectId, now)) {
          if (spend.settleReservation(projectId, requestId, null)) swept += 1
        }
      }
      return swept
    },
    restoreSpend: async spends => {
      for (const { projectId, day, tokens, users } of spends) {
        assertCounts(tokens, ...Object.values(users))
        spend.raiseDay(projectId, dayOf(day), tokens, users)
      }
    },
    findSpend: async (projectId, day) => spend.readDay(projectId, dayOf(day), '').project.spent,
  }
}

function admit({ findBar, windows, windowNames, spend, clock }: Parts, request: AdmissionRequest): Verdict {
  const { requestId, projectId, userId, tokens } = request
  const now = clock()
  const bar = findBar(request)
  if (bar) return { reason: bar, now, reserved: 0, counters: null }

  const names = windowNames(projectId)
  const userWindow = request.userRequests === null ? '' : names.ofUser(userId)
  const project = { ...windows.read(names.project, now) }
  const user = request.userRequests === null ? { count: 0, endsAt: 0 } : { ...windows.read(userWindow, now) }
  const day = Math.floor(now / dayMs)
  const { project: projectDay, user: userDay } = spend.readDay(projectId, day, userId)
  const verdict = (reason: Verdict['reason'], reserved: number): Verdict => {
    return { reason, now, reserved, counters: { project, user, projectDay, userDay } }
  }

  const held = tokens && spend.findReservation(projectId, requestId)
  if (held) return verdict('admitted', held.reserved)

  const { shortage, granted } = findShortage(request, project, user, projectDay, userDay)
  if (shortage) return verdict(shortage, 0)

  project.endsAt ||= now + requestWindowMs
  project.count += 1
  windows.write(names.project, project.count, project.endsAt, now)
  if (request.userRequests !== null) {
    user.endsAt ||= now + requestWindowMs
    user.count += 1
    windows.write(userWindow, user.count, user.endsAt, now)
  }
  if (tokens) {
    projectDay.reserved += granted
    userDay.reserved += granted
    spend.addToDay(projectId, day, userId, 0, granted)
    const reservation = { day, reserved: granted, checkpoint: tokens.prompt, userId }
    spend.writeReservation(projectId, requestId, reservation, now)
  }
  return verdict('admitted', granted)
}

interface WindowNames {
  readonly project: string
  ofUser(userId: string): string
}

/** More than these are made anew: memory is bounded, whoever the users are. */
const mostNames = 100_000

/** Made once: a text that is put together for each request has to be hashed for each request, too. */
function createWindowNames(): (projectId: string) => WindowNames {
  const known = new Map<string, WindowNames>()
  let count = 0
  const countOne = (): void => {
    if (count >= mostNames) {
      known.clear()
      count = 0
    }
    count += 1
  }
  const make = (projectId: string): WindowNames => {
    const users = new Map<string, string>()
    return {
      project: `requests:${projectId}`,
      ofUser(userId) {
        const found = users.get(userId)
        if (found !== undefined) return found
        countOne()
        const name = `requests:${projectId}:${userId}`
        users.set(userId, name)
        return name
      },
    }
  }
  return projectId => {
    const found = known.get(projectId)
    if (found !== undefined) return found
    countOne()
    const made = make(projectId)
    known.set(projectId, made)
    return made
  }
}

type Shortage = 'project_requests' | 'user_requests' | 'tokens_spent' | 'tokens_reserved'

function findShortage(
  { projectRequests, userRequests, tokens }: AdmissionRequest,
  project: WindowCount,
  user: WindowCount,
  projectDay: DayCount,
  userDay: DayCount,
): { shortage: Shortage | null; granted: number } {
  if (project.count >= projectRequests) return { shortage: 'project_requests', granted: 0 }
  if (userRequests !== null && user.count >= userRequests) return { shortage: 'user_requests', granted: 0 }
  if (!tokens) return { shortage: null, granted: 0 }
  const { left, remaining } = findRemainder(tokens, projectDay, userDay)
  if (left <= 0 || tokens.prompt > left) return { shortage: 'tokens_spent', granted: 0 }
  if (remaining <= 0 || tokens.prompt > remaining) return { shortage: 'tokens_reserved', granted: 0 }
  return { shortage: null, granted: tokens.prompt + Math.min(tokens.completion, remaining - tokens.prompt) }
}

/** What is not spent, and what of it no open reservation holds. */
function findRemainder(
  { projectPerDay, userPerDay }: TokenDemand,
  project: DayCount,
  user: DayCount,
): { left: number; remaining: number } {
  const left = projectPerDay - project.spent
  const remaining = left - project.reserved
  if (userPerDay === null) return { left, remaining }
  return {
    left: Math.min(left, userPerDay - user.spent),
    remaining: Math.min(remaining, userPerDay - user.spent - user.reserved),
  }
}
