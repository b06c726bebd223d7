// What the matrix needs of a provider's wire format: its answers, its errors and the meaning of its requests. Written
// by the providers' documentation.

import type { JsonObject } from '../../../src/domain/json-object.ts'
import type { Canonical } from '../../providers/protocols/fixtures.ts'
import { eventStream } from '../../support/simulated/provider-answers.ts'
import type { UpstreamAnswer } from '../../support/simulated/scripted-upstream.ts'
import type { Said } from './scenes.ts'

export interface UpstreamWire {
  /** The end of the path of its requests. */
  path: RegExp
  whole(said: Said): unknown
  /** All events of an answer. */
  events(said: Said): string[]
  /** Where the events are not server-sent ones; their bytes are then Latin-1. */
  streamType?: string
  /** The events that end every answer: an error replaces them. */
  lastEvents: number
  failure: string
  /** A rate limit. */
  rejection: unknown
  canonicalise(upstream: { url: string; body: JsonObject }): Canonical
  asksForReasoning(body: JsonObject): boolean
}

export function answerOf(wire: UpstreamWire, said: Said, isStream: boolean): UpstreamAnswer {
  return isStream ? streamOf(wire, wire.events(said)) : { body: wire.whole(said) }
}

export function failingStream(wire: UpstreamWire, said: Said): UpstreamAnswer {
  const events = wire.events(said)
  return streamOf(wire, [...events.slice(0, events.length - wire.lastEvents), wire.failure])
}

function streamOf({ streamType }: UpstreamWire, events: readonly string[]): UpstreamAnswer {
  if (streamType === undefined) return eventStream(events)
  return {
    write(response) {
      response.writeHead(200, { 'content-type': streamType })
      response.end(Buffer.from(events.join(''), 'latin1'))
    },
  }
}

export function rejectionOf({ rejection }: UpstreamWire): UpstreamAnswer {
  return { status: 429, headers: { 'retry-after': '30' }, body: rejection }
}

export function data(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`
}

export function named(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
}

/** A text as a model streams it. */
export function piecesOf(text: string): string[] {
  return text === '' ? [] : [text.slice(0, 3), text.slice(3)].filter(piece => piece !== '')
}
