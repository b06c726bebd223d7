// An inbound wire format: its endpoints, how their requests are read, and how answers and errors are written for its
// clients. Independent of projects, providers and limits.

import type { AnswerFormat } from '../call/answer-format.ts'
import type { AnswerEvent } from '../domain/conversation/answer.ts'
import type { EstimatedRequest, ResponseOptions } from '../domain/conversation/inference-request.ts'
import type { EndpointRow, Operation } from '../domain/conversation/operations.ts'
import type { WireFormat } from '../domain/conversation/wire-format.ts'
import type { Refusal } from '../domain/errors.ts'
import type { JsonPlace } from '../domain/json/json-places.ts'
import type { JsonObject } from '../domain/json-object.ts'
import type { ErrorFormat } from '../http/error-formats.ts'
import type { PlaneResponse } from '../http/exchange.ts'
import type { PromptForm } from './prompt-form.ts'

export interface Surface extends AnswerFormat {
  readonly wireFormat: WireFormat
  /** Errors of the gateway itself, from before the request is admitted. */
  readonly gatewayErrors: ErrorFormat
  /** The name of the schema of its own errors, which is one of an endpoint's. */
  readonly errorSchema: string
  /** Clients of this format may send their token as `X-Api-Key`. */
  readonly acceptsApiKeyHeader: boolean
  /** A second name for `x-request-id` in responses, which clients of this format read; null if they need none. */
  readonly requestIdHeader: string | null
  /** Headers of requests that are passed on to providers of the same format, in lower case. */
  readonly providerHeaders: readonly string[]
  /** Where the texts that may be masked stand in a body that is passed on; absent if none is. */
  readonly places?: JsonPlace
  /** The parts of an answer stand in an order: each ends before the next begins. */
  readonly ordersParts: boolean
  readonly endpoints: readonly Endpoint[]
}

/** A route that answers a body, by its row of the table of endpoints. */
export interface Endpoint extends Readonly<Pick<EndpointRow, 'pattern' | 'name' | 'modelSurface'>> {
  readonly operation: Operation
  /**
   * The first stage of reading a body; its result runs the second one. Throws if the body's frame is invalid. `bytes`
   * is the body as received, to be passed on; without it, the prompt is rendered.
   */
  estimate(body: unknown, bytes?: Uint8Array): EstimatedRequest
  /** Absent if its requests cannot name a prompt of the project. */
  readonly promptForm?: PromptForm
  /** Absent if no answer is a stream: then no prompt asks for one. */
  streamReply?(response: PlaneResponse, options: StreamReplyOptions): Reply
  wholeReply(response: PlaneResponse, options: ReplyOptions): Reply
  readonly description: EndpointDescription
}

/** What the OpenAPI document says about an endpoint: JSON Schemas and examples. */
export interface EndpointDescription {
  operationId: string
  summary: string
  description: string
  /** By the names under which the others refer to them. */
  schemas: Readonly<Record<string, JsonObject>>
  request: DescribedBody
  answer: DescribedBody
  /** The schema is that of an event's data; null if no answer is a stream. */
  stream: DescribedBody | null
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
  /** Only for a response: what its request said, and whether it is stored when it is complete. */
  response?: ResponseOptions & { isStored: boolean }
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
  /**
   * The complete answer as the client gets it, as JSON text, to be stored; called before `finish`. Absent in other
   * formats.
   */
  stored?(): Promise<string> | string
  /** Ends a complete answer that cost these tokens. A large one is written in several turns of the event loop. */
  finish(tokens: number): Promise<void> | void
  /** Ends an incomplete answer with this error. Absent if the answer is sent whole, once it is complete. */
  endWithError?(refusal: Refusal, tokens: number): void
  /** Call this when the client has disconnected. */
  drop(): void
}
