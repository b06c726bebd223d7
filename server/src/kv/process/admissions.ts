// Admissions in this process: each is one synchronous pass, so nothing runs between its checks and its charges.
// Twin of scripts/admit.lua, settle.lua, checkpoint.lua …: same names, same order.
import { dayMs } from '../../domain/day.ts'
import {
  answerAdmission,
  assertCount,
  assertCounts,
  assertDemand,
  type DayCount,
  dayOf,
  leaseMs,
  reportMs,
  requestWindowMs,
  type Verdict,
} from '../admission-arithmetic.ts'
import type { OpenWindow, WindowCount } from '../request-windows.ts'
import type { AdmissionRequest, Admissions } from '../store.ts'
import type { WindowPlace, WindowTable } from '../window-table.ts'
import type { ProcessProjection } from './projection.ts'
import type { Reservation, SpendTable } from './spend-table.ts'

interface Dependencies {
  findRejection: ProcessProjection['findRejection']
  windows: WindowTable
  places: WindowPlaces
  spend: SpendTable
  clock: () => number
}

export function createProcessAdmissions(given: Omit<Dependencies, 'places'>): Admissions {
  const { spend, windows, clock } = given
  const dependencies: Dependencies = { ...given, places: createWindowPlaces(given.windows) }
  return {
    admit(request) {
      try {
        assertDemand(request)
        return answerAdmission(request, admit(dependencies, request))
      } catch (error) {
        return Promise.reject(error)
      }
    },
    settle(projectId, requestId, tokens) {
      try {
        assertCount(tokens)
        return spend.settleReservation(projectId, requestId, tokens) ? 'settled' : 'unknown'
      } catch (error) {
        return Promise.reject(error)
      }
    },
    withdraw: async (projectId, requestId) => {
      const held = spend.findReservation(projectId, requestId)
      if (held === undefined) return 'unknown'
      spend.settleReservation(projectId, requestId, 0)
      const [now, admittedAt] = [clock(), held.leaseEndsAt - leaseMs]
      for (const key of [requestsKey(projectId), requestsKey(projectId, held.userId)]) {
        const { endsAt } = windows.read(key, now)
        if (endsAt - requestWindowMs <= admittedAt) windows.giveBack(key, endsAt, now)
      }
      return 'settled'
    },
    addRequests: async (reportId, added) => addRequests(windows, clock(), reportId, added),
    checkpoint: async (projectId, requestId, tokens) => {
      assertCount(tokens)
      const held = spend.findReservation(projectId, requestId)
      if (held) spend.renewReservation(held, tokens, clock())
    },
    sweepReservations: async (projectIds, endedHolder) => {
      const now = clock()
      let swept = 0
      for (const projectId of projectIds) {
        for (const requestId of spend.findEnded(projectId, now, endedHolder)) {
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

/** The key of the window of a project's requests, or of one user's. */
export function requestsKey(projectId: string, userId: string | null = null): string {
  return userId === null ? `requests:${projectId}` : `requests:${projectId}:${userId}`
}

function addRequests(windows: WindowTable, now: number, reportId: string, added: readonly OpenWindow[]): void {
  assertCounts(...added.flatMap(({ count, endsInMs }) => [count, endsInMs]))
  const report = `report:${reportId}`
  if (windows.read(report, now).count > 0) return
  windows.write(report, 1, now + reportMs, now)
  for (const { projectId, userId, count, endsInMs } of added) {
    const key = requestsKey(projectId, userId)
    const open = windows.read(key, now)
    const endsAt = now + endsInMs
    windows.write(key, open.count + count, open.endsAt === 0 ? endsAt : Math.min(open.endsAt, endsAt), now)
  }
}

const noWindow: Readonly<WindowCount> = { count: 0, endsAt: 0 }
const noTokens: Readonly<DayCount> = { spent: 0, reserved: 0 }

function admit({ findRejection, windows, places, spend, clock }: Dependencies, request: AdmissionRequest): Verdict {
  const { requestId, holder, projectId, userId, tokens } = request
  const now = clock()
  const rejection = findRejection(request)
  if (rejection) return { reason: rejection, now, reserved: 0, counters: null }

  const placesOfProject = places(projectId)
  const projectPlace = placesOfProject.project
  const userPlace = request.userRequests === null ? null : placesOfProject.ofUser(userId)
  const project = windows.readAt(projectPlace, now)
  const user = userPlace === null ? noWindow : windows.readAt(userPlace, now)
  const projectSpend = tokens && spend.projectSpendOf(projectId)
  const number = Math.floor(now / dayMs)
  const day = (projectSpend ?? spend.findProjectSpend(projectId))?.findDay(number)
  const projectDay = day ?? noTokens
  const userDay = day?.users.get(userId) ?? noTokens

  const unchanged = (reason: Verdict['reason'], reserved: number): Verdict => {
    return { reason, now, reserved, counters: { requests: { now, project, user }, projectDay, userDay } }
  }
  const { shortage, granted } = findShortage(request, project, user, projectDay, userDay)
  let held: Reservation | undefined
  if (projectSpend) {
    const [checkpoint, leaseEndsAt] = [tokens.prompt, now + leaseMs]
    const wanted = { day: number, reserved: granted, checkpoint, userId, holder, leaseEndsAt }
    held = shortage ? projectSpend.reservations.get(requestId) : projectSpend.hold(requestId, wanted)
  }
  // A request that already holds a reservation gets the same answer again, regardless of what is left now.
  if (held) return unchanged('admitted', held.reserved)
  if (shortage) return unchanged(shortage, 0)

  const requests = { now, project: windows.countAt(projectPlace, requestWindowMs, now), user }
  if (userPlace !== null) requests.user = windows.countAt(userPlace, requestWindowMs, now)
  const counters = { requests, projectDay, userDay }
  if (projectSpend) {
    const charged = projectSpend.add(number, userId, 0, granted)
    counters.projectDay = charged
    counters.userDay = charged.userFor(userId)
  }
  return { reason: 'admitted', now, reserved: granted, counters }
}

type WindowPlaces = (projectId: string) => {
  readonly project: WindowPlace
  ofUser(userId: string): WindowPlace
}

/** Beyond this all are dropped, to bound memory: clients choose how many users there are. */
const maxPlaces = 100_000

/** Finds the windows of a request by its project and user, so that no key is built for each request. */
function createWindowPlaces({ placeOf }: WindowTable): WindowPlaces {
  const known = new Map<string, ReturnType<WindowPlaces>>()
  let count = 0
  const countOne = (): void => {
    if (count >= maxPlaces) {
      known.clear()
      count = 0
    }
    count += 1
  }
  const make = (projectId: string): ReturnType<WindowPlaces> => {
    const users = new Map<string, WindowPlace>()
    return {
      project: placeOf(requestsKey(projectId)),
      ofUser(userId) {
        const found = users.get(userId)
        if (found !== undefined) return found
        countOne()
        const place = placeOf(requestsKey(projectId, userId))
        users.set(userId, place)
        return place
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
  request: AdmissionRequest,
  project: Readonly<WindowCount>,
  user: Readonly<WindowCount>,
  projectDay: Readonly<DayCount>,
  userDay: Readonly<DayCount>,
): { shortage: Shortage | null; granted: number } {
  const { projectRequests, userRequests, tokens } = request
  if (project.count >= projectRequests) return { shortage: 'project_requests', granted: 0 }
  if (userRequests !== null && user.count >= userRequests) return { shortage: 'user_requests', granted: 0 }
  if (!tokens) return { shortage: null, granted: 0 }
  const { left, remaining } = findRemainder(request, projectDay, userDay)
  if (left <= 0 || tokens.prompt > left) return { shortage: 'tokens_spent', granted: 0 }
  if (remaining <= 0 || tokens.prompt > remaining) return { shortage: 'tokens_reserved', granted: 0 }
  return { shortage: null, granted: tokens.prompt + Math.min(tokens.completion, remaining - tokens.prompt) }
}

/** `left` is not spent; `remaining` is not held by an open reservation either. */
function findRemainder(
  { projectTokens, userTokens }: AdmissionRequest,
  project: Readonly<DayCount>,
  user: Readonly<DayCount>,
): { left: number; remaining: number } {
  const left = projectTokens - project.spent
  const remaining = left - project.reserved
  if (userTokens === null) return { left, remaining }
  return {
    left: Math.min(left, userTokens - user.spent),
    remaining: Math.min(remaining, userTokens - user.spent - user.reserved),
  }
}
