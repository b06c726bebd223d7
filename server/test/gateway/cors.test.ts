// Tests what browsers get, by the compiled cases and by the deployed settings: preflights, responses and errors.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { writeIdentity } from '../../src/call/injected-identity.ts'
import type { Verified } from '../../src/domain/caller.ts'
import { Refusal } from '../../src/domain/errors.ts'
import { openForSuite } from '../support/runner/when-done.ts'
import { type CallOptions, dashboardOrigin, openStage, type Stage, type TestProject } from './gateway-stage.ts'

const rows = readFileSync(join(import.meta.dirname, '../data/security/cors_cases.tsv'), 'utf8')
  .split('\n')
  .filter(line => line !== '' && !line.startsWith('#'))
  .map(line => line.split('\t'))
  .map(([origins = '', credentials = '', origin = '', verdict = '', note = '']) => {
    return { origins, credentials, origin, verdict, note }
  })

const ofOrigins = rows.filter(({ origins }) => origins.startsWith('['))
const behaviours = rows.filter(({ verdict }) => verdict === 'behaviour')
/** Rows about storing settings are tested with the settings. */
const ofSettings = rows.filter(({ origins }) => origins === 'PUT settings')

const origin = 'https://app.acme.com'
const allowed = { cors_origins: [origin], cors_allow_credentials: true }

function preflight(stage: Stage, project: TestProject, headers: Record<string, string>, path = '/v1/chat/completions') {
  return stage.call(project, 'OPTIONS', path, {
    headers: { origin, 'access-control-request-method': 'POST', ...headers },
  })
}

/** Returns a function that sends a preflight for the given headers and returns the allowed names. */
async function openPreflights(): Promise<(asked?: string) => Promise<string[]>> {
  const stage = await openStage()
  const project = await stage.makeProject(allowed)
  return async asked => {
    const headers: Record<string, string> = asked === undefined ? {} : { 'access-control-request-headers': asked }
    const answer = await preflight(stage, project, headers)
    return answer.headers['access-control-allow-headers']?.split(', ') ?? []
  }
}

const clientHeaders = [
  'authorization',
  'content-type',
  'accept',
  'user-agent',
  'idempotency-key',
  'x-session-id',
  'x-thread-id',
  'x-user-id',
  'openai-organization',
  'openai-project',
  'openai-beta',
  'x-api-key',
  'anthropic-version',
  'anthropic-beta',
  'anthropic-dangerous-direct-browser-access',
]
const stainless = ['arch', 'lang', 'os', 'package-version', 'retry-count', 'runtime', 'runtime-version', 'timeout']

const everyField: Verified = {
  requestId: '0',
  tenantId: '1',
  projectId: '2',
  userId: 'user',
  role: 'user',
  tier: 'gold',
  scopes: ['chat'],
  authProvider: 'own',
  sessionId: 'session',
  threadId: 'thread',
}

const corsHeaders = (headers: object) => Object.keys(headers).filter(name => name.startsWith('access-control-'))

test('every compiled row is decided here or with the settings', () => {
  expect(ofOrigins.length + behaviours.length + ofSettings.length).toBe(rows.length)
  expect(behaviours.map(({ note }) => note)).toEqual([
    'preflight asks X-Tenant-Id / X-Admin-Secret: not in Allow-Headers',
    'project A origin list never applied on host B (cache key has Host)',
    'private network preflight: no Access-Control-Allow-Private-Network',
  ])
})

describe('compiled origins', () => {
  const opened = openForSuite(openStage)

  test.each(ofOrigins)('$origins, Origin $origin ($note): $verdict', async row => {
    const stage = opened()
    const project = await stage.makeProject({
      cors_origins: JSON.parse(row.origins),
      cors_allow_credentials: row.credentials === 'true',
    })
    const headers = { origin: row.origin }
    for (const answer of [
      await preflight(stage, project, headers),
      await stage.call(project, 'GET', '/v1/models', { headers }),
      await stage.call(project, 'GET', '/v1/models', { headers, token: stage.tokenFor(project) }),
    ]) {
      expect(answer.headers['vary']).toBe('Origin')
      if (row.verdict === 'allow') {
        expect(answer.headers['access-control-allow-origin']).toBe(row.origin)
        expect(answer.headers['access-control-allow-credentials']).toBe('true')
      } else expect(corsHeaders(answer.headers)).toEqual([])
    }
  })
})

