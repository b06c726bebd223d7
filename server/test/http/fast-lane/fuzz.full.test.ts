// Mutated requests, read by ourselves and by the runtime's server: both must see the same, or one of them is wrong.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, inject, it } from 'vitest'
import type { RequestHandler } from '../../../src/http/front/accept-request.ts'
import { readBody, readBytes } from '../../../src/http/read-body.ts'
import { replyJson } from '../../../src/http/reply.ts'
import { roomFor } from '../../support/slowness.ts'
import { getModels as get, postChat as post, postChunked, sendRaw } from '../raw-request.ts'
import { runListener } from '../running-listener.ts'
import { type ReadRequest, readStrictly } from '../strict-reader.ts'

const limits = { maxBytes: 100_000, timeoutMs: 2_000 }
const casesPath = join(import.meta.dirname, '../../data/security/http_cases.json')
const { cases }: { cases: Array<{ raw_latin1_base64: string }> } = JSON.parse(readFileSync(casesPath, 'utf8'))
const seeds = [
  get(),
  get('/v1/models?x=%20', 'Accept: */*\r\nUser-Agent: a b\tc\r\nX-Session-Id: s\r\n'),
  post('{"a":[1,2]}', 'Authorization: Bearer abc\r\nConnection: keep-alive\r\n'),
  post('{}') + get(),
  postChunked('{"a":', '[1,2]}'),
  get() + postChunked('{}') + get(),
  ...cases.map(each =>
    Buffer.from(each.raw_latin1_base64, 'base64')
      .toString('latin1')
      .replace(/^Host: .*$/im, 'Host: a-b-1.localhost'),
  ),
].filter(seed => seed.length < 2_000)
const inserts = [
  '\r\n',
  '\n',
  '\r',
  '\0',
  ' ',
  '\t',
  ':',
  ',',
  '/',
  '//',
  '/../',
  '%2e',
  '#',
  '@',
  '\x7f',
  '\xff',
  ';',
  '_',
  '-1',
  '+',
  '0',
  '0x',
  'HTTP/1.0',
  'é',
]
inserts.push(
  'Host: evil.localhost\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Content-Length: 3\r\n',
  'Connection: close\r\n',
  'Expect: 100-continue\r\n',
  '__proto__: x\r\n',
  'constructor: x\r\n',
  'X-A : b\r\n',
  ' folded\r\n',
)

/** Only the last answer can be about something that is no request. */
const endings = /^((?!400)\d{3},){0,3}\d{3}$/
const runtime = `the runtime, Node ${process.version}`

it(`sees in every mutated request just what ${runtime}, sees`, { timeout: 600_000 }, async () => {
  const { ours, theirs } = await runBoth()
  const compare = async (text: string, options: { quietMs: number; timeoutMs: number }) => {
    const [first, second] = await Promise.all([ours, theirs].map(({ port }) => sendRaw(port, text, options)))
    const runtimes = second!.answers.map(told)
    const mine = first!.answers.map(told)
    return {
      mine: mine.slice(0, runtimes.length),
      runtimes,
      more: mine.slice(runtimes.length).map(({ status }) => status),
      isClosed: first!.closed,
    }
  }
  const isSame = ({ mine, runtimes, more }: Awaited<ReturnType<typeof compare>>) =>
    more.length === 0 && isDeepStrictEqual(mine, runtimes)
  const judge = async (text: string) => {
    // Short times first: most requests are answered at once. Who is slow on a loaded machine gets a second look.
    const seen = await compare(text, { quietMs: 60, timeoutMs: 400 })
    const judged = isSame(seen) ? seen : await compare(text, { quietMs: 700, timeoutMs: 5_000 })
    const { mine, runtimes, more, isClosed } = judged
    expect({ text, answers: mine }).toEqual({ text, answers: runtimes })
    // What follows whole requests and is none: the runtime may end the connection before it has answered them. Ours
    // answers each in its turn, and then says what is wrong with the rest or, where it left the last whole request to
    // the runtime, ends the connection with that answer as the runtime does.
    if (more.length > 0) expect({ text, more: more.join() }).toEqual({ text, more: expect.stringMatching(endings) })
    if (more.length > 0) expect({ text, isClosed }).toEqual({ text, isClosed: true })
    if (mine.length === 0) expect({ text, more }).not.toEqual({ text, more: [400] })
  }
  await inParallel(fc.sample(mutated, inject('prove') ? 10_000 : 300), 16, judge)
})

const faults = [' x', '\0', '\r', '\n', '\rGET', 'g', ';', '0', '\r\n\r\n', 'GET  / HTTP/1.1\r\n']
/** Where the request begins that is broken: by itself, and behind one that the lane has answered. */
const chunkedSeeds = ['', get()].map(before => ({
  text: before + postChunked('{"a":', '"b"}'),
  body: before.length + postChunked().indexOf('\r\n\r\n') + 4,
}))

