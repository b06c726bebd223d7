// The answers of the property: what each provider says, with one place of it as large as one wants.

import { eventFrame } from '../../support/simulated/aws-event-stream.ts'
import type { UpstreamAnswer } from '../../support/simulated/scripted-upstream.ts'
import type { MatrixProvider } from '../matrix/cells.ts'
import type { Client } from '../matrix/client.ts'
import { chatClient } from '../matrix/client-chat.ts'
import { messagesClient } from '../matrix/client-messages.ts'
import { responsesClient } from '../matrix/client-responses.ts'
import type { MatrixStage } from '../matrix/matrix.ts'
import { type Said, scenes } from '../matrix/scenes.ts'
import { openaiResponses } from '../matrix/upstream-responses.ts'
import type { UpstreamWire } from '../matrix/upstream-wire.ts'
import { chatWires } from '../matrix/wires.ts'
import { growValue, many } from './grow-value.ts'
import type { Shape } from './measure.ts'
import { mostParts } from './most-parts.ts'

const answerBytes = 8_000_000
const clients: readonly Client[] = [chatClient, messagesClient, responsesClient]
/** One of each wire format; the others have the format of one of them. */
const wireOwners: readonly MatrixProvider[] = ['openai', 'anthropic', 'google', 'openrouter', 'cohere', 'bedrock']

const said: Said = {
  text: 'Hello, naïve 🦊.',
  reasoning: 'Let me think.',
  refusal: '',
  calls: [
    { id: 'call_Oslo12345', name: 'find_weather', arguments: { city: 'Oslo' } },
    { id: 'call_Rome12345', name: 'find_weather', arguments: { city: 'Rome 🦊' } },
  ],
}

interface Answer {
  place: string
  isStream: boolean
  /** False: it has as many events. */
  isOneText: boolean
  make(parts: number): string
  maxParts?: number | undefined
}

export function answerShapes(stage: MatrixStage): Shape[] {
  return clients.flatMap(client =>
    wireOwners.flatMap(provider => {
      const wire = client === responsesClient && provider === 'openai' ? openaiResponses : chatWires[provider]
      return [...answersOf(wire)].map(answer => shapeOf(stage, { client, provider, wire, answer }))
    }),
  )
}

interface Cell {
  client: Client
  provider: MatrixProvider
  wire: UpstreamWire
  answer: Answer
}

function shapeOf(stage: MatrixStage, { client, provider, wire, answer }: Cell): Shape {
  const { place, isStream, make, maxParts, isOneText } = answer
  const type = isStream ? (wire.streamType ?? 'text/event-stream') : 'application/json'
  const headers = client.headers === undefined ? {} : { headers: client.headers }
  return {
    name: `${client.path} of ${provider}: ${place}`,
    get parts() {
      return mostParts({ make, maxParts, maxBytes: answerBytes, isOneText, isAnswer: true })
    },
    async send(parts) {
      const text = make(parts)
      const bytes = Buffer.from(text, isStream && wire.streamType !== undefined ? 'latin1' : 'utf8')
      stage.script(writing(type, bytes))
      const body = client.body({ ...scenes.tools.asked, stream: isStream })
      const { status } = await stage.projectOf(provider).ask('POST', client.path, { body, ...headers })
      return { text, status }
    },
  }
}

function writing(type: string, bytes: Buffer): UpstreamAnswer {
  return {
    write(response) {
      response.writeHead(200, { 'content-type': type, 'content-length': bytes.length })
      response.end(bytes)
    },
  }
}

function* answersOf(wire: UpstreamWire): Generator<Answer> {
  for (const { place, make, maxParts } of growValue(wire.whole(said))) {
    yield {
      place: `whole ${place}`,
      isStream: false,
      isOneText: true,
      maxParts,
      make: parts => JSON.stringify(make(parts)),
    }
  }
  const events = wire.events(said)
  for (const [at, event] of events.entries()) {
    const frame = readFrame(event)
    if (frame === null) continue
    const among = (grown: readonly string[]) => [...events.slice(0, at), ...grown, ...events.slice(at + 1)].join('')
    const renumbered = (parts: number) => many(frame.value, parts).map(frame.write)
    const repeated = { isStream: true, isOneText: false }
    yield { ...repeated, place: `event ${at}`, make: parts => among(Array<string>(parts).fill(event)) }
    yield { ...repeated, place: `event ${at}, numbered`, make: parts => among(renumbered(parts)) }
    for (const { place, make, maxParts } of growValue(frame.value)) {
      yield {
        place: `event ${at} ${place}`,
        isStream: true,
        isOneText: true,
        maxParts,
        make: parts => among([frame.write(make(parts))]),
      }
    }
  }
}

interface Frame {
  value: unknown
  write(value: unknown): string
}

/** Null of an event that has no JSON. */
function readFrame(event: string): Frame | null {
  const [, head, data] = /^((?:event: [^\n]*\n)?)data: (\{.*\})\n\n$/s.exec(event) ?? []
  if (data !== undefined) {
    return { value: JSON.parse(data), write: value => `${head}data: ${JSON.stringify(value)}\n\n` }
  }
  // Amazon's frames: the type is in a header, the JSON after all headers.
  const [, type] = /:event-type[^A-Za-z]*(\w+)/.exec(event) ?? []
  const json = event.slice(event.indexOf('{'), event.lastIndexOf('}') + 1)
  if (type === undefined || json === '') return null
  return { value: JSON.parse(json), write: value => eventFrame(type, value).toString('latin1') }
}
