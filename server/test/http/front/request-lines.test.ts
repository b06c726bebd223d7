// Request lines that the runtime's parser takes and our own reader does not: both refuse them, wherever they stand.
import { expect, it } from 'vitest'
import { getModels as get, postChat as post, postChunked, sendRaw } from '../raw-request.ts'
import { runListener } from '../running-listener.ts'

const lines: Array<[string, string]> = [
  ['a bare CR in front', `\r${get()}`],
  ['several in front', `\r\r\r${get()}`],
  ['a bare CR behind an empty line', `\r\n\r${get()}`],
  ['a bare LF in front', `\n${get()}`],
  ['two blanks behind the method', get().replace(' ', '  ')],
  ['two blanks in front of the version', get().replace(' HTTP', '  HTTP')],
]
const before: Array<[string, string, number]> = [
  ['the first request', '', 0],
  ['behind a plain one', get(), 1],
  ['behind one with a body', post('{}'), 1],
  ['behind one that the runtime reads', get('/v1/models', 'X_A: b\r\n'), 1],
  ['behind one in chunks', postChunked('{}'), 1],
]

it.each(
  lines.flatMap(([what, text]) => before.map(([where, first, count]) => [what, where, first, text, count] as const)),
)('%s, %s, is 400', async (_what, _where, first, text, count) => {
  const seen = await Promise.all(
    [true, false].map(async withoutLane => {
      const { port, arrivals } = await runListener({ withoutLane })
      const { answers, closed } = await sendRaw(port, first + text + get(), { quietMs: 20_000, timeoutMs: 30_000 })
      expect(closed).toBe(true)
      expect(arrivals).toHaveLength(count)
      return answers.map(({ status, body }) => ({ status, body }))
    }),
  )
  const refusal = { status: 400, body: '{"error":"bad request","message":"Bad request"}' }
  for (const answers of seen) {
    expect(answers.slice(0, count).map(({ status }) => status)).toEqual(Array(count).fill(200))
    // Behind a request that is whole the runtime ends the connection without a word.
    if (answers.length > count || count === 0) expect(answers.slice(count)).toEqual([refusal])
  }
})

it('an empty line in front is no fault', async () => {
  for (const withoutLane of [true, false]) {
    const { port } = await runListener({ withoutLane })
    const { answers } = await sendRaw(port, `\r\n${get()}\r\n\r\n${get()}`)
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
  }
})
