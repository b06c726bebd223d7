// Erases the end users whose erasure was requested: their threads, sessions and stored responses, and
// their id in the usage, in guardrail events, in the request log and in the meter.

import { conversationOwner } from '../domain/conversation/conversation-owner.ts'
import { sharedAnswersOf } from '../domain/conversation/shared-answers.ts'
import { deleteResponsesPage } from '../storage/conversations/stored-responses.ts'
import {
  deleteThreadsPage,
  eraseUsageDay,
  eraseUsageRecordsPage,
  findDayAfter,
  findFirstSeen,
  finishErasure,
  listErasures,
} from '../storage/end-users/erase.ts'
import type { EndUserKey } from '../storage/end-users/restrict.ts'
import { eraseUserOfEventsPage } from '../storage/guardrail-events/guardrail-event-rows.ts'
import { forgetCustomer } from '../storage/meters/subjects.ts'
import { eraseUserOfRequests } from '../storage/request-log/change-requests.ts'
import { eraseContentOfUser } from '../storage/request-log/request-content.ts'
import type { RequestLogDays } from '../storage/request-log/request-days.ts'
import { inPages } from './in-pages.ts'
import type { Job, WorkerDependencies } from './job.ts'

const usersAtOnce = 100
const messagesAtOnce = 500
const responsesAtOnce = 100
const recordsAtOnce = 2_000
/** By then, replicas have written the usage of earlier answers. */
const settledMs = 1_000

export function eraseEndUsers(requestLog: RequestLogDays): Job {
  return {
    name: 'erase-end-users',
    everyMs: 2_000,
    runsBeforeReady: false,
    async run(dependencies, signal) {
      let count = 0
      await inPages(signal, async () => {
        const erasures = await listErasures(dependencies.sql, dependencies.now() - settledMs, usersAtOnce)
        for (const { requestedAt, ...user } of erasures) {
          await erase(dependencies, user, signal)
          await eraseFromRequests(requestLog, user, signal)
          // A run that is cut short starts again with this user next time.
          if (signal.aborted) return false
          await finishErasure(dependencies.sql, user, requestedAt)
          count += 1
        }
        return erasures.length === usersAtOnce
      })
      if (count > 0) dependencies.log.info('end users erased', { count })
    },
  }
}

async function eraseFromRequests(
  { requestDays, contentDays }: RequestLogDays,
  user: EndUserKey,
  signal: AbortSignal,
): Promise<void> {
  for (const day of await contentDays.list()) if (!signal.aborted) await eraseContentOfUser(contentDays, day, user)
  for (const day of await requestDays.list()) if (!signal.aborted) await eraseUserOfRequests(requestDays, day, user)
}

async function erase({ sql, kv }: WorkerDependencies, user: EndUserKey, signal: AbortSignal): Promise<void> {
  await inPages(signal, () => deleteThreadsPage(sql, user, messagesAtOnce))
  await inPages(signal, async () => (await deleteResponsesPage(sql, user, responsesAtOnce)) === responsesAtOnce)
  await kv.forgetConversations(conversationOwner(user))
  // An answer that end users share does not say who asked first.
  for (const start of [conversationOwner(user), sharedAnswersOf(user)]) await kv.forgetAnswers(start)
  let day: string | null = ''
  await inPages(signal, async () => {
    day = await findDayAfter(sql, user.projectId, day ?? '')
    if (day !== null) await eraseUsageDay(sql, user, day)
    return day !== null
  })
  const firstSeenAt = await findFirstSeen(sql, user)
  let after: number | null = (firstSeenAt ?? 0) - 1
  await inPages(signal, async () => {
    after = await eraseUsageRecordsPage(sql, user, after ?? 0, recordsAtOnce)
    return after !== null
  })
  await forgetCustomer(sql, user)
  let afterEvent: string | null = ''
  await inPages(signal, async () => {
    afterEvent = await eraseUserOfEventsPage(sql, user, afterEvent ?? '', recordsAtOnce)
    return afterEvent !== null
  })
}
