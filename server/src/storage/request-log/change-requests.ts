// Changes rows of the request log: removes end users, adds feedback.

import { dayOf, idsOf, type RequestDays, timeOfId } from './request-days.ts'

/** The id of an end user who was erased. */
const erasedUid = 'erased'
const withoutConversation = { thread_id: null, session_id: null, agent_session_id: null, agent_id: null }

export async function eraseUserOfRequests(
  days: RequestDays,
  day: string,
  { projectId, userId }: { projectId: string; userId: string },
): Promise<void> {
  const [from, to] = idsOf(day)
  await days
    .of(day)
    .updateTable('requests')
    .set({ uid: erasedUid, feedback_comment: null, ...withoutConversation })
    .where('project_id', '=', projectId)
    .where('uid', '=', userId)
    .where('id', '>=', from)
    .where('id', '<', to)
    .execute()
}

interface Feedback {
  projectId: string
  userId: string
  requestId: string
  score: number
  comment: string | null
}

/** False if the end user has no such request. */
export async function addFeedback(days: RequestDays, feedback: Feedback): Promise<boolean> {
  const { projectId, userId, requestId, score, comment } = feedback
  const day = dayOf(timeOfId(requestId))
  if (!(await days.list()).includes(day)) return false
  const { numUpdatedRows } = await days
    .of(day)
    .updateTable('requests')
    .set({ feedback_score: score, feedback_comment: comment })
    .where('project_id', '=', projectId)
    .where('id', '=', requestId)
    .where('uid', '=', userId)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}
