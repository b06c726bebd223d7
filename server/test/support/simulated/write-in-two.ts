// An answer of a provider in two pieces, for tests of what happens between them.
import { openaiEvents } from './provider-answers.ts'
import type { UpstreamAnswer } from './scripted-upstream.ts'

/** A stream that waits in its middle until the test says otherwise, and is known to be closed by the one who asked. */
export function writeInTwo(first: string[], second: string[], { ends } = { ends: true }) {
  const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>()
  const { promise: isClosed, resolve: close } = Promise.withResolvers<void>()
  const events = openaiEvents({ text: [...first, ...second] })
  const answer: UpstreamAnswer = {
    async write(response) {
      response.once('close', close)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      // The first event has the role alone.
      response.write(events.slice(0, first.length + 1).join(''))
      await mayGoOn
      response.write(events.slice(first.length + 1).join(''))
      if (ends) response.end()
    },
  }
  return { answer, goOn, isClosed }
}
