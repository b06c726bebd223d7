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
  const expected = await ask(direct, readFileSync(scene.bodies.short, 'utf8'))
  const answer = await ask(target, readFileSync(scene.bodies.short, 'utf8'))
  if (answer.status !== 200) throw new Error(`${target.name} answers ${answer.status}: ${answer.body.slice(0, 300)}`)
  if (!isSame(target, answer.body, expected.body)) throw new Error(`${target.name} changes the answer`)
  if (target.isGuarded) {
    const { status } = await ask(target, readFileSync(scene.bodies.short, 'utf8'), false)
    if (status !== 401) throw new Error(`${target.name} answers ${status} without a token`)
  }
  if (!target.streams) return
  const whole = await ask(direct, readFileSync(scene.bodies.burst, 'utf8'))
  const streamed = await ask(target, readFileSync(scene.bodies.paced, 'utf8'))
  if (!isSame(target, streamed.body, whole.body)) throw new Error(`${target.name} changes the stream`)
  if (streamed.spreadMs < 800) throw new Error(`${target.name} holds the stream back`)
}

function isSame({ keepsBytes, streams }: Target, given: string, expected: string): boolean {
  if (keepsBytes) return given === expected
  // Portkey does not stream, and its responses are measured unchanged.
  return !streams || wordsOf(given) === wordsOf(expected)
}

interface Said {
  choices: Array<{ message?: { content?: string }; delta?: { content?: string } }>
}

/** Reads the text of a whole answer, or of a stream that has ended. */
function wordsOf(body: string): string {
  const isStream = body.startsWith('data: ')
  const events = isStream ? body.split('\n\n').map(event => event.replace(/^data: /, '')) : [body]
  if (isStream && !events.includes('[DONE]')) return 'no end'
  return events
    .filter(event => event.startsWith('{'))
    .flatMap(event => (JSON.parse(event) as Said).choices)
    .map(({ message, delta }) => message?.content ?? delta?.content ?? '')
    .join('')
}

function ask(target: Target, body: string, withToken = true): Promise<Answer> {
  const [host = '', token = ''] = readFileSync(target.tokensFile, 'utf8').split('\n', 1)[0]!.split(' ')
  const headers = Object.fromEntries(target.headers.map(line => line.split(': ', 2)))
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port: target.port,
        method: 'POST',
        path: '/v1/chat/completions',
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