it(`answers and ends every chunked request with a fault behind its head, as ${runtime}, does`, {
  timeout: 600_000,
}, async () => {
  const limits = { headersTimeoutMs: 1_500, requestTimeoutMs: 2_000, keepAliveTimeoutMs: 1_000, checkIntervalMs: 100 }
  const { ours, theirs, stop } = await runBoth({ limits })
  const texts = chunkedSeeds.flatMap(({ text, body }) =>
    Array.from({ length: text.length - body + 1 }, (_, at) => body + at).flatMap(at => [
      ...faults.map(fault => text.slice(0, at) + fault + text.slice(at)),
      // Nothing comes behind it, or one byte is missing.
      ...faults.slice(0, 4).map(fault => text.slice(0, at) + fault),
      text.slice(0, at) + text.slice(at + 1),
    ]),
  )
  const unanswered: string[] = []
  // Most of them wait for the end of a timeout.
  await inParallel(texts, 64, async text => {
    const [mine, runtimes] = await Promise.all(
      [ours, theirs].map(({ port }) => sendRaw(port, text, { quietMs: 60_000, timeoutMs: 60_000 })),
    )
    const [seen, expected] = [mine, runtimes].map(exchange => exchange!.answers.map(told))
    // Behind a request that is whole the runtime may end the connection without a word, as above.
    const more = seen!.splice(expected!.length).map(({ status }) => status)
    expect({ text, answers: seen, more }).toEqual({ text, answers: expected, more: more.length > 0 ? [400] : [] })
    expect({ text, closed: [mine!.closed, runtimes!.closed] }).toEqual({ text, closed: [true, true] })
    if (!isAnswered(text, mine)) unanswered.push(text)
  })
  // A reset connection takes with it what a busy client has not read yet: these again, each alone.
  const silent: string[] = []
  for (const text of unanswered) {
    if (!isAnswered(text, await sendRaw(ours.port, text, { quietMs: 60_000, timeoutMs: 60_000 }))) silent.push(text)
  }
  expect(silent.length, JSON.stringify(silent[0])).toBeLessThan(texts.length / 50)
  const startedAt = performance.now()
  await stop(25_000)
  expect(performance.now() - startedAt).toBeLessThan(roomFor(20_000))
})

it.each([false, true])(
  'serves no request that a strict reader does not see, read by the runtime alone: %s',
  {
    timeout: 600_000,
  },
  async withoutLane => {
    /** By the client's port. */
    const served = new Map<number | undefined, Served[]>()
    const { port } = await runListener({
      withoutLane,
      plane: async (request, response) => {
        const { method = '', url: target = '', socket } = request
        const read: Served = { method, target, body: null }
        served.set(socket.remotePort, [...(served.get(socket.remotePort) ?? []), read])
        read.body = (await readBytes(request, limits)).toString('latin1')
        response.end()
      },
    })
    await inParallel(fc.sample(mutated, inject('prove') ? 10_000 : 300), 16, async text => {
      const { clientPort } = await sendRaw(port, text, { quietMs: 100, timeoutMs: 1_000 })
      const mine = served.get(clientPort) ?? []
      served.delete(clientPort)
      const strict = readStrictly(text)
      // The listener rejects much of what the grammar allows: what it serves are some of these, each once.
      for (const request of mine.filter(({ body }) => body !== null)) {
        const at = strict.findIndex(each => isServedAs(each, request))
        if (at < 0) expect({ text, request }).toEqual({ text, strict })
        strict.splice(at, 1)
      }
    })
  },
)

/** The body is null until it is whole. */
interface Served extends Omit<ReadRequest, 'body'> {
  body: string | null
}

/** The planes get a target without its host. */
const isServedAs = (strict: ReadRequest, { method, target, body }: Served) =>
  strict.method === method && strict.body === body && strict.target.replace(/^https?:\/\/[^/?]*/i, '') === target

function isAnswered(text: string, exchange: Awaited<ReturnType<typeof sendRaw>> | undefined): boolean {
  return (exchange?.answers.length ?? 0) > (text.startsWith('GET') ? 1 : 0)
}

async function runBoth(options: Parameters<typeof runListener>[0] = {}) {
  const [ours, theirs] = await Promise.all([
    runListener({ ...options, plane: tellAll }),
    runListener({ ...options, plane: tellAll, withoutLane: true }),
  ])
  return {
    ours,
    theirs,
    stop: (deadlineMs: number) => Promise.all([ours.listener.close(deadlineMs), theirs.listener.close(deadlineMs)]),
  }
}

async function inParallel(texts: string[], atOnce: number, judge: (text: string) => Promise<void>): Promise<void> {
  const left = [...texts]
  const work = async () => {
    for (let text = left.pop(); text !== undefined; text = left.pop()) await judge(text)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

const mutated = fc
  .tuple(
    fc.constantFrom(...seeds),
    fc.array(fc.tuple(fc.nat(1_999), fc.constantFrom(...inserts), fc.nat(6)), { maxLength: 3 }),
  )
  .map(([seed, edits]) =>
    edits.reduce((made, [at, insert, cut]) => {
      const place = at % (made.length + 1)
      return made.slice(0, place) + insert + made.slice(place + cut)
    }, seed),
  )

const tellAll: RequestHandler = async (request, response, { host, path, query, isInternal }) => {
  const { 'content-length': length, ...headers } = request.headers
  const hasBody = length !== undefined || headers['transfer-encoding'] !== undefined
  const body = hasBody ? (await readBody(request, limits)).value : null
  replyJson(response, 200, { host, path, query, isInternal, method: request.method, url: request.url, headers, body })
}

const told = ({ status, body }: { status: number; body: string }) => ({
  status,
  body: body.replaceAll(/[0-9a-f-]{36}/g, 'id'),
})
