// The identity between two processes: what one side writes the other reads back exactly, and nothing else passes.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request as sendRequest } from 'node:http'
import { Socket } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { readIdentity, writeIdentity } from '../../src/call/injected-identity.ts'
import type { Verified } from '../../src/domain/caller.ts'
import { Refusal } from '../../src/domain/errors.ts'
import { FastLaneRequest } from '../../src/http/fast-lane/request.ts'
import { FastLaneHeadReader } from '../../src/http/fast-lane/request-head.ts'
import { listen } from '../outbound/fixtures.ts'
import { describeWithSharedData } from '../support/shared-data.ts'

const alice: Verified = {
  requestId: randomUUID(),
  tenantId: randomUUID(),
  projectId: randomUUID(),
  userId: 'alice',
  role: 'user',
  tier: null,
  scopes: ['llm:invoke'],
  authProvider: 'service',
  sessionId: null,
  threadId: null,
}

let arrived: IncomingMessage
const server = createServer((request, response) => {
  arrived = request
  response.end()
})
// On a busy machine the client would meet a connection that the server is just closing.
server.keepAliveTimeout = 0
let port = 0
beforeAll(async () => {
  port = await listen(server)
})
afterAll(() => void server.close())

function write(verified: Verified): Record<string, string> {
  const headers: Record<string, string> = {}
  writeIdentity(headers, verified)
  return headers
}

/** Over a real connection: what a header cannot carry shows there alone. */
async function carry(headers: Record<string, string | string[]>): Promise<IncomingMessage> {
  await new Promise<void>((resolve, reject) => {
    sendRequest({ port, host: '127.0.0.1', headers }, response => response.resume().once('end', resolve))
      .once('error', reject)
      .end()
  })
  return arrived
}

/** As our own reader gives it, in which no header comes twice. */
function carryPlainly(headers: Record<string, string>): FastLaneRequest {
  const lines = Object.entries({ host: 'a', ...headers }).map(([name, value]) => `${name}: ${value}`)
  const head = new FastLaneHeadReader().read(['GET /v1/models HTTP/1.1', ...lines].join('\r\n'))
  if (head === null) throw new Error('the head is not plain')
  return new FastLaneRequest(head, Buffer.alloc(0), new Socket())
}

function refusalOf(read: () => unknown): { status: number; message: string } {
  try {
    read()
  } catch (error) {
    if (error instanceof Refusal) return { status: error.row.status, message: error.message }
    throw error
  }
  throw new Error('not refused')
}

describe('what is written', () => {
  it('is read back', async () => {
    const full = { ...alice, tier: 'pro', scopes: [], sessionId: 'a:b', threadId: 'x.y-z', userId: 'ü 🙂 %20' }
    for (const verified of [alice, full]) {
      expect(readIdentity(await carry(write(verified)), { isInternal: true })).toEqual(verified)
      expect(readIdentity(carryPlainly(write(verified)), { isInternal: true })).toEqual(verified)
    }
    const { 'x-role': _left, ...withoutRole } = write(alice)
    expect(refusalOf(() => readIdentity(carryPlainly(withoutRole), { isInternal: true })).status).toBe(400)
  })

  it('is read back with a conversation without a name, which the client is told of by whoever answers', async () => {
    const verified = { ...alice, sessionId: '', threadId: '' }
    expect(readIdentity(await carry(write(verified)), { isInternal: true })).toEqual(verified)
  })

  it('is read back for any text', async () => {
    const text = fc.string({ minLength: 1, maxLength: 60, unit: 'binary' })
    const property = fc.asyncProperty(text, text, fc.array(text), async (userId, tier, scopes) => {
      const verified = { ...alice, userId, tier, scopes }
      expect(readIdentity(await carry(write(verified)), { isInternal: true })).toEqual(verified)
    })
    await fc.assert(property, { numRuns: inject('prove') ? 10_000 : 200 })
  })

  describeWithSharedData('of naughty strings', 'security/blns.json', naughty => {
    it('is read back for each', async () => {
      const strings = (JSON.parse(readFileSync(naughty, 'utf8')) as string[]).filter(text => text !== '')
      expect(strings.length).toBeGreaterThan(300)
      for (const userId of strings) {
        const verified = { ...alice, userId: userId.slice(0, 255).toWellFormed() }
        const headers = write(verified)
        expect(headers['x-end-user-id']).toMatch(/^[\x20-\x7e]+$/)
        expect(readIdentity(await carry(headers), { isInternal: true })).toEqual(verified)
      }
    })
  })

  it('never says the same of two users', () => {
    const ids = ['ü', '%C3%BC', '%25C3%25BC', '%c3%bc', 'a b', 'a%20b', ' a', '%20a', 'a']
    expect(new Set(ids.map(userId => write({ ...alice, userId })['x-end-user-id'])).size).toBe(ids.length)
  })
})

describe('what is read', () => {
  it('counts only with the secret', async () => {
    const request = await carry(write(alice))
    expect(refusalOf(() => readIdentity(request, { isInternal: false })).status).toBe(401)
  })

  const { 'x-end-user-id': _left, ...withoutUser } = write(alice)
  it.each([
    ['no user', withoutUser],
    ['an empty user', { 'x-end-user-id': '' }],
    ['a user twice', { 'x-end-user-id': ['alice', 'bob'] }],
    ['a user in lower-case escapes', { 'x-end-user-id': '%c3%bc' }],
    ['a user in needless escapes', { 'x-end-user-id': '%61lice' }],
    ['a user in half an escape', { 'x-end-user-id': 'a%2' }],
    ['a user in escapes that are no UTF-8', { 'x-end-user-id': '%FF' }],
    ['a user in raw bytes', { 'x-end-user-id': '\u00fc' }],
    ['a tenant that is no id', { 'x-tenant-id': 'shop' }],
    ['two tenants in one', { 'x-tenant-id': `${alice.tenantId}, ${alice.tenantId}` }],
    ['a request id that is no id', { 'x-request-id': 'x' }],
    ['scopes that are no JSON', { 'x-scopes': 'llm' }],
    ['scopes that are no list', { 'x-scopes': '{}' }],
    ['scopes that are no texts', { 'x-scopes': '[1]' }],
    ['an empty provider', { 'x-auth-provider': '' }],
  ] as [string, Record<string, string | string[]>][])('is refused with %s', async (name, change) => {
    const headers = name === 'no user' ? withoutUser : { ...write(alice), ...change }
    const request = await carry(headers)
    expect(refusalOf(() => readIdentity(request, { isInternal: true }))).toMatchObject({
      status: 400,
      message: expect.stringMatching(/^x-[a-z-]+ missing or malformed$/),
    })
  })
})
