// What the code that relays a model's answer needs to know about the client's wire format. The formats are in
// `surfaces/`.

import type { Refusal } from '../domain/errors.ts'
import type { ErrorFormat } from '../http/error-formats.ts'

export interface AnswerFormat extends ErrorFormat {
  /** The last event of a stream that fails after so many events. */
  errorFrame(refusal: Refusal, requestId: string, eventCount?: number): string
  readonly usage: UsageReader
}

/** Reads an answer's cost from the answer itself; null if it does not contain it. */
export interface UsageReader {
  ofAnswer(answer: unknown): number | null
  /** For answers too large to parse: reads the cost from the last bytes. */
  ofTail(tail: Buffer): number | null
  ofStream(): StreamUsage
}

export interface StreamUsage {
  /** Copies what it keeps of the chunk. */
  take(chunk: Buffer): void
  /** Call this when the stream has ended well: a last line without a line end counts too, as it does for clients. */
  end(): void
  /** The last usage in the stream; null if there was none. */
  tokens(): number | null
  /** The number of whole events with data, without the closing one: the local estimate for streams without usage. */
  events(): number
}
