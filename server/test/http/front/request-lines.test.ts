// What the runtime's parser takes although the grammar does not allow it, by name: as one request, whichever reader has
// the connection. What else the grammar forbids is rejected.
import { expect, it } from 'vitest'
import { getModels as get, postChat as post, postChunked, sendRaw } from '../raw-request.ts'
import { runListener } from '../running-listener.ts'
import { readStrictly } from '../strict-reader.ts'

const tolerated: Array<[what: string, text: string, tolerance: string]> = [
  ['a bare CR in front', `\r${get()}`, 'line ends in front'],
  ['several in front', `\r\r\r${get()}`, 'line ends in front'],
  ['a bare CR behind an empty line', `\r\n\r${get()}`, 'line ends in front'],
  ['a bare LF in front', `\n${get()}`, 'line ends in front'],
  ['two spaces behind the method', get().replace(' ', '  '), 'spaces in the request line'],
  ['two spaces in front of the version', get().replace(' HTTP', '  HTTP'), 'spaces in the request line'],
  ['another protocol', get().replace('HTTP/1.1', 'RTSP/1.0'), 'RTSP in place of HTTP'],
]
const rejected: Array<[what: string, text: string]> = [
  ['no version', get().replace(' HTTP/1.1', '')],
  ['the version 0.9', get().replace('1.1', '0.9')],
  ['the version 2.0', get().replace('1.1', '2.0')],
  ['a space behind the version', get().replace('1.1', '1.1 ')],
  ['a bare LF behind the request line', get().replace('\r', '')],
  ['a bare LF behind a header', get().replace('localhost\r\n', 'localhost\n')],
  ['a bare CR behind a header', get().replace('localhost\r\n', 'localhost\r')],
  ['a folded header', get('/v1/models', 'X-A: b\r\n c\r\n')],
  ['a space in front of a colon', get('/v1/models', 'X-A : b\r\n')],
]
const places: Array<[where: string, before: string, count: number]> = [
  ['the first request', '', 0],
  ['behind a plain one', get(), 1],
  ['behind one with a body', post('{}'), 1],
  ['behind one that the runtime reads', get('/v1/models', 'X_A: b\r\n'), 1],
  ['behind one in chunks', postChunked('{}'), 1],
]

async function ask(text: string) {
  return await Promise.all(
    [true, false].map(async withoutLane => {
      const { port, arrivals } = await runListener({ withoutLane })
      const exchange = await sendRaw(port, text, { quietMs: 1_000, timeoutMs: 30_000 })
      return { ...exchange, served: arrivals.length }
    }),
  )
}

it.each(
  tolerated.flatMap(([what, text, tolerance]) =>
    places.map(([where, before, count]) => [what, where, before, text, count, tolerance] as const),
  ),
)('%s, %s, is one request', async (_what, _where, before, text, count, tolerance) => {
  // The old protocol's request is the last on its connection.
  const isLast = text.includes('/1.0')
  const used = new Set<string>()
  const all = before + text + (isLast ? '' : get())
  const total = count + (isLast ? 1 : 2)
  expect(readStrictly(all, used)).toHaveLength(total)
  expect([...used]).toEqual([tolerance])
  for (const { answers, served } of await ask(all)) {
    expect(served).toBe(total)
    expect(answers.map(({ status }) => status)).toEqual(Array(total).fill(200))
  }
})

it.each(
  rejected.flatMap(([what, text]) =>
    places.map(([where, before, count]) => [what, where, before, text, count] as const),
  ),
)('%s, %s, is 400', async (_what, _where, before, text, count) => {
  for (const { answers, closed, served } of await ask(before + text + get())) {
    expect(closed).toBe(true)
    expect(served).toBe(count)
    expect(answers.slice(0, count).map(({ status }) => status)).toEqual(Array(count).fill(200))
    // Behind a request that is whole the runtime may end the connection without a word.
    if (answers.length > count || count === 0) expect(answers.slice(count)).toMatchObject([{ status: 400 }])
  }
})
