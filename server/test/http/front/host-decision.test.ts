// Whose request it is, by host and path: every row is one spelling a client may use.
import { describe, expect, it } from 'vitest'
import { createHostDecider, type HostDecision, parseHost } from '../../../src/http/front/host-decision.ts'
import { sendRaw } from '../raw-request.ts'
import { internalSecret, runListener } from '../running-listener.ts'

const local = { baseUrl: 'http://localhost:8080', publicDomain: 'localhost', internalDomain: 'dev.localhost' }
const hosted = {
  baseUrl: 'https://api.example.com',
  publicDomain: 'example.com',
  internalDomain: 'dev.example.com',
}
const management: HostDecision = { kind: 'management' }
const unknown: HostDecision = { kind: 'unknown' }
const project = (slug: string, path: string): HostDecision => ({ kind: 'project', slug, path })
const slug = 'amber-falcon-4821'

describe('host decision', () => {
  it.each<[typeof local, string, string, HostDecision]>([
    [local, 'localhost:8080', '/auth/v1/tenants', management],
    [local, 'localhost', '/auth/v1/tenants', management],
    [local, 'LOCALHOST.:1', '/', management],
    [local, '127.0.0.1:9000', '/', management],
    [local, '127.8.8.8', '/', management],
    [local, '[::1]:8080', '/', management],
    [local, '[0:0:0:0:0:0:0:1]:8080', '/', management],
    [local, '128.0.0.1', '/', unknown],
    [local, '[::2]', '/', unknown],
    [local, `${slug}.localhost`, '/v1/models', project(slug, '/v1/models')],
    [local, `${slug}.localhost:8080`, '/auth/v1/tenants', project(slug, '/auth/v1/tenants')],
    [local, `${slug.toUpperCase()}.LocalHost.`, '/v1', project(slug, '/v1')],
    [local, `${slug}.dev.localhost`, '/v1/models', project(slug, '/v1/models')],
    [local, 'dev.localhost', '/', unknown],
    [local, `a.${slug}.localhost`, '/', unknown],
    [local, `a.${slug}.dev.localhost`, '/', unknown],
    [local, 'under_score.localhost', '/', unknown],
    [local, 'evil.example', '/', unknown],
    [local, 'localhost.evil.example', '/', unknown],
    [local, `${slug}.localhost.evil.example`, '/', unknown],
    [local, `evillocalhost`, '/', unknown],
    [local, `localhost`, `/p/${slug}/v1/models`, project(slug, '/v1/models')],
    [local, `localhost`, `/p/${slug}/v1`, project(slug, '/v1')],
    [local, `localhost`, `/p/${slug}/v1x`, management],
    [local, `localhost`, `/p/${slug}/auth/v1/tenants`, management],
    [local, `localhost`, `/p/${slug}`, management],
    [local, `localhost`, `/p/UPPER-1/v1/models`, management],
    [local, `localhost`, `/p/a%2Db/v1/models`, management],
    [local, `${slug}.localhost`, `/p/other-one-1/v1/models`, project(slug, '/p/other-one-1/v1/models')],
    [local, 'evil.example', `/p/${slug}/v1/models`, unknown],
    [local, `${slug}.localhost`, '/.well-known/jwks.json', management],
    [local, 'evil.example', '/.well-known/jwks.json', unknown],
    [hosted, 'api.example.com', '/', management],
    [hosted, 'api.example.com:8443', '/', management],
    [hosted, 'localhost', '/', unknown],
    [hosted, '127.0.0.1', '/', unknown],
    [hosted, '[::1]', '/', unknown],
    [hosted, 'example.com', '/', unknown],
    [hosted, `${slug}.example.com`, '/', project(slug, '/')],
    [hosted, `${slug}.dev.example.com:444`, '/', project(slug, '/')],
  ])('%o %s %s', (config, host, path, expected) => {
    const named = parseHost(host)
    expect(named).not.toBeNull()
    const decide = createHostDecider(config)
    expect(decide(named!.name, path, false)).toEqual(expected)
    expect(decide.byHeader(host, path, false)).toEqual(expected)
  })

  it('lets the internal secret open unknown and management hosts, never a project', () => {
    const decide = createHostDecider(local)
    expect(decide('inference', '/v1/chat/completions', true)).toEqual({ kind: 'internal' })
    expect(decide('localhost', '/v1/chat/completions', true)).toEqual({ kind: 'internal' })
    expect(decide(`${slug}.localhost`, '/v1/models', true)).toEqual(project(slug, '/v1/models'))
  })

  it.each([
    ...[
      '',
      ' ',
      'a b',
      'a/b',
      'a?b',
      'a#b',
      'a@b',
      'a,b',
      'a\tb',
      'é.localhost',
      'a..b',
      '.a',
      'a.',
      'a..',
      '-a',
      'a-',
    ],
    ...['a:', 'a:b', 'a:65536', 'a:123456', 'a:1:2', '::1', '[::1', '[::1]x', '[1.2.3.4]', '[fe80::1%eth0]', '[]'],
    ...['a%2eb', '%61', `${'a'.repeat(64)}.b`, `${'a.'.repeat(127)}abc`, 'a;b', "a'b", 'a\\b', 'a*b', '*'],
  ])('refuses the Host %j', host => {
    if (host === 'a.') expect(parseHost(host)?.name).toBe('a')
    else expect(parseHost(host)).toBeNull()
    expect(createHostDecider(local).byHeader(host, '/', true)).toEqual(host === 'a.' ? { kind: 'internal' } : null)
  })
})

