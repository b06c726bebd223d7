// POST /v1/feedback: an end user judges one of their own requests of the last 30 days. A later judgement replaces the
// one before.

import type { AdmittedCall } from '../../call/admitted-call.ts'
import { dayMs } from '../../domain/day.ts'
import { Refusal } from '../../domain/errors.ts'
import { isJsonObject } from '../../domain/json-object.ts'
import { isStorable } from '../../domain/stored-text.ts'
import { addFeedback } from '../../storage/request-log/change-requests.ts'
import type { RequestBuffer } from '../../storage/request-log/request-buffer.ts'
import { type RequestDays, timeOfId } from '../../storage/request-log/request-days.ts'

interface FeedbackDependencies {
  requestDays: RequestDays
  requests: Pick<RequestBuffer, 'flush'>
  now: () => number
}

const acceptedMs = 30 * dayMs
const maxComment = 1_000
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export async function answerFeedback(
  { requestDays, requests, now }: FeedbackDependencies,
  call: AdmittedCall,
): Promise<void> {
  const { projectId, userId } = call.verified
  const given = readFeedback(call.body?.value)
  if (timeOfId(given.requestId) < now() - acceptedMs) throw new Refusal('request_not_found')
  // The request may have ended just now.
  await requests.flush()
  if (!(await addFeedback(requestDays, { projectId, userId, ...given }))) throw new Refusal('request_not_found')
  call.response.statusCode = 204
  call.response.end()
}

function readFeedback(body: unknown): { requestId: string; score: number; comment: string | null } {
  if (!isJsonObject(body)) throw new Refusal('invalid_request', { message: 'The body must be a JSON object' })
  const { request_id: requestId, score, comment = null } = body
  if (typeof requestId !== 'string' || !uuid.test(requestId)) {
    return refuse('request_id', 'request_id must be the ID of a request')
  }
  if (typeof score !== 'number' || !(score >= -1 && score <= 1)) {
    return refuse('score', 'score must be a number from -1 to 1')
  }
  if (comment === null) return { requestId, score, comment }
  if (typeof comment !== 'string' || comment.length > maxComment || !isStorable(comment)) {
    return refuse('comment', `comment must be a string of at most ${maxComment} characters`)
  }
  return { requestId, score, comment }
}

function refuse(param: string, message: string): never {
  throw new Refusal('invalid_request', { message, param })
}
