// Turns what an admission found and decided into its result: the arithmetic that both stores share.
import { dayMs } from '../domain/day.ts'
import type { RequestCounts } from './request-windows.ts'
import type { Admission, AdmissionRefusal, AdmissionRequest, LimitState } from './store.ts'

export const requestWindowMs = 60_000
export const leaseMs = 15 * 60_000
/** How long the id of a report of requests is kept, to count it once: far longer than its sender retries. */
export const reportMs = 5 * 60_000

export interface DayCount {
  spent: number
  reserved: number
}

interface Counters {
  requests: RequestCounts
  projectDay: Readonly<DayCount>
  userDay: Readonly<DayCount>
}

/** The counters are those after the decision; null if the checks ended before they were read. */
export interface Verdict {
  reason: 'admitted' | AdmissionRefusal
  now: number
  reserved: number
  counters: Counters | null
}

/** Days are counted from the epoch, in UTC. */
export function dayOf(date: string): number {
  const day = Date.parse(`${date}T00:00:00Z`) / dayMs
  if (!Number.isInteger(day)) throw new RangeError('a day is written YYYY-MM-DD')
  return day
}

/** Counters take whole numbers from 0 up; anything else is a bug of the caller. */
export function assertCounts(...values: readonly number[]): void {
  for (const value of values) assertCount(value)
}

export function assertCount(value: number): void {
  if (!(Number.isSafeInteger(value) && value >= 0)) {
    throw new RangeError('counters take whole numbers that are not negative')
  }
}

/** Checks them one by one: `assertCounts` would allocate a list for each request. */
export function assertDemand(request: AdmissionRequest): void {
  const { configRevision, restrictionsRevision, projectRequests, userRequests, projectTokens, userTokens, tokens } =
    request
  assertCount(configRevision)
  assertCount(restrictionsRevision)
  assertCount(projectRequests)
  if (userRequests !== null) assertCount(userRequests)
  assertCount(projectTokens)
  if (userTokens !== null) assertCount(userTokens)
  if (tokens === null) return
  assertCount(tokens.prompt)
  assertCount(tokens.completion)
}

export function answerAdmission(request: AdmissionRequest, verdict: Verdict): Admission {
  const { reason, counters, now } = verdict
  const counts = counters === null ? null : counters.requests
  const requests = counts && describeRequests(request, counts)
  const tokens = counters && describeTokens(request, counters.projectDay, counters.userDay, now)
  if (reason === 'admitted') {
    if (counts === null || requests === null || tokens === null) throw new Error('an admission without counters')
    return { admitted: true, requests, tokens, reserved: verdict.reserved, counts }
  }
  return { admitted: false, reason, retryAfterSeconds: waitFor(request, verdict), requests, tokens, counts }
}

export function secondsUntil(endsAt: number, now: number): number {
  return Math.max(1, Math.ceil((endsAt - now) / 1000))
}

function waitFor(request: AdmissionRequest, verdict: Verdict): number {
  const { reason, counters, now } = verdict
  if (counters === null) return 0
  if (reason === 'project_requests') return secondsUntil(counters.requests.project.endsAt || now + requestWindowMs, now)
  if (reason === 'user_requests') return secondsUntil(counters.requests.user.endsAt || now + requestWindowMs, now)
  if (reason === 'tokens_spent') return secondsUntil(endOfDay(now), now)
  if (reason === 'tokens_reserved') return waitForReservations(request, counters)
  return 0
}

/** Longer, the more of the day's tokens open reservations hold. They end within seconds, but it is unknown when. */
function waitForReservations({ projectTokens, userTokens }: AdmissionRequest, days: Counters): number {
  const ofProject = days.projectDay.reserved / Math.max(1, projectTokens)
  const ofUser = userTokens === null ? 0 : days.userDay.reserved / Math.max(1, userTokens)
  return Math.min(5, Math.max(1, Math.ceil(5 * Math.max(ofProject, ofUser))))
}

/** Shows the user's own limit if less is left of it than of the project's. */
function describeRequests(
  { projectRequests, userRequests }: AdmissionRequest,
  { project, user, now }: RequestCounts,
): LimitState {
  const ofProject = Math.max(0, projectRequests - project.count)
  const ofUser = userRequests === null ? ofProject : Math.max(0, userRequests - user.count)
  const isUsers = userRequests !== null && ofUser < ofProject
  return {
    limit: isUsers ? userRequests : projectRequests,
    remaining: isUsers ? ofUser : ofProject,
    resetSeconds: secondsUntil((isUsers ? user : project).endsAt || now + requestWindowMs, now),
  }
}

function describeTokens(
  { projectTokens, userTokens }: AdmissionRequest,
  project: Readonly<DayCount>,
  user: Readonly<DayCount>,
  now: number,
): LimitState {
  const ofProject = Math.max(0, projectTokens - project.spent - project.reserved)
  const ofUser = userTokens === null ? ofProject : Math.max(0, userTokens - user.spent - user.reserved)
  const isUsers = userTokens !== null && ofUser < ofProject
  return {
    limit: isUsers ? userTokens : projectTokens,
    remaining: isUsers ? ofUser : ofProject,
    resetSeconds: secondsUntil(endOfDay(now), now),
  }
}

function endOfDay(now: number): number {
  return (Math.floor(now / dayMs) + 1) * dayMs
}
