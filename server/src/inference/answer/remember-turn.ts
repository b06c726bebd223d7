// Keeps a complete answer for later requests: in the conversation, as a stored response, and its reasoning for the
// provider that wants it back.

import type { Log } from '../../domain/log.ts'
import { kindOfError, sparseLogOf } from '../../log/sparse-log.ts'
import type { Reply } from '../../surfaces/surface.ts'
import type { ReasoningCarrier } from '../memory/carry-reasoning.ts'
import type { Turn } from '../turn.ts'

interface RememberDependencies {
  reasoning: ReasoningCarrier
  log: Log
}

export async function rememberTurn({ reasoning, log }: RememberDependencies, turn: Turn, reply: Reply): Promise<void> {
  const { call, request, target, conversation, storedResponse, messagesToRemember, collected } = turn
  if (request.prompt.tools.length > 0) await reasoning.keep(call.verified, target.provider, collected.message())
  try {
    await conversation?.remember([...messagesToRemember, collected.message()])
    const body = storedResponse?.isStored ? reply.stored?.() : undefined
    if (body !== undefined) await storedResponse?.keep({ said: messagesToRemember, answer: collected.message(), body })
  } catch (error) {
    // The client still gets its answer; the operator must know that it is not remembered.
    const fields = { request_id: call.verified.requestId, error }
    sparseLogOf(log).error('turn could not be stored', kindOfError(error), fields)
  }
}
