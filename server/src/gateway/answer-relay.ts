// How an upstream's answer becomes the client's, in two ways: whole, or as an event stream of whole events. A relay
// writes and counts; whether an exchange goes on is not its business.
import { isAscii, isUtf8 } from 'node:buffer'
import type { Refusal } from '../domain/errors.ts'
import { parseJson } from '../domain/json-object.ts'
import type { AnswerHeaders } from '../http/outbound-call.ts'
import type { PlaneResponse } from '../http/plane-exchange.ts'
import { renderRefusal } from '../http/reply.ts'
import { writeAnswerHead } from './answer-headers.ts'
import { createStreamUsage, readUsageAtEnd, usageOf } from './read-usage.ts'
import { createStreamWriter, type StreamWriter } from './stream-writer.ts'
import { createWholeEvents } from './whole-events.ts'

export interface Relay {
  /** False asks the upstream to wait for the response's drain. */
  take(chunk: Buffer): boolean
  /** The upstream ended well; false where what it sent is no answer, and nothing of it was passed on. */
  isAnswer(): boolean
  /** Writes what is left, and the end. */
  finish(): void
  /** Ends an answer that has begun: with a last word where the form allows one, else in a way no reader takes for whole. */
  cut(reason: Refusal): void
  /** Whether the client has got anything. */
  hasBegun(): boolean
  /** Whether what arrived goes beyond anything that can be passed on. */
  isEndless(): boolean
  /** What the answer has cost so far: as it says itself, else counted, on top of the prompt's estimate. */
  tokens(promptEstimate: number): number
}

/** Answers up to this size are gathered and sent in one write. */
const gatheredBytes = 1_048_576
/** Answers up to this size are parsed, which finds garbage and usage in one go; in larger ones usage stands at the end. */
const parsedBytes = 64 * 1024
const tailBytes = 4_096
/** Images come as one event of megabytes; what grows beyond the second bound is no event. */
const heldBytes = 256 * 1024
const maxEventBytes = 32 * 1024 * 1024
/** What is written as text has each byte copied. */
const oneWriteBytes = 16 * 1024
/** Where an answer does not say what it cost. */
const bytesPerToken = 4
const nothing = Buffer.alloc(0)

export function createPlainRelay(response: PlaneResponse, status: number, headers: AnswerHeaders): Relay {
  const announced = typeof headers['content-length'] === 'string' ? Number(headers['content-length']) : null
  let gathered: Buffer[] = []
  let size = 0
  let tail: Buffer = nothing
  let answer: unknown
  /** The whole body, where it is small and plain ASCII. */
  let text: string | null = null
  let isPassing = false

  function beginPassing(): boolean {
    isPassing = true
    writeAnswerHead(response, status, headers)
    if (announced !== null) response.setHeader('content-length', announced)
    const all = Buffer.concat(gathered)
    gathered = []
    tail = all.subarray(-tailBytes)
    return response.write(all)
  }

  return {
    take(chunk) {
      size += chunk.length
      if (isPassing) {
        tail = Buffer.concat([tail, chunk.subarray(-tailBytes)]).subarray(-tailBytes)
        return response.write(chunk)
      }
      gathered.push(chunk)
      return size > gatheredBytes ? beginPassing() : true
    },
    isAnswer() {
      if (isPassing) return true
      if (gathered.length !== 1) gathered = [Buffer.concat(gathered)]
      if (size === 0) return status === 204 || response.req.method === 'HEAD'
      const body = gathered[0]!
      if (size <= oneWriteBytes && isAscii(body)) text = body.toString('latin1')
      else if (!isUtf8(body)) return false
      if (size > parsedBytes) tail = body.subarray(-tailBytes)
      else answer = parseJson(text ?? body.toString('utf8'))
      return size > parsedBytes || answer !== undefined
    },
    finish() {
      if (isPassing) {
        response.end()
        return
      }
      writeAnswerHead(response, status, headers)
      if (status !== 204) response.setHeader('content-length', response.req.method === 'HEAD' ? (announced ?? 0) : size)
      endWith(response, text, gathered[0]!)
    },
    cut: () => void response.destroy(),
    hasBegun: () => isPassing,
    isEndless: () => false,
    tokens(promptEstimate) {
      if (status >= 300) return 0
      const usage = answer === undefined ? readUsageAtEnd(tail) : usageOf(answer)
      return usage ?? promptEstimate + Math.ceil(size / bytesPerToken)
    },
  }
}

/** As text a short body leaves together with its head; as bytes it would take a gathering write, which costs more. */
function endWith(response: PlaneResponse, text: string | null, body: Buffer): void {
  if (body.length <= oneWriteBytes) response.end(text ?? body.toString('latin1'), 'latin1')
  else response.end(body)
}

export function createEventRelay(response: PlaneResponse, status: number, headers: AnswerHeaders): Relay {
  const usage = createStreamUsage()
  const events = createWholeEvents(heldBytes)
  let writer: StreamWriter | null = null
  let rest: Buffer | null = null

  /** The head goes out with the first event: until then a failure can still be said in words. */
  function begin(): StreamWriter {
    writeAnswerHead(response, status, headers)
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
    cut(reason) {
      if (writer === null || !events.isBetweenEvents()) response.destroy()
      else writer.end(`data: ${JSON.stringify(renderRefusal(reason, 'openai'))}\n\n`)
    },
    hasBegun: () => writer !== null,
    isEndless: () => events.unfinishedBytes() > maxEventBytes,
    tokens: promptEstimate => usage.tokens() ?? promptEstimate + usage.events(),
  }
}