describe('preflights', () => {
  test('answer 204 with an id, uncharged', async () => {
    const stage = await openStage()
    const project = await stage.makeProject({ ...allowed, rpm_limit: 1 })
    for (let i = 0; i < 3; i++) {
      const { status, headers, text } = await preflight(stage, project, {})
      expect({ status, text }).toEqual({ status: 204, text: '' })
      expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
      expect(headers['access-control-max-age']).toBe('600')
      expect(headers['access-control-allow-methods']).toBe('GET, HEAD, POST, DELETE')
    }
    expect((await stage.call(project, 'GET', '/v1/models', { token: stage.tokenFor(project) })).status).toBe(200)
    expect(stage.calls).toHaveLength(1)
  })

  test('allow what the official clients send, whatever is asked for', async () => {
    const allowedNames = await openPreflights()
    for (const asked of [undefined, 'authorization', 'user-agent, x-stainless-os']) {
      const names = await allowedNames(asked)
      expect(names.filter(name => !name.startsWith('x-stainless-')).toSorted()).toEqual(clientHeaders.toSorted())
      for (const name of stainless) expect(names).toContain(`x-stainless-${name}`)
      expect(new Set(names).size).toBe(names.length)
    }
  })

  test('allow every name of the open families that is asked for, and within bounds', async () => {
    const allowedNames = await openPreflights()
    const known = await allowedNames()
    const longest = `x-sallyport-${'a'.repeat(40)}`
    const asked = `X-Stainless-OS, x-stainless-new-thing,X-SALLYPORT-Cache , x-sallyport-cache, ${longest}`
    const more = (await allowedNames(asked)).filter(name => !known.includes(name))
    expect(more).toEqual(['x-stainless-new-thing', 'x-sallyport-cache', longest])
    for (const beyond of [
      `${longest}a`,
      'x-sallyport-',
      'x-stainless-',
      'x-sallyport_a',
      'x-sallyport-a:b',
      'ax-sallyport-b',
    ])
      expect(await allowedNames(beyond)).toEqual(known)
    const many = Array.from({ length: 41 }, (_, index) => `x-sallyport-${index}`)
    expect((await allowedNames(many.join(','))).filter(name => !known.includes(name))).toEqual(many.slice(0, 40))
  })

  test('never allow a header by which our processes or operators identify somebody', async () => {
    const allowedNames = await openPreflights()
    const identity: Record<string, string> = {}
    writeIdentity(identity, everyField)
    const internal = [...Object.keys(identity), 'x-internal-secret', 'x-admin-secret'].filter(
      name => name !== 'x-session-id' && name !== 'x-thread-id',
    )
    expect(internal).toContain('x-tenant-id')
    const asked = [...internal, 'x-end-user-email', 'x-forwarded-for', 'cookie', 'x-sallyport', '*']
    const names = await allowedNames(asked.join(', '))
    expect(names.filter(name => asked.includes(name))).toEqual([])
  })

  test('are not the business of the kill switch, and answer on any path', async () => {
    const stage = await openStage()
    const project = await stage.makeProject(allowed)
    await stage.setSwitch('global', '', true)
    for (const path of ['/v1/chat/completions', '/v1/nothing']) {
      expect((await preflight(stage, project, {}, path)).headers['access-control-allow-origin']).toBe(origin)
    }
  })

  test('private network preflight: no Access-Control-Allow-Private-Network', async () => {
    const stage = await openStage()
    const project = await stage.makeProject(allowed)
    const { headers } = await preflight(stage, project, { 'access-control-request-private-network': 'true' })
    expect(corsHeaders(headers)).not.toContain('access-control-allow-private-network')
  })

  test('of an unknown host: 404 without a word for browsers', async () => {
    const stage = await openStage()
    await stage.makeProject(allowed)
    const answer = await preflight(stage, { slug: 'nobody-here-99' } as TestProject, {})
    expect(answer.status).toBe(404)
    expect(corsHeaders(answer.headers)).toEqual([])
  })
})

test('project A origin list never applied on host B', async () => {
  const stage = await openStage()
  const [a, b] = [await stage.makeProject(allowed), await stage.makeProject({ cors_origins: ['https://b.example'] })]
  for (let i = 0; i < 2; i++) {
    expect((await preflight(stage, a, {})).headers['access-control-allow-origin']).toBe(origin)
    expect(corsHeaders((await preflight(stage, b, {})).headers)).toEqual([])
  }
})

