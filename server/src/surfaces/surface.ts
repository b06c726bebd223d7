// An inbound wire format: how its requests are read, and how answers and errors are written for its clients.
// Independent of projects, providers and limits.

import type { AnswerEvent } from '../domain/conversation/answer.ts'
import type { EstimatedRequest } from '../domain/conversation/inference-request.ts'
import type { Refusal } from '../domain/errors.ts'
import type { JsonObject } from '../domain/json-object.ts'
import type { AnswerFormat } from '../http/answer-format.ts'
import type { PlaneResponse } from '../http/exchange.ts'

/** Every member is required, so that a format that cannot render something does not compile. */
export interface Surface extends AnswerFormat {
  /** The path of its completions. */
  readonly pattern: string
  /** The first stage of reading a body; its result runs the second one. Throws if the body's frame is invalid. */
  estimate(body: unknown): EstimatedRequest
  streamReply(response: PlaneResponse, options: StreamReplyOptions): Reply
  wholeReply(response: PlaneResponse, options: ReplyOptions): Reply
  readonly description: SurfaceDescription
}

/** What the OpenAPI document says about a surface: JSON Schemas and examples. */
export interface SurfaceDescription {
  operationId: string
  summary: string
  description: string
  /** By the names under which the others refer to them. */
  schemas: Readonly<Record<string, JsonObject>>
  request: DescribedBody
  answer: DescribedBody
  /** The schema is that of an event's data. */
  stream: DescribedBody
  /** The name of the schema of its errors. */
  errorSchema: string
}

export interface DescribedBody {
  schema: JsonObject
  examples: Readonly<Record<string, DescribedExample>>
}

export interface DescribedExample {
  summary: string
  value: unknown
}

export interface ReplyOptions {
  requestId: string
  createdSeconds: number
  /** The model that the answer names if the provider names none. */
  model: string
  /** Report the cost for a gateway in another process, which settles by it: in a place that clients do not see. */
  reportsUsage: boolean
}

export interface StreamReplyOptions extends ReplyOptions {
  /** Whether the client asked for the usage. */
  includeUsage: boolean
  keepAliveMs: number
}

/** Writes one answer to the client. */
export interface Reply {
  /** Returns false if the provider must pause until the response drains. */
  take(events: readonly AnswerEvent[]): boolean
  /** Ends a complete answer that cost these tokens. */
  finish(tokens: number): void
  /** Ends an incomplete answer with this error. */
  endWithError(refusal: Refusal, tokens: number): void
  /** Call this when the client has disconnected. */
  drop(): void
}
