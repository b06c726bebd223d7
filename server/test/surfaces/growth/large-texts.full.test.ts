// No text of an answer holds the process: one event of a stream with one large text, of every wire format to every
// surface.

import { expect, test } from 'vitest'
import { eventFrame } from '../../support/simulated/aws-event-stream.ts'
import { chatClient } from '../matrix/client-chat.ts'
import { messagesClient } from '../matrix/client-messages.ts'
import { responsesClient } from '../matrix/client-responses.ts'
import { useMatrixStage } from '../matrix/matrix.ts'
import { type Said, scenes } from '../matrix/scenes.ts'
import { openaiResponses } from '../matrix/upstream-responses.ts'
import type { UpstreamWire } from '../matrix/upstream-wire.ts'
import { chatWires } from '../matrix/wires.ts'
import { Measurements, probed } from './measure.ts'

/**
 * An event may have 8 MiB, as an image has; a model writes a megabyte of text at most. Lines of 76 characters, and of
 * letters beyond ASCII.
 */
const kinds = {
  'an image': {
    bytes: 7_600_000,
    line: 'iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE',
  },
  'wide letters': { bytes: 1_000_000, line: 'naïve 🦊 grün, 東京 отчёт, une réunion, Übung macht den Meister 🦊' },
}
const clients = [chatClient, messagesClient, responsesClient]
const owners = ['openai', 'anthropic', 'google', 'openrouter', 'cohere', 'bedrock'] as const
/** Some wire formats cut it. */
const mark = /@*M?ARK@@/
const said: Said = { text: '@@MARK@@', reasoning: '', refusal: '', calls: [] }
const maxMs = 3_600_000

const stageOf = useMatrixStage(probed)

test.each(Object.entries(kinds))('%s, from every provider to every client', { timeout: maxMs }, async (kind, given) => {
  const { bytes: textBytes, line } = given
  const { script, projectOf } = stageOf()
  const measurements = new Measurements()
  for (const client of clients) {
    for (const owner of owners) {
      const wire = client === responsesClient && owner === 'openai' ? openaiResponses : chatWires[owner]
      const headers = client.headers === undefined ? {} : { headers: client.headers }
      const body = client.body(scenes.stream.asked)
      await measurements.add({
        name: `${kind} of ${owner} to ${client.path}`,
        parts: Math.floor(textBytes / Buffer.byteLength(line)),
        async send(parts) {
          const text = line.repeat(parts)
          const bytes = streamOf(wire, text)
          script({
            write(response) {
              response.writeHead(200, {
                'content-type': wire.streamType ?? 'text/event-stream',
                'content-length': bytes.length,
              })
              response.end(bytes)
            },
          })
          const { status, text: got } = await projectOf(owner).ask('POST', client.path, { body, ...headers })
          expect(got.length).toBeGreaterThan(text.length)
          return { text, status }
        },
      })
    }
  }
  measurements.report(`Large texts: ${kind}`)
  expect(measurements.faults).toEqual([])
})

/** The text stands in the event that had the end of the mark. */
function streamOf(wire: UpstreamWire, text: string): Buffer {
  const events = wire.events(said)
  if (wire.streamType === undefined) return Buffer.from(events.map(event => event.replace(mark, text)).join(''))
  return Buffer.concat(
    events.map(event => {
      if (!mark.test(event)) return Buffer.from(event, 'latin1')
      const [, type = ''] = /:event-type[^A-Za-z]*(\w+)/.exec(event) ?? []
      const json = event.slice(event.indexOf('{'), event.lastIndexOf('}') + 1)
      return eventFrame(type, JSON.parse(json.replace(mark, text)))
    }),
  )
}