test('a project starts with the origin of the dashboard', async () => {
  const stage = await openStage()
  const project = await stage.makeProject()
  const { headers } = await preflight(stage, project, { origin: dashboardOrigin })
  expect(headers['access-control-allow-origin']).toBe(dashboardOrigin)
  expect(headers['access-control-allow-credentials']).toBeUndefined()
})

test('the wildcard is said as such, to everybody', async () => {
  const stage = await openStage()
  const project = await stage.makeProject({ cors_origins: ['*'] })
  const { headers } = await preflight(stage, project, { origin: 'https://anybody.example' })
  expect(headers['access-control-allow-origin']).toBe('*')
  expect(headers['access-control-allow-credentials']).toBeUndefined()
})

test('a deploy changes the list at once', async () => {
  const stage = await openStage()
  const project = await stage.makeProject(allowed)
  expect((await preflight(stage, project, {})).headers['access-control-allow-origin']).toBe(origin)
  await stage.deploy(project, { settings: { cors_origins: [] } })
  await expect.poll(async () => corsHeaders((await preflight(stage, project, {})).headers)).toEqual([])
})

describe('answers and refusals', () => {
  const opened = openForSuite(openStage)
  const withToken = (stage: Stage, project: TestProject): CallOptions => ({ token: stage.tokenFor(project) })
  test.each<[number, string, string, (stage: Stage, project: TestProject) => CallOptions]>([
    [200, 'GET', '/v1/models', withToken],
    [400, 'POST', '/v1/chat/completions', (stage, project) => ({ ...withToken(stage, project), body: '{' })],
    [401, 'GET', '/v1/models', () => ({})],
    [404, 'GET', '/v1/nothing', withToken],
    [405, 'PUT', '/v1/models', withToken],
    [
      413,
      'POST',
      '/v1/chat/completions',
      (stage, project) => ({ ...withToken(stage, project), body: 'x'.repeat(2e6) }),
    ],
    [415, 'POST', '/v1/chat/completions', withToken],
  ])('%i %s %s can be read by an allowed origin, with what it exposes', async (status, method, path, options) => {
    const stage = opened()
    const project = await stage.makeProject(allowed)
    const call = options(stage, project)
    const answer = await stage.call(project, method, path, { ...call, headers: { origin } })
    expect(answer.status).toBe(status)
    expect(answer.headers['access-control-allow-origin']).toBe(origin)
    const exposed = answer.headers['access-control-expose-headers']?.toLowerCase().split(', ') ?? []
    expect(exposed.toSorted()).toEqual([
      'request-id',
      'retry-after',
      ...['limit', 'remaining', 'reset'].flatMap(what => [
        `x-ratelimit-${what}-requests`,
        `x-ratelimit-${what}-tokens`,
      ]),
      'x-request-id',
      'x-sallyport-attempts',
      'x-sallyport-cache',
      'x-sallyport-estimate',
      'x-sallyport-model',
      'x-should-retry',
    ])
    const foreign = await stage.call(project, method, path, { ...call, headers: { origin: 'https://evil.example' } })
    expect(foreign.status).toBe(status)
    expect(corsHeaders(foreign.headers)).toEqual([])
  })

  test.each([
    [500, new Error('a fault of ours')],
    [503, new Refusal('guardrail_unavailable')],
  ])('%i of whoever answers, too', async (status, error) => {
    const stage = await openStage({ answer: () => Promise.reject(error) })
    const answer = await stage.complete(await stage.makeProject(allowed), { headers: { origin } })
    expect(answer.status).toBe(status)
    expect(answer.headers['access-control-allow-origin']).toBe(origin)
    expect(answer.headers['access-control-expose-headers']).toContain('x-request-id')
  })

  test('403 and 429 too', async () => {
    const stage = await openStage()
    const project = await stage.makeProject({ ...allowed, rpm_limit: 1 })
    const ask = () => stage.call(project, 'GET', '/v1/models', { ...withToken(stage, project), headers: { origin } })
    expect((await ask()).status).toBe(200)
    const limited = await ask()
    await stage.setSwitch('project', project.projectId, true)
    const disabled = await ask()
    expect([limited.status, disabled.status]).toEqual([429, 403])
    for (const { headers } of [limited, disabled]) expect(headers['access-control-allow-origin']).toBe(origin)
  })
})
