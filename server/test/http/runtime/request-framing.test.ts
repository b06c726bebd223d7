// What the runtime's parser is given instead of what came: the same requests and bodies with fewer chunks, and an error
// where our own reader sees one. The parser itself has the last word: it reads all of it in a real server.
import { createServer } from 'node:http'
import { connect } from 'node:net'
import fc from 'fast-check'
import { expect, inject, it, onTestFinished } from 'vitest'
import { RequestFraming } from '../../../src/http/runtime/request-framing.ts'

const head = (more: string) => `POST /v1/chat HTTP/1.1\r\nHost: a\r\n${more}\r\n`
const chunked = 'Transfer-Encoding: chunked\r\n'
const nul = '\0'

/** What the parser gets of the text in pieces of these sizes, the last one for all that is left. */
function give(text: string, sizes: readonly number[] = []): string {
  const framing = new RequestFraming()
  let given = ''
  let at = 0
  for (const size of [...sizes, text.length]) {
    const bytes = Buffer.from(text.slice(at, at + size), 'latin1')
    at += size
    if (bytes.length > 0) given += framing.read(bytes).toString('latin1')
  }
  return given
}

it('gives what is not chunked as it came, in the memory it came in', () => {
  const bytes = Buffer.from(`${head('Content-Length: 3\r\n')}abcGET / HTTP/1.1\r\n\r\n\r\nGET / HTTP/1.0\r\n`)
  const given = new RequestFraming().read(bytes)
  expect(given.buffer).toBe(bytes.buffer)
  expect(given.equals(bytes)).toBe(true)
})

it('gives the chunks of a reading as one, without their extensions', () => {
  const text = `${head(chunked)}1\r\na\r\n2;x=y\r\nbc\r\n003\r\ndef\r\n0;z\r\nX-A: b\r\n\r\n`
  expect(give(text)).toBe(`${head(chunked)}6\r\nabcdef\r\n0\r\nX-A: b\r\n\r\n`)
  const cut = text.indexOf('ef\r\n0')
  expect(give(text, [cut])).toBe(`${head(chunked)}4\r\nabcd\r\n2\r\nef\r\n0\r\nX-A: b\r\n\r\n`)
})

const sound = [
  ['empty lines in front', `\r\n\r\n${head('Content-Length: 0\r\n')}\r\n${head('Content-Length: 1\r\n')}x`],
  ['a length in any case, with blanks', head('CONTENT-length:\t 0 \r\n')],
  ['what looks like framing in a value', head('X-A: Transfer-Encoding: chunked\r\n')],
  ['what looks like a head in a body', `${head('Content-Length: 18\r\n')}GET  /  HTTP/1.1\r\nGET / HTTP/1.1\r\n\r\n`],
  ['another protocol', `CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n\0\r \n`],
  ['what the runtime refuses', `${head('Transfer-Encoding: gzip, chunked\r\n')}\0`],
  ['two lengths, which the runtime refuses', `${head('Content-Length: 1\r\nContent-Length: 1\r\n')}\0`],
] as const

it.each(sound)('gives %s as it came, at every cut', (_what, text) => {
  for (let at = 0; at < text.length; at++) expect(give(text, [at]), `cut at ${at}`).toBe(text)
})

