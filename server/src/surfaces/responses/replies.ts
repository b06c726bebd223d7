// Writes an answer to the client as a response: as events while they arrive, or whole. An answer that the provider sent
// in this wire format is passed on as its original bytes.

import type { AnswerEvent } from '../../domain/conversation/answer.ts'
import type { Refusal } from '../../domain/errors.ts'
import { isJsonObject, type JsonObject, parseJson } from '../../domain/json-object.ts'
import type { PlaneResponse } from '../../http/exchange.ts'
import { usageHeader } from '../../http/inference-port.ts'
import type { Reply, ReplyOptions, StreamReplyOptions } from '../surface.ts'
import { errorEvent, eventText, failureOf } from './errors.ts'
import type { OutputEvent } from './output-items.ts'
import { ResponseWriter } from './response-writer.ts'

export function createStreamReply(response: PlaneResponse, options: StreamReplyOptions): Reply {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    // A proxy in front of us would otherwise buffer the events.
    'x-accel-buffering': 'no',
  })
  return new StreamReply(response, options)
}

class StreamReply implements Reply {
  readonly #response: PlaneResponse
  readonly #writer: ResponseWriter
  readonly #keepAlive: NodeJS.Timeout
  readonly #reportsUsage: boolean
  #nextNumber = 0
  /** The last of the events that were passed on as they came; null if there was none. */
  #passed: Uint8Array | null = null
  /** The event that ends a complete answer: the client gets it once the response is stored. */
  #last: Uint8Array | null = null

  constructor(response: PlaneResponse, options: StreamReplyOptions) {
    const { reportsUsage, keepAliveMs } = options
    this.#response = response
    this.#writer = createWriter(options)
    this.#reportsUsage = reportsUsage
    const keep = () => response.writableNeedDrain || response.write(': keep-alive\n\n')
    this.#keepAlive = setInterval(keep, keepAliveMs)
  }

  take(events: readonly AnswerEvent[]): boolean {
    this.#keepAlive.refresh()
    const [only] = events
    const bytes =
      events.length === 1 && only !== undefined
        ? this.#bytesOf(only)
        : Buffer.concat(events.map(event => this.#bytesOf(event)))
    if (bytes.length > 0) return this.#response.write(bytes)
    // The answer has begun, though it has no content yet.
    this.#response.flushHeaders()
    return true
  }

  #bytesOf({ deltas, raw }: AnswerEvent): Uint8Array {
    if (raw === null) return Buffer.from(this.#textOf(deltas.flatMap(delta => this.#writer.write(delta))))
    this.#passed = raw
    let isLast = false
    for (const delta of deltas) {
      if (delta.type === 'origin') this.#writer.noteOrigin(delta)
      else if (delta.type === 'finish') isLast = true
    }
    if (!isLast) return raw
    this.#last = raw
    return nothing
  }

  #textOf(events: readonly OutputEvent[]): string {
    let text = ''
    for (const event of events) text += eventText(event, this.#nextNumber++)
    return text
  }

  stored(): JsonObject {
    return (this.#last === null ? null : responseOfEvent(this.#last)) ?? this.#writer.response()
  }

  finish(tokens: number): void {
    clearInterval(this.#keepAlive)
    const comment = this.#usageComment(tokens)
    // Last, because the usage in the last event is what the provider reported, once.
    if (this.#last === null) this.#response.end(this.#textOf(this.#writer.end()) + comment)
    else this.#response.end(Buffer.concat([this.#last, Buffer.from(comment)]))
  }

  endWithError(refusal: Refusal, tokens: number): void {
    clearInterval(this.#keepAlive)
    if (this.#passed !== null) this.#nextNumber = numberAfter(this.#passed)
    const events = [this.#writer.fail(failureOf(refusal)), errorEvent(refusal)]
    this.#response.end(this.#usageComment(tokens) + this.#textOf(events))
  }

  drop(): void {
    clearInterval(this.#keepAlive)
    this.#response.destroy()
  }

  #usageComment(tokens: number): string {
    return this.#reportsUsage ? `: {"usage":{"total_tokens":${tokens}}}\n\n` : ''
  }
}

const nothing = Buffer.alloc(0)

function responseOfEvent(bytes: Uint8Array): JsonObject | null {
  const response = dataOfEvent(bytes)?.['response']
  return isJsonObject(response) ? response : null
}

function numberAfter(bytes: Uint8Array): number {
  const number = dataOfEvent(bytes)?.['sequence_number']
  return typeof number === 'number' ? number + 1 : 0
}

function dataOfEvent(bytes: Uint8Array): JsonObject | null {
  const lines = Buffer.from(bytes)
    .toString('utf8')
    .split(/\r\n|\r|\n/)
  const data = lines.flatMap(line => (line.startsWith('data:') ? [line.slice('data:'.length)] : []))
  const value = parseJson(data.join('\n'))
  return isJsonObject(value) ? value : null
}

export function createWholeReply(response: PlaneResponse, options: ReplyOptions): Reply {
  return new WholeReply(response, options)
}

class WholeReply implements Reply {
  readonly #response: PlaneResponse
  readonly #writer: ResponseWriter
  readonly #reportsUsage: boolean
  #raw: Uint8Array | null = null

  constructor(response: PlaneResponse, options: ReplyOptions) {
    this.#response = response
    this.#writer = createWriter(options)
    this.#reportsUsage = options.reportsUsage
  }

  take(events: readonly AnswerEvent[]): boolean {
    for (const { deltas, raw } of events) {
      if (raw === null) for (const delta of deltas) this.#writer.write(delta)
      // The whole answer is one event.
      else this.#raw = raw
    }
    return true
  }

  stored(): JsonObject {
    const passed = this.#raw === null ? null : parseJson(Buffer.from(this.#raw).toString('utf8'))
    return isJsonObject(passed) ? passed : this.#writer.response()
  }

  finish(tokens: number): void {
    if (this.#reportsUsage) this.#response.setHeader(usageHeader, tokens)
    const body = this.#raw ?? Buffer.from(JSON.stringify(this.#writer.response()))
    this.#response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'content-length': body.byteLength,
    })
    this.#response.end(body)
  }

  endWithError(): void {
    this.#response.destroy()
  }

  drop(): void {
    this.#response.destroy()
  }
}

function createWriter(options: ReplyOptions): ResponseWriter {
  const { requestId, createdSeconds, model, response } = options
  const { echo = {}, sealsReasoning = false, isStored = false } = response ?? {}
  return new ResponseWriter({
    identity: { id: `resp_${requestId.replaceAll('-', '')}`, createdSeconds, model },
    echo: { ...echo, store: isStored },
    sealsReasoning,
  })
}
