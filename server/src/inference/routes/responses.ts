// The routes of an end user's stored responses: read and delete. An end user reaches only their own; a service of the
// project may name another user.

import type { Kysely } from 'kysely'
import type { AdmittedCall } from '../../call/admitted-call.ts'
import { isResponseId } from '../../domain/conversation/response-id.ts'
import { Refusal } from '../../domain/errors.ts'
import { replyJson, replyJsonText } from '../../http/reply.ts'
import { deleteResponse, findResponse, type ResponseOwner } from '../../storage/conversations/stored-responses.ts'
import type { Schema } from '../../storage/schema.ts'
import { findUser, queryOf } from './read-query.ts'

interface ResponseDependencies {
  sql: Kysely<Schema>
  now: () => number
}

export async function answerResponse({ sql, now }: ResponseDependencies, call: AdmittedCall): Promise<void> {
  const { stream } = queryOf(call)
  if (stream !== undefined && stream !== 'false') {
    throw new Refusal('invalid_request', { message: 'stream is not supported for a stored response', param: 'stream' })
  }
  const body = await findResponse(sql, ownerOf(call), responseIdOf(call), now())
  if (body === null) throw new Refusal('response_not_found')
  replyJsonText(call.response, 200, body)
}

export async function answerResponseDeletion({ sql, now }: ResponseDependencies, call: AdmittedCall): Promise<void> {
  const id = responseIdOf(call)
  if (!(await deleteResponse(sql, ownerOf(call), id, now()))) throw new Refusal('response_not_found')
  replyJson(call.response, 200, { id, object: 'response', deleted: true })
}

function responseIdOf({ request }: AdmittedCall): string {
  const [, , , id = ''] = (request.url ?? '').split(/[/?]/)
  if (!isResponseId(id)) throw new Refusal('response_not_found')
  return id
}

function ownerOf(call: AdmittedCall): ResponseOwner {
  return { projectId: call.verified.projectId, userId: findUser(call) ?? call.verified.userId }
}
