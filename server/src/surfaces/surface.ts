// An inbound wire format: how its requests are read, and how answers and errors are written for its clients. Knows no
// project, no provider and no limit.

import type { AnswerEvent } from '../domain/conversation/answer.ts'
import type { WeighedRequest } from '../domain/conversation/inference-request.ts'
import type { Refusal } from '../domain/errors.ts'
import type { AnswerFormat } from '../http/answer-format.ts'
import type { PlaneResponse } from '../http/exchange.ts'

/** Every member is required, so that a format that cannot render something does not compile. */
export interface Surface extends AnswerFormat {
  /** The path of its completions. */
  readonly pattern: string
  /** The first stage of reading a body, which has the second one in it. Throws what is wrong with the body's frame. */
  weigh(body: unknown): WeighedRequest
  streamReply(response: PlaneResponse, options: StreamReplyOptions): Reply
  wholeReply(response: PlaneResponse, options: ReplyOptions): Reply
}

export interface ReplyOptions {
  requestId: string
  createdSeconds: number
  /** What the answer calls its model where the provider names none. */
  model: string
  /** A gateway in another process settles by what the answer says it cost, where clients do not see it. */
  tellsUsage: boolean
}

export interface StreamReplyOptions extends ReplyOptions {
  /** Whether the client asked for the usage. */
  includeUsage: boolean
  keepAliveMs: number
}

/** One answer on its way to the client. */
export interface Reply {
  /** False asks the provider to wait until the response's drain. */
  take(events: readonly AnswerEvent[]): boolean
  /** The answer is complete, at the cost of these tokens. */
  finish(tokens: number): void
  /** The answer breaks off, and this is why. */
  cut(refusal: Refusal, tokens: number): void
  /** The client is gone. */
  drop(): void
}
