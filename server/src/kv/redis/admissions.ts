// Admissions on Redis: each operation is one script, and so atomic for all replicas. This file calls the scripts and
// reads their replies; the algorithm is in scripts/admit.lua, and in its twin process/admissions.ts.

import {
  answerAdmission,
  assertCount,
  assertCounts,
  assertDemand,
  dayOf,
  type Verdict,
} from '../admission-arithmetic.ts'
import {
  type Admission,
  type AdmissionRefusal,
  type AdmissionRequest,
  type Admissions,
  type Spend,
  StoreUnavailable,
} from '../store.ts'
import type { RedisConnection } from './client/connection.ts'
import { listOf, numberOf, textOf } from './client/replies.ts'
import { groupCalls } from './groups.ts'
import type { RedisKeys } from './keys.ts'
import { scripts } from './scripts.ts'
import type { ServerDeadline } from './server-deadline.ts'

const projectsAtOnce = 200
const usersAtOnce = 1_000

export function createRedisAdmissions(
  connection: RedisConnection,
  keys: RedisKeys,
  clock: () => number | '',
  deadline: ServerDeadline,
): Admissions {
  const { admitKeys, settleKeys, withdrawKeys } = createKeyLists(keys)
  const settleInGroup = groupCalls(connection, scripts.settle, [], () => [clock()])
  const admitInGroup = groupCalls(connection, scripts.admit, [keys.epoch, keys.killSwitches], () => {
    const time = clock()
    // A test's own clock does not measure how long callers wait, so there is no deadline then.
    return [time, time === '' ? deadline.latest() : '']
  })
  return {
    admit: createAdmit(request => admitInGroup(admitKeys(request), admitArgs(request)), deadline),
    withdraw: async (projectId, requestId) => {
      const reply = await connection.run(scripts.withdraw, withdrawKeys(projectId), [clock(), requestId])
      return reply === 'settled' ? 'settled' : 'unknown'
    },
    addRequests: async (reportId, windows) => {
      const counts = windows.flatMap(({ count, endsInMs }) => [count, endsInMs])
      assertCounts(...counts)
      const names = windows.map(({ projectId, userId }) => requestsKey(keys, projectId, userId))
      await connection.run(scripts.addRequests, [keys.report(reportId), ...names], [clock(), ...counts])
    },
    settle: async (projectId, requestId, tokens) => {
      assertCount(tokens)
      const reply = await settleInGroup(settleKeys(projectId), [requestId, tokens])
      return reply === 'settled' ? 'settled' : 'unknown'
    },
    checkpoint: async (projectId, requestId, tokens) => {
      assertCount(tokens)
      await connection.run(scripts.checkpoint, [keys.reservations(projectId)], [clock(), requestId, tokens])
    },
    sweepReservations: async (projectIds, endedHolder = '') => {
      let swept = 0
      for (let first = 0; first < projectIds.length; first += projectsAtOnce) {
        const names = projectIds
          .slice(first, first + projectsAtOnce)
          .flatMap(id => [keys.spend(id), keys.reservations(id)])
        swept += numberOf(await connection.run(scripts.sweepReservations, names, [clock(), endedHolder]))
      }
      return swept
    },
    restoreSpend: async spends => {
      for (let first = 0; first < spends.length; first += projectsAtOnce) {
        const chunk = spends.slice(first, first + projectsAtOnce)
        await Promise.all(chunk.map(spend => restoreDay(connection, keys, clock, spend)))
      }
    },
    findSpend: async (projectId, day) => {
      const spent = await connection.send('HGET', `${keys.spend(projectId)}${dayOf(day)}`, 'spent')
      return spent === null ? 0 : numberOf(spent)
    },
  }
}

function createAdmit(
  ask: (request: AdmissionRequest) => Promise<unknown>,
  deadline: ServerDeadline,
): (request: AdmissionRequest) => Promise<Admission> {
  async function askOnce(request: AdmissionRequest): Promise<unknown[]> {
    const reply = listOf(await ask(request))
    deadline.learn(numberOf(reply[1]))
    return reply
  }
  return async request => {
    assertDemand(request)
    let reply = await askOnce(request)
    // The caller still waits, so the estimate of the server's clock was wrong. The reply has corrected it.
    if (reply[0] === 'late') reply = await askOnce(request)
    if (reply[0] === 'late') throw new StoreUnavailable('timeout')
    return answerAdmission(request, verdictOf(reply))
  }
}