describe('dispatch by host', () => {
  const ask = (port: number, host: string, path: string, headers = '') =>
    sendRaw(port, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${headers}\r\n`)

  it('gives each request to one plane, with the path that was decided on', async () => {
    const { port, arrivals } = await runListener()
    await ask(port, 'localhost', '/auth/v1/tenants?limit=1')
    await ask(port, 'localhost', `/p/${slug}/v1/models?limit=2`)
    await ask(port, `${slug}.localhost`, '/auth/v1/tenants')
    await ask(port, 'inference', '/v1/models', `X-Internal-Secret: ${internalSecret}\r\n`)
    await ask(port, `localhost`, `http://localhost/absolute`)
    expect(arrivals.map(({ plane, url, incoming }) => [plane, url, incoming.path, incoming.query])).toEqual([
      ['management', '/auth/v1/tenants?limit=1', '/auth/v1/tenants', 'limit=1'],
      ['project', '/v1/models?limit=2', '/v1/models', 'limit=2'],
      ['project', '/auth/v1/tenants', '/auth/v1/tenants', ''],
      ['internal', '/v1/models', '/v1/models', ''],
      ['management', '/absolute', '/absolute', ''],
    ])
  })

  it('answers 404 for an unknown host, with a wrong secret too', async () => {
    const { port, arrivals } = await runListener()
    for (const headers of ['', 'X-Internal-Secret: wrong\r\n']) {
      const { answers } = await ask(port, 'evil.example', '/v1/models', headers)
      expect(answers[0]).toMatchObject({
        status: 404,
        body: '{"error":"not found","message":"Unknown project host"}',
      })
    }
    expect(arrivals).toHaveLength(0)
  })

  it('refuses in the words of the surface', async () => {
    const { port } = await runListener()
    const managed = await ask(port, 'localhost', '/a/../b')
    expect(JSON.parse(managed.answers[0]!.body)).toEqual({ error: 'Request target malformed' })
    const projects = await ask(port, `${slug}.localhost`, '/a/../b')
    expect(JSON.parse(projects.answers[0]!.body)).toEqual({
      error: 'bad request',
      message: 'Request target malformed',
    })
  })

  it.each(['TRACE', 'CONNECT', 'PROPFIND'])('answers %s with 405 and Allow', async method => {
    const { port, arrivals } = await runListener()
    const target = method === 'CONNECT' ? 'localhost:443' : '/x'
    const { answers } = await sendRaw(port, `${method} ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    expect(answers[0]).toMatchObject({ status: 405, headers: { allow: expect.stringContaining('GET') } })
    expect(answers[0]!.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
    expect(arrivals).toHaveLength(0)
  })
})
