// Verdicts on keys, from real answers of a scripted upstream: per provider where it is asked and as whom, and what each
// kind of answer means.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { forEachProvider, providers } from '../../../src/domain/provider.ts'
import { createOutbound, type Outbound } from '../../../src/outbound/outbound.ts'
import { parseOutboundAllow } from '../../../src/outbound/policy.ts'
import { checkKey, type KeyVerdict } from '../../../src/providers/models/check-key.ts'
import { providerRegistry } from '../../../src/providers/registry.ts'
import { describeWithSharedData } from '../../support/shared-data.ts'
import { type ScriptedUpstream, startUpstream, type UpstreamAnswer } from '../../support/simulated/scripted-upstream.ts'
import { roomFor } from '../../support/slowness.ts'
import { noClouds } from '../clouds/no-clouds.ts'
import { providerCases } from '../provider-cases.ts'

let upstream: ScriptedUpstream
let outbound: Outbound
beforeAll(async () => {
  upstream = await startUpstream()
  outbound = createOutbound({ allow: parseOutboundAllow(''), log: { warn: () => undefined } })
})
afterAll(async () => {
  await outbound.close()
  await upstream.close()
})
beforeEach(() => upstream.reset())

type Case = (typeof providerCases)[number]

function check({ provider, key, basePath }: Case, more: Partial<Parameters<typeof checkKey>[0]> = {}) {
  const adapter = providerRegistry[provider].adapter
  const baseUrl = upstream.url + basePath
  const place = { adapter, baseUrl, credential: key, guard: 'operator', tenantId: 't' } as const
  return checkKey({ outbound, now: Date.now, clouds: noClouds(), ...place, timeoutMs: 5000, ...more })
}

test('every provider has a case, and its default address ends as the case says', () => {
  const endings = providerCases.map(({ provider, basePath }) => [
    provider,
    providers[provider].baseUrl.endsWith(basePath),
  ])
  expect(Object.fromEntries(endings)).toEqual(forEachProvider(() => true))
})

describe.each(providerCases)('$provider', providerCase => {
  const { key, keyCheck, keyHeader, refused } = providerCase

  test('is asked at its own place, with the key in one header alone', async () => {
    upstream.on(`GET ${keyCheck.path}`, { body: { data: [] } })
    expect(await check(providerCase)).toBe('valid')
    const [asked] = upstream.requests
    expect(upstream.requests).toHaveLength(1)
    expect(asked?.query).toEqual(keyCheck.query)
    expect(asked?.headers[keyHeader[0]]).toBe(keyHeader[1](key))
    expect(JSON.stringify(asked).split(key)).toHaveLength(2)
    expect(asked?.headers['anthropic-version']).toBe(providerCase.provider === 'anthropic' ? '2023-06-01' : undefined)
  })

  test('refuses a key in its own words', async () => {
    upstream.on('*', refused)
    expect(await check(providerCase)).toBe('invalid_key')
  })

  test.each<[UpstreamAnswer, KeyVerdict]>([
    [{ status: 401 }, 'invalid_key'],
    [{ status: 403 }, 'invalid_key'],
    [{ status: 429 }, 'rate_limited'],
    [{ status: 400 }, 'network_error'],
    [{ status: 404 }, 'network_error'],
    [{ status: 500 }, 'network_error'],
    [{ status: 503, body: '<html>', headers: { 'content-type': 'text/html' } }, 'network_error'],
    [{ status: 302, headers: { location: 'https://example.com/' } }, 'network_error'],
    [{ status: 200, body: '<html>', headers: { 'content-type': 'text/html; charset=utf-8' } }, 'network_error'],
    [{ status: 204 }, 'valid'],
    [{ hangUp: true }, 'network_error'],
    // Ends no sooner than the test: what is known from the head need not wait for the rest.
    [{ status: 401, body: 'x'.repeat(5_000_000) }, 'invalid_key'],
    [{ status: 200, body: 'x'.repeat(50_000_000) }, 'valid'],
  ])('answers %o', async (answer, verdict) => {
    upstream.on('*', answer)
    expect(await check(providerCase)).toBe(verdict)
  })
})

const openai = providerCases[0] as Case
const google = providerCases[2] as Case

test.each([401, 403])('a key of OpenAI that may not list models (%i) is a key', async status => {
  const message = 'You have insufficient permissions for this operation. Missing scopes: api.model.read.'
  upstream.on('*', { status, body: { error: { message } } })
  expect(await check(openai)).toBe('valid')
  expect(await check({ ...google, basePath: '/v1beta' })).toBe('invalid_key')
})

test('a late answer is a timeout', async () => {
  upstream.on('*', { delayMs: 3000 })
  const startedAt = performance.now()
  expect(await check(openai, { timeoutMs: 300 })).toBe('timeout')
  expect(performance.now() - startedAt).toBeLessThan(roomFor(2500))
})

test('a refusal that never ends is a timeout', async () => {
  const stalling = createServer(socket => {
    socket.on('error', () => undefined)
    socket.write('HTTP/1.1 401 Unauthorized\r\ncontent-length: 100\r\n\r\nhalf')
  }).listen(0, '127.0.0.1')
  await new Promise(resolve => stalling.once('listening', resolve))
  const { port } = stalling.address() as { port: number }
  expect(await check(openai, { baseUrl: `http://127.0.0.1:${port}`, timeoutMs: 300 })).toBe('timeout')
  await outbound.close()
  outbound = createOutbound({ allow: parseOutboundAllow(''), log: { warn: () => undefined } })
  stalling.close()
})

test('nobody there is a network error, and so is an address that a tenant may not reach', async () => {
  const closed = await startUpstream()
  await closed.close()
  expect(await check(openai, { baseUrl: closed.url })).toBe('network_error')
  upstream.on('*', {})
  expect(await check(openai, { guard: 'tenant' })).toBe('network_error')
  expect(upstream.requests).toEqual([])
})

const recorded: [string, KeyVerdict][] = [
  ['openai/err-auth--bbcd9bb2', 'invalid_key'],
  ['anthropic/err-auth--4ea1ee20', 'invalid_key'],
  ['anthropic/err-auth--764463a2', 'invalid_key'],
  ['google/err-auth--bb36609c', 'invalid_key'],
  ['openrouter/err-auth--f377f703', 'invalid_key'],
  ['openrouter/key-check-ok--7d2fd48c', 'valid'],
  ['mistral/err-auth--ed5d374c', 'invalid_key'],
  ['cohere/err-auth--9a1dba55', 'invalid_key'],
]

describeWithSharedData('as recorded', 'fixtures', folder => {
  test.each(recorded)('%s', async (name, verdict) => {
    const { response } = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'))
    upstream.on('*', { status: response.status, body: response.body_text ?? response.body })
    const [provider] = name.split('/')
    const providerCase = providerCases.find(candidate => candidate.provider === provider)
    expect(await check(providerCase as Case)).toBe(verdict)
  })
})
