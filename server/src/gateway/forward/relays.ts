// Relays write an upstream's answer to the client and count its tokens: one kind for whole answers, one for event
// streams, which it passes on in whole events. forward.ts decides whether and how the call goes on.
import { isUtf8 } from 'node:buffer'
import type { AnswerFormat } from '../../call/answer-format.ts'
import type { Refusal } from '../../domain/errors.ts'
import { parseJson } from '../../domain/json-object.ts'
import { shortText } from '../../http/body-framing.ts'
import { createStreamWriter, endWithBody, type StreamWriter } from '../../http/body-writer.ts'
import type { PlaneResponse } from '../../http/exchange.ts'
import { GrowingBuffer } from '../../http/growing-buffer.ts'
import type { AnswerHeaders } from '../../outbound/call.ts'
import { writeAnswerHead } from './answer-headers.ts'
import { createWholeEvents } from './whole-events.ts'

export interface Relay {
  /** The bytes are valid only during this call. Returns false if the upstream must pause until the response drains. */
  take(chunk: Buffer): boolean
  /** Call this when the upstream has ended well. False if it sent no valid answer and nothing of it was passed on. */
  isAnswer(): boolean
  /** Writes the rest and ends the response. */
  finish(): void
  /** Ends an answer that has begun: with an error event if one may follow, else by cutting the connection. */
  endWithError(reason: Refusal): void
  /** Whether anything was written to the client. */
  hasBegun(): boolean
  /** Whether the unfinished event is too large to be one. */
  isTooLarge(): boolean
  /** The cost of the answer so far: as it reports itself, else the prompt's estimate plus one of what has arrived. */
  tokens(promptEstimate: number): number
}

/** Answers up to this size are gathered and sent in one write. */
const gatheredBytes = 1_048_576
/** Answers up to this size are parsed, to check them and find their usage. In larger ones only the end is searched. */
const parsedBytes = 64 * 1024
const tailBytes = 4_096
/** Images come as one event of megabytes, which is passed on unfinished. Beyond `maxEventBytes` it is no event. */
const heldBytes = 256 * 1024
const maxEventBytes = 32 * 1024 * 1024
/** For answers that do not report their usage. */
const bytesPerToken = 4
const nothing = Buffer.alloc(0)

interface WholeAnswer {
  format: AnswerFormat
  /** The cost that the answer's head reports; null if it reports none. */
  reported: number | null
}

export function createWholeRelay(
  response: PlaneResponse,
  status: number,
  headers: AnswerHeaders,
  answer: WholeAnswer,
): Relay {
  return new WholeRelay(response, status, headers, answer)
}

class WholeRelay implements Relay {
  readonly #response: PlaneResponse
  readonly #status: number
  readonly #headers: AnswerHeaders
  readonly #format: AnswerFormat
  readonly #reported: number | null
  readonly #announced: number | null
  #gathered: GrowingBuffer | null = null
  #size = 0
  #tail: Buffer = nothing
  #answer: unknown
  /** The whole body, if it is small and plain ASCII. */
  #text: string | null = null
  #isPassing = false

  constructor(response: PlaneResponse, status: number, headers: AnswerHeaders, { format, reported }: WholeAnswer) {
    this.#response = response
    this.#status = status
    this.#headers = headers
    this.#format = format
    this.#reported = reported
    const length = headers['content-length']
    this.#announced = typeof length === 'string' ? Number(length) : null
  }

