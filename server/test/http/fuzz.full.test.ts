// Mutated raw requests: never a fault of ours, never a crash, never more requests dispatched than were answered.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, inject, it, onTestFinished } from 'vitest'
import { readBody } from '../../src/http/read-body.ts'
import { replyJson } from '../../src/http/reply.ts'
import { sendRaw } from './raw-request.ts'
import { runListener } from './running-listener.ts'

const path = join(import.meta.dirname, '../data/security/http_cases.json')
const { cases }: { cases: Array<{ raw_latin1_base64: string }> } = JSON.parse(readFileSync(path, 'utf8'))
const valid = [
  'CONNECT h:443 HTTP/1.1\r\nHost: h\r\n\r\n',
  'GET /auth/v1/tenants?limit=1 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n',
  'POST /v1/chat HTTP/1.1\r\nHost: a-b-1.pub\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{"a":1}',
  'POST /v1/chat HTTP/1.1\r\nHost: a-b-1.pub\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n7\r\n{"a":1}\r\n0\r\n\r\n',
  'GET /p/a-b-1/v1/models HTTP/1.1\r\nHost: [::1]:8080\r\nX-Forwarded-For: 1.2.3.4\r\nExpect: 100-continue\r\n\r\n',
]
const seeds = [...cases.map(each => Buffer.from(each.raw_latin1_base64, 'base64').toString('latin1')), ...valid].filter(
  seed => seed.length < 2_000,
)
const inserts = [
  ...[
    '\r\n',
    '\n',
    '\r',
    '\0',
    ' ',
    '\t',
    ':',
    '/',
    '//',
    '/../',
    '%2e',
    '%00',
    '#',
    '?',
    '@',
    '\x7f',
    '\xff',
    '*',
    ';',
  ],
  ...[
    'Host: evil.pub\r\n',
    'Transfer-Encoding: chunked\r\n',
    'Content-Length: 3\r\n',
    'Expect: 100-continue\r\n',
    ' chunked',
  ],
  ...[
    'Connection: Upgrade\r\nUpgrade: h2c\r\n',
    'HTTP/1.0',
    'HTTP/2.0',
    'http://h',
    'Authorization: x\r\n',
    '0\r\n\r\n',
    'X_Y: 1\r\n',
  ],
]

interface Mutation {
  at: number
  drop: number
  insert: string
}
const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  drop: fc.integer({ min: 0, max: 4 }),
  insert: fc.oneof(fc.constantFrom('', ...inserts), fc.string({ unit: 'binary-ascii', maxLength: 3 })),
})
const mutate = (text: string, { at, drop, insert }: Mutation) => {
  const position = Math.floor(at * text.length)
  return text.slice(0, position) + insert + text.slice(position + drop)
}

it('holds against mutated requests', async () => {
  const faults: unknown[] = []
  const keep = (fault: unknown): void => void faults.push(fault)
  for (const kind of ['unhandledRejection', 'uncaughtException']) {
    process.on(kind, keep)
    onTestFinished(() => void process.off(kind, keep))
  }
  const limits = { headersTimeoutMs: 400, requestTimeoutMs: 500, keepAliveTimeoutMs: 5_000, checkIntervalMs: 50 }
  const { port, arrivals, lines } = await runListener({
    hosts: { baseUrl: 'http://h', publicDomain: 'pub', internalDomain: 'dev.pub' },
    limits,
    plane: async (request, response) => {
      if (request.method === 'POST') await readBody(request, { maxBytes: 1_000, timeoutMs: 300 })
      replyJson(response, 200, {})
    },
  })
  const numRuns = inject('prove') ? 10_000 : 40
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom(...seeds), fc.array(mutation, { minLength: 1, maxLength: 4 })), {
        minLength: 10,
        maxLength: 10,
      }),
      async batch => {
        const texts = batch.map(([seed, mutations]) => mutations.reduce(mutate, seed))
        arrivals.length = 0
        const exchanges = await Promise.all(texts.map(text => sendRaw(port, text, { quietMs: 15, timeoutMs: 5_000 })))
        exchanges.forEach(({ answers, text }, index) => {
          const statuses = answers.map(({ status }) => status)
          expect(
            statuses.filter(status => status >= 500),
            texts[index],
          ).toEqual([])
          // Two requests in one text are two only where the bytes say so themselves.
          const asked = texts[index]!.split(/ HTTP\/1\.[01]\r\n/).length - 1
          const final = statuses.filter(status => status >= 200).length
          expect(final, texts[index]).toBeLessThanOrEqual(Math.max(asked, 1))
          if (text !== '') expect(text, texts[index]).toMatch(/^HTTP\/1\.1 \d/)
        })
        const answered = exchanges.flatMap(({ answers }) => answers).filter(({ status }) => status >= 200).length
        expect(arrivals.length).toBeLessThanOrEqual(answered)
        for (const { incoming, headers } of arrivals) {
          expect(incoming.path).toMatch(/^\/(?!\/)[\x21-\x7e]*$/)
          expect(incoming.path).not.toMatch(/\/\/|\/\.\.?(\/|$)|%2[ef]|%00|#/i)
          expect(Object.keys(headers).join()).not.toContain('_')
        }
      },
    ),
    { numRuns, endOnFailure: true },
  )
  expect(faults).toEqual([])
  expect(lines.filter(line => line.includes('"level":"error"'))).toEqual([])
}, 1_800_000)
