// Checks a target before the measurement. It must return the upstream's answer: the same bytes or, if it writes the
// answer itself, the same text. It must relay streams without buffering. The product must reject requests without a
// token.
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import type { Scene } from './load.ts'
import type { Target } from './target.ts'

interface Answer {
  status: number
  body: string
  /** Between the first and the last piece of the body. */
  spreadMs: number
}

export async function checkTarget(scene: Scene, direct: Target, target: Target): Promise<void> {
  const { path, bodies } = scene.loads[target.endpoint]
  const [short, paced, burst] = [bodies.short, bodies.paced, bodies.burst].map(file => readFileSync(file, 'utf8'))
  const expected = await ask(direct, path, short)
  const answer = await ask(target, path, short)
  if (answer.status !== 200) throw new Error(`${target.name} answers ${answer.status}: ${answer.body.slice(0, 300)}`)
  if (!isSame(target, answer.body, expected.body)) throw new Error(`${target.name} changes the answer`)
  if (target.isGuarded) {
    const { status } = await ask(target, path, short, false)
    if (status !== 401) throw new Error(`${target.name} answers ${status} without a token`)
  }
  if (!target.streams) return
  const whole = await ask(direct, path, burst)
  const streamed = await ask(target, path, paced)
  if (!isSame(target, streamed.body, whole.body)) throw new Error(`${target.name} changes the stream`)
  if (streamed.spreadMs < 800) throw new Error(`${target.name} holds the stream back`)
}

function isSame({ agreesIn }: Target, given: string, expected: string): boolean {
  if (agreesIn === 'bytes') return given === expected
  return agreesIn === 'nothing' || wordsOf(given) === wordsOf(expected)
}

interface Said {
  choices?: Array<{ message?: { content?: string }; delta?: { content?: string } }>
  data?: Array<{ embedding: unknown }>
}

/** Reads the text of a whole answer or of a stream that has ended, or the vectors of one. */
function wordsOf(body: string): string {
  const isStream = body.startsWith('data: ')
  const events = isStream ? body.split('\n\n').map(event => event.replace(/^data: /, '')) : [body]
  if (isStream && !events.includes('[DONE]')) return 'no end'
  return events
    .filter(event => event.startsWith('{'))
    .map(event => JSON.parse(event) as Said)
    .flatMap(({ choices = [], data = [] }) => [
      ...choices.map(({ message, delta }) => message?.content ?? delta?.content ?? ''),
      ...data.map(({ embedding }) => JSON.stringify(embedding)),
    ])
    .join('')
}

function ask(target: Target, path: string, body = '', withToken = true): Promise<Answer> {
  const [host = '', token = ''] = readFileSync(target.tokensFile, 'utf8').split('\n', 1)[0]!.split(' ')
  const headers = Object.fromEntries(target.headers.map(line => line.split(': ', 2)))
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port: target.port,
        method: 'POST',
        path,
        agent: false,
        headers: {
          host,
          'content-type': 'application/json',
          ...(withToken ? { authorization: `Bearer ${token}` } : {}),
          ...headers,
        },
      },
      response => {
        let text = ''
        let first = 0
        let last = 0
        response.setEncoding('utf8').on('data', (piece: string) => {
          text += piece
          last = performance.now()
          first ||= last
        })
        response.once('end', () => resolve({ status: response.statusCode ?? 0, body: text, spreadMs: last - first }))
        response.once('error', reject)
      },
    )
    sent.once('error', reject).end(body)
  })
}
