// What the code that passes a model's answer on has to know of the client's wire format. `surfaces/` has the formats.

import type { Refusal } from '../domain/errors.ts'
import type { ErrorFormat } from './error-formats.ts'

export interface AnswerFormat extends ErrorFormat {
  /** The last event of a stream that breaks off. */
  errorFrame(refusal: Refusal): string
  readonly usage: UsageReader
}

/** Reads what an answer cost from the answer itself; null where it does not say so. */
export interface UsageReader {
  ofAnswer(answer: unknown): number | null
  /** Of the last bytes of an answer too large to be parsed. */
  ofTail(tail: Buffer): number | null
  ofStream(): StreamUsage
}

export interface StreamUsage {
  /** Keeps copies alone. */
  take(chunk: Buffer): void
  /** The stream ended well: what stands at its end without a line end counts too, as clients read it. */
  end(): void
  /** The last usage that the stream named; null while it named none. */
  tokens(): number | null
  /** Whole events with data, the closing one not among them: the local count where no usage comes. */
  events(): number
}
