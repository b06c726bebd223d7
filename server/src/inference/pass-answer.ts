// Passes an answer that has begun to the client as it comes, until it is complete, breaks, or has to end early; then it is
// accounted once, and remembered where it was complete. Knows no provider and no wire format.

import { Refusal } from '../domain/errors.ts'
import type { Log } from '../domain/log.ts'
import { frameOfFault } from '../domain/provider-fault.ts'
import type { Ending } from '../http/inference-port.ts'
import { renderRefusal } from '../http/reply.ts'
import type { AnswerEvent } from '../providers/protocols/protocol.ts'
import type { BegunAnswer } from './begun-answer.ts'
import type { ReasoningCarrier } from './carry-reasoning.ts'
import type { ModelRegistry } from './model-registry.ts'
import { recordUsage } from './record-usage.ts'
import { createPlainReply, createStreamReply, type ErrorFrame, type Reply } from './reply.ts'
import type { Turn } from './turn.ts'
import type { Accounts } from './usage-record.ts'
import { createRoomKeeper } from './wait-for-room.ts'

interface PassParts {
  reasoning: ReasoningCarrier
  registry: ModelRegistry
  accounts: Accounts
  now: () => number
  /** How long a client may take nothing of what waits for it. */
  idleTimeoutMs: number
  log: Log
}

/** Resolves when the response has ended, or everything that belongs to it is on its way. */
export function passAnswer(parts: PassParts, turn: Turn, begun: BegunAnswer): Promise<void> {
  return new Promise(resolve => {
    const { call, ending, collected } = turn
    const reply = createReply(parts, turn)
    const room = createRoomKeeper(call.response, parts.idleTimeoutMs)
    let isOver = false

    function conclude(): number {
      isOver = true
      ending.listen(null)
      return recordUsage(parts, turn)
    }
    function leave(): void {
      room.stop()
      resolve()
    }
    function onEnding(reason: Ending): void {
      if (isOver) return
      collected.noteBroken(begun.abort())
      const tokens = conclude()
      if (reason === 'client_gone') reply.drop()
      else cut(frameOfEnding(reason), tokens)
      leave()
    }
    async function onEnd(frame: ErrorFrame | null): Promise<void> {
      if (isOver) return
      const tokens = conclude()
      if (frame === null) {
        await remember(parts, turn)
        reply.finish(tokens)
      } else cut(frame, tokens)
      leave()
    }
    function cut(frame: ErrorFrame, tokens: number): void {
      const left = turn.restorer?.flush() ?? []
      if (left.length > 0) reply.take([{ deltas: left, raw: null }])
      reply.cut(frame, tokens)
    }
    ending.listen(onEnding)
    begun.begin({
      onEvents(events) {
        if (isOver) return true
        if (reply.take(hear(turn, events))) return true
        room.wait(begun.resume)
        return false
      },
      onEnd: fault => void onEnd(fault === null ? null : frameOfFault(fault)),
    })
  })
}

/** What the client is told of what the provider said. */
function hear({ call, collected, restorer }: Turn, events: readonly AnswerEvent[]): readonly AnswerEvent[] {
  for (const { deltas } of events) for (const delta of deltas) collected.count(delta)
  // Once the provider has counted, the call is as good as settled.
  if (call.promptEstimate !== null && collected.counted() === null) {
    call.checkpoint(call.promptEstimate + collected.tokens())
  }
  // The provider's own bytes hold tokens, or may.
  const told =
    restorer === null ? events : events.map(({ deltas }) => ({ deltas: restorer.restore(deltas), raw: null }))
  for (const { deltas } of told) for (const delta of deltas) collected.keep(delta)
  return told
}

function createReply({ now }: PassParts, { call, request, target }: Turn): Reply {
  const identity = {
    id: `chatcmpl-${call.verified.requestId}`,
    createdSeconds: Math.floor(now() / 1000),
    model: target.modelId,
  }
  const { stream, includeUsage } = request.prompt
  const tellsUsage = call.tellsUsage === true
  if (!stream) return createPlainReply(call.response, identity, tellsUsage)
  return createStreamReply(call.response, identity, { includeUsage, tellsUsage })
}

async function remember({ reasoning, log }: PassParts, turn: Turn): Promise<void> {
  const { call, request, target, conversation, memorable, collected } = turn
  if (request.prompt.tools.length > 0) await reasoning.keep(call.verified, target.provider, collected.message())
  try {
    await conversation?.remember([...memorable, collected.message()])
  } catch (error) {
    // The answer stands; that it is not remembered is the operator's to know.
    log.error('turn could not be stored', { request_id: call.verified.requestId, error })
  }
}

/** A client that is gone reads no refusal. */
export function refusalOfEnding(reason: Ending): Refusal {
  return new Refusal(reason === 'client_gone' ? 'bad_request' : reason)
}

function frameOfEnding(reason: Ending): ErrorFrame {
  const { error } = renderRefusal(refusalOfEnding(reason), 'openai') as { error: ErrorFrame }
  return error
}