const broken: Array<[what: string, text: string, upTo: string]> = [
  ['a bare CR in front', `\r${head('')}`, '\r'],
  ['a bare CR behind an empty line', `\r\n\r${head('')}`, '\r\n\r'],
  ['a bare LF in front', `\n${head('')}`, ''],
  ['a CR between requests', `${head('Content-Length: 1\r\n')}x\r${head('')}`, `${head('Content-Length: 1\r\n')}x\r`],
  ['two blanks behind the method', head('').replace(' /', '  /'), ''],
  ['two blanks in front of the version', head('').replace(' HTTP', '  HTTP'), ''],
  ['a blank behind the version', head('').replace('1.1', '1.1 '), ''],
  ['no version', head('').replace(' HTTP/1.1', ''), ''],
  ['a bare LF behind the request line', head('').replace('\r', ''), ''],
  ['a bare LF behind a header', head('').replace('a\r\n', 'a\n'), ''],
  ['a bare CR behind a header', head('').replace('a\r\n', 'a\r'), ''],
  [
    'the same in the second request',
    head('Content-Length: 0\r\n') + head('').replace(' /', '  /'),
    head('Content-Length: 0\r\n'),
  ],
  ['the same behind chunks', `${head(chunked)}0\r\n\r\n${head('').replace(' /', '  /')}`, `${head(chunked)}0\r\n\r\n`],
  ['no size', `${head(chunked)}\r\n`, head(chunked)],
  ['a size that is none', `${head(chunked)}1\r\na\r\ng\r\n`, `${head(chunked)}1\r\na\r\n`],
  ['a chunk that is too long', `${head(chunked)}1\r\nab\r\n`, `${head(chunked)}1\r\na\r\n`],
  ['a bare LF behind a size', `${head(chunked)}1\na\r\n`, head(chunked)],
  ['a control character in an extension', `${head(chunked)}1;\0\r\na\r\n`, head(chunked)],
  ['too much framing', `${head(chunked)}1\r\na\r\n1;${'x'.repeat(17_000)}\r\n`, `${head(chunked)}1\r\na\r\n`],
]

it.each(broken)('stops %s, wherever it is cut', (_what, text, upTo) => {
  expect(give(text)).toBe(upTo + nul)
  const step = Math.ceil(text.length / 500)
  for (let at = 1; at < text.length; at += step) {
    const given = give(text, [at])
    // What came first may have been sound by itself.
    expect(given.endsWith(nul), `cut at ${at}: ${JSON.stringify(given.slice(-200))}`).toBe(true)
    expect(given.slice(0, -1)).not.toContain(nul)
  }
})

it('takes no head without an end', () => {
  expect(give(head(`X-A: ${' '.repeat(70_000)}\r\n`), [10_000, 10_000, 10_000]).endsWith(nul)).toBe(true)
})

it('has the runtime read the same requests, whatever the chunks and the cuts', async () => {
  const body = fc.string({
    unit: fc.constantFrom('a', '0', '\r\n', '\r', '\n', 'GET / HTTP/1.1\r\n\r\n', ';', '\0'),
    maxLength: 40,
  })
  const request = fc.tuple(
    body,
    fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 8 }),
    fc.constantFrom('', ';a', ';a="b"'),
    fc.constantFrom('', 'X-Trailer: b\r\n'),
    fc.boolean(),
  )
  const texts = fc.tuple(
    fc.array(request, { minLength: 1, maxLength: 4 }),
    fc.array(fc.integer({ min: 1, max: 90 }), { maxLength: 12 }),
  )
  const read = await startReader()
  await fc.assert(
    fc.asyncProperty(texts, async ([requests, cuts]) => {
      const text = requests.map(each => write(each)).join('')
      const given = give(text, cuts)
      expect(await read(given)).toEqual(requests.map(([said]) => said))
    }),
    { numRuns: inject('prove') ? 3_000 : 150 },
  )
})

function write([body, sizes, extension, trailer, hasLength]: [string, number[], string, string, boolean]): string {
  if (hasLength) return `${head(`Content-Length: ${body.length}\r\n`)}${body}`
  let text = head(chunked)
  let at = 0
  for (const size of [...sizes, body.length]) {
    const chunk = body.slice(at, at + size)
    at += size
    if (chunk.length > 0) text += `${chunk.length.toString(16)}${extension}\r\n${chunk}\r\n`
  }
  return `${text}0${extension}\r\n${trailer}\r\n`
}

/** Gives text to a server of the runtime, and returns the bodies that it read of it. */
async function startReader(): Promise<(text: string) => Promise<string[]>> {
  let bodies: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('latin1').on('data', (piece: string) => {
      body += piece
    })
    request.on('end', () => {
      bodies.push(body)
      response.end()
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as { port: number }
  return async text => {
    bodies = []
    const last = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
    const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.from(text + last, 'latin1')))
    await new Promise<void>(resolve => socket.resume().once('close', () => resolve()))
    return bodies.slice(0, -1)
  }
}
