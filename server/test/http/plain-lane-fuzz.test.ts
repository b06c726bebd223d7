// Mutated requests, read by ourselves and by the runtime's server: both must see the same, or one of them is wrong.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, inject, it } from 'vitest'
import type { Plane } from '../../src/http/accept-request.ts'
import { readBody } from '../../src/http/read-body.ts'
import { replyJson } from '../../src/http/reply.ts'
import { getModels as get, postChat as post, sendRaw } from './raw-request.ts'
import { runListener } from './running-listener.ts'

const limits = { maxBytes: 100_000, timeoutMs: 2_000 }
const casesPath = join(import.meta.dirname, '../data/security/http_cases.json')
const { cases }: { cases: Array<{ raw_latin1_base64: string }> } = JSON.parse(readFileSync(casesPath, 'utf8'))
const seeds = [
  get(),
  get('/v1/models?x=%20', 'Accept: */*\r\nUser-Agent: a b\tc\r\nX-Session-Id: s\r\n'),
  post('{"a":[1,2]}', 'Authorization: Bearer abc\r\nConnection: keep-alive\r\n'),
  post('{}') + get(),
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

it('sees in every mutated request just what the runtime sees', { timeout: 600_000 }, async () => {
  const [ours, theirs] = await Promise.all([
    runListener({ plane: tellAll }),
    runListener({ plane: tellAll, withoutLane: true }),
  ])
  const compare = async (text: string, options: { quietMs: number; timeoutMs: number }) => {
    const [first, second] = await Promise.all([ours, theirs].map(({ port }) => sendRaw(port, text, options)))
    const runtimes = second!.answers.map(told)
    const mine = first!.answers.map(told)
    return {
      mine: mine.slice(0, runtimes.length),
      runtimes,
      more: mine.slice(runtimes.length).map(({ status }) => status),
    }
  }
  const isSame = ({ mine, runtimes, more }: Awaited<ReturnType<typeof compare>>) =>
    more.length === 0 && isDeepStrictEqual(mine, runtimes)
  const judge = async (text: string) => {
    // Short times first: most requests are answered at once. Who is slow on a loaded machine gets a second look.
    const seen = await compare(text, { quietMs: 60, timeoutMs: 400 })
    const { mine, runtimes, more } = isSame(seen) ? seen : await compare(text, { quietMs: 700, timeoutMs: 5_000 })
    expect({ text, answers: mine }).toEqual({ text, answers: runtimes })
    // What follows whole requests and is none: the runtime may end the connection before it has answered them, ours answers
    // each in its turn and says what is wrong with the rest.
    if (more.length > 0)
      expect({ text, more: more.join() }).toEqual({ text, more: expect.stringMatching(/^(200,){0,3}400$/) })
    if (mine.length === 0) expect({ text, more }).not.toEqual({ text, more: [400] })
  }
  const texts = fc.sample(mutated, inject('prove') ? 10_000 : 300)
  const work = async () => {
    for (let text = texts.pop(); text !== undefined; text = texts.pop()) await judge(text)
  }
  await Promise.all(Array.from({ length: 16 }, work))
})

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

const tellAll: Plane = async (request, response, { host, path, query, isInternal }) => {
  const { 'content-length': _length, ...headers } = request.headers
  const body = request.headers['content-length'] ? (await readBody(request, limits)).value : null
  replyJson(response, 200, { host, path, query, isInternal, method: request.method, url: request.url, headers, body })
}

const told = ({ status, body }: { status: number; body: string }) => ({
  status,
  body: body.replaceAll(/[0-9a-f-]{36}/g, 'id'),
})