type ProjectKeys = readonly [
  spend: string,
  reservations: string,
  config: string,
  requests: string,
  restrictions: string,
]

/** Beyond this the names of all projects are dropped, and built again when they are needed. */
const maxProjects = 20_000

/** Caches the key names that each call of a project needs: together they are as long as the rest of the call. */
function createKeyLists(keys: RedisKeys) {
  const known = new Map<string, ProjectKeys>()

  function namesOf(projectId: string): ProjectKeys {
    const found = known.get(projectId)
    if (found !== undefined) return found
    if (known.size >= maxProjects) known.clear()
    const made = [
      keys.spend(projectId),
      keys.reservations(projectId),
      keys.config(projectId),
      keys.projectRequests(projectId),
      keys.restrictions(projectId),
    ] as const
    known.set(projectId, made)
    return made
  }

  return {
    admitKeys({ projectId, userId }: AdmissionRequest): string[] {
      const [spend, reservations, config, requests, restrictions] = namesOf(projectId)
      const ofUser = keys.userRequests(projectId, userId)
      return [config, requests, ofUser, spend, reservations, restrictions]
    },
    withdrawKeys(projectId: string): string[] {
      const [spend, reservations, , requests] = namesOf(projectId)
      return [spend, reservations, requests]
    },
    settleKeys(projectId: string): string[] {
      const [spend, reservations] = namesOf(projectId)
      return [spend, reservations]
    },
  }
}

function requestsKey(keys: RedisKeys, projectId: string, userId: string | null): string {
  return userId === null ? keys.projectRequests(projectId) : keys.userRequests(projectId, userId)
}

function admitArgs(request: AdmissionRequest): Array<string | number> {
  const { tokens } = request
  return [
    request.requestId,
    `t:${request.tenantId}`,
    `p:${request.projectId}`,
    request.userId,
    request.configRevision,
    request.projectRequests,
    request.userRequests ?? '',
    tokens?.prompt ?? '',
    tokens?.completion ?? '',
    request.projectTokens,
    request.userTokens ?? '',
    request.restrictionsRevision,
    request.holder,
  ]
}

function verdictOf(list: readonly unknown[]): Verdict {
  const at = (index: number) => (index < list.length ? numberOf(list[index]) : 0)
  const [reason, now, reserved] = [reasonOf(textOf(list[0])), at(1), at(2)]
  if (list.length <= 3) return { reason, now, reserved, counters: null }
  return {
    reason,
    now,
    reserved,
    counters: {
      requests: { now, project: { count: at(3), endsAt: at(4) }, user: { count: at(5), endsAt: at(6) } },
      projectDay: { spent: at(7), reserved: at(8) },
      userDay: { spent: at(9), reserved: at(10) },
    },
  }
}

const reasons: Record<'admitted' | AdmissionRefusal, true> = {
  admitted: true,
  unseeded: true,
  stale_config: true,
  stale_restrictions: true,
  killed: true,
  suspended: true,
  project_requests: true,
  user_requests: true,
  tokens_spent: true,
  tokens_reserved: true,
}

function reasonOf(word: string): Verdict['reason'] {
  const isReason = (text: string): text is Verdict['reason'] => Object.hasOwn(reasons, text)
  if (isReason(word)) return word
  throw new Error('Redis answered something other than a verdict')
}

async function restoreDay(
  connection: RedisConnection,
  keys: RedisKeys,
  clock: () => number | '',
  { projectId, day, tokens, users }: Spend,
): Promise<void> {
  assertCounts(tokens, ...Object.values(users))
  const number = dayOf(day)
  const counters = [
    ['spent', tokens] as const,
    ...Object.entries(users).map(([id, spent]) => [`s:${id}`, spent] as const),
  ]
  for (let first = 0; first < counters.length; first += usersAtOnce) {
    const args = [clock(), number, ...counters.slice(first, first + usersAtOnce).flat()]
    await connection.run(scripts.restoreSpend, [`${keys.spend(projectId)}${number}`], args)
  }
}
