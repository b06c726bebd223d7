// Servers at the usual addresses of presets: found where OUTBOUND_ALLOW permits the address, and not asked elsewhere.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createLog } from '../../../src/log/log.ts'
import { createServerFinder } from '../../../src/management/providers/find-servers.ts'
import { createOutbound } from '../../../src/outbound/outbound.ts'
import { parseOutboundAllow } from '../../../src/outbound/policy.ts'
import { type ScriptedUpstream, startUpstream } from '../../support/simulated/scripted-upstream.ts'

let server: ScriptedUpstream
let port: string
beforeAll(async () => {
  server = await startUpstream()
  port = new URL(server.url).port
})
beforeEach(() => server.reset())
afterAll(() => server?.close())

const presets = () => [
  { slug: 'ollama', display_name: 'Ollama', base_url: `http://localhost:${port}/v1`, needs_key: false },
  { slug: 'groq', display_name: 'Groq', base_url: `http://127.0.0.1:${port}/v1`, needs_key: true },
]

async function find(allow: string, times = 1) {
  const outbound = createOutbound({ allow: parseOutboundAllow(allow), log })
  try {
    const finder = createServerFinder({ outbound, now: () => 1 }, presets())
    for (let round = 1; round < times; round += 1) await finder('tenant')
    return (await finder('tenant')).map(({ slug, base_url, found }) => `${slug} ${found} ${base_url}`)
  } finally {
    await outbound.close()
  }
}

const log = createLog({ level: 'silent', destination: { write: () => undefined } })

test('the address that is allowed and answers takes the place of the usual one; presets with a key are not asked', async () => {
  server.on('GET /v1/models', { body: { object: 'list', data: [{ id: 'llama3.2' }] } })
  expect(await find(`127.0.0.1:${port}`)).toEqual([
    `ollama true http://127.0.0.1:${port}/v1`,
    `groq false http://127.0.0.1:${port}/v1`,
  ])
  expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /v1/models'])
})

test('nothing is asked where OUTBOUND_ALLOW does not permit it', async () => {
  server.on('GET /v1/models', { body: { object: 'list', data: [] } })
  expect(await find('')).toContain(`ollama false http://localhost:${port}/v1`)
  expect(await find('127.0.0.1:1')).toContain(`ollama false http://localhost:${port}/v1`)
  expect(server.requests).toEqual([])
})

test.each([
  ['an error', { status: 404, body: { error: 'not found' } }],
  ['a page', { body: '<html></html>' }],
  ['another object', { body: { models: [] } }],
])('what answers with %s is no such server', async (_what, answer) => {
  server.on('GET /v1/models', answer)
  expect(await find(`127.0.0.1:${port}`)).toContain(`ollama false http://localhost:${port}/v1`)
})

test('a server is asked once for several reads', async () => {
  server.on('GET /v1/models', { body: { object: 'list', data: [] } })
  expect(await find(`127.0.0.1:${port}`, 3)).toContain(`ollama true http://127.0.0.1:${port}/v1`)
  expect(server.requests).toHaveLength(1)
})