  take(chunk: Buffer): boolean {
    this.#size += chunk.length
    if (this.#size === this.#announced && chunk.length === this.#announced) {
      // Most bodies arrive whole in one chunk: this text is then the only copy.
      this.#text = shortText(chunk)
      if (this.#text !== null) return true
    }
    if (this.#isPassing) {
      const copy = Buffer.from(chunk)
      this.#tail = Buffer.concat([this.#tail, copy.subarray(-tailBytes)]).subarray(-tailBytes)
      return this.#response.write(copy)
    }
    this.#gathered ??= new GrowingBuffer(this.#announced ?? Number.MAX_SAFE_INTEGER)
    this.#gathered.add(chunk)
    return this.#size > gatheredBytes ? this.#beginPassing() : true
  }

  isAnswer(): boolean {
    if (this.#isPassing) return true
    if (this.#size === 0) return this.#status === 204 || this.#response.req.method === 'HEAD'
    if (this.#text === null) {
      const body = this.#wholeBody()
      this.#text = shortText(body)
      if (this.#text === null && !isUtf8(body)) return false
      if (this.#size > parsedBytes) {
        this.#tail = body.subarray(-tailBytes)
        return true
      }
    }
    this.#answer = parseJson(this.#text ?? this.#wholeBody().toString('utf8'))
    return this.#answer !== undefined
  }

  finish(): void {
    const response = this.#response
    if (this.#isPassing) {
      response.end()
      return
    }
    writeAnswerHead(response, this.#status, this.#headers)
    // An answer to HEAD has the length that its upstream announces for GET, if it announces one.
    const length = response.req.method === 'HEAD' ? this.#announced : this.#size
    if (this.#status !== 204 && length !== null) response.setHeader('content-length', length)
    endWithBody(response, this.#text ?? this.#wholeBody())
  }

  endWithError(): void {
    this.#response.destroy()
  }

  hasBegun(): boolean {
    return this.#isPassing
  }

  isTooLarge(): boolean {
    return false
  }

  tokens(promptEstimate: number): number {
    // Also for an error: a guardrail may have blocked an answer that has cost tokens.
    if (this.#reported !== null) return this.#reported
    if (this.#status >= 300) return 0
    const { usage } = this.#format
    const named = this.#answer === undefined ? usage.ofTail(this.#tail) : usage.ofAnswer(this.#answer)
    return named ?? promptEstimate + Math.ceil(this.#size / bytesPerToken)
  }

  #beginPassing(): boolean {
    const response = this.#response
    this.#isPassing = true
    writeAnswerHead(response, this.#status, this.#headers)
    if (this.#announced !== null) response.setHeader('content-length', this.#announced)
    const all = this.#wholeBody()
    this.#gathered = null
    this.#tail = all.subarray(-tailBytes)
    return response.write(all)
  }

  #wholeBody(): Buffer {
    return this.#gathered?.whole() ?? nothing
  }
}

interface RelayedEvents {
  format: AnswerFormat
  requestId: string
}

export function createEventRelay(
  response: PlaneResponse,
  status: number,
  headers: AnswerHeaders,
  { format, requestId }: RelayedEvents,
): Relay {
  const usage = format.usage.ofStream()
  const events = createWholeEvents(heldBytes)
  let writer: StreamWriter | null = null
  let rest: Buffer | null = null

  /** The head is sent with the first event: until then a failure can still get an error response. */
  function begin(): StreamWriter {
    writeAnswerHead(response, status, headers)
    // A proxy in front of the gateway would otherwise buffer the events.
    response.setHeader('x-accel-buffering', 'no')
    writer = createStreamWriter(response)
    return writer
  }

  return {
    take(chunk) {
      usage.take(chunk)
      const whole = events.take(chunk)
      return whole === null || (writer ?? begin()).write(whole)
    },
    isAnswer() {
      usage.end()
      rest = events.rest()
      return writer !== null || rest !== null
    },
    finish() {
      const begun = writer ?? begin()
      if (rest !== null) begun.write(rest)
      begun.end()
    },
    endWithError(reason) {
      if (writer === null || !events.isBetweenEvents()) response.destroy()
      else writer.end(format.errorFrame(reason, requestId, usage.events()))
    },
    hasBegun: () => writer !== null,
    isTooLarge: () => events.unfinishedBytes() > maxEventBytes,
    tokens: promptEstimate => usage.tokens() ?? promptEstimate + usage.events(),
  }
}
