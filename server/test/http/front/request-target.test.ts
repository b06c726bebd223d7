// Which spellings of a path are the one canonical spelling, and which headers are ambiguous.
import { describe, expect, it } from 'vitest'
import { parseTarget } from '../../../src/http/front/request-target.ts'
import { sendRaw } from '../raw-request.ts'
import { runListener } from '../running-listener.ts'

describe('request target', () => {
  it.each([
    ...['/', '/v1/models', '/v1/models/', '/.well-known/jwks.json', '/a.b..c/...', '/v1/threads/a:b', '/x;y=1,2@z'],
    ...['/v1/models/a/b:c', '/v1/models/a%2Fb%2Fc', '/p/slug/v1/models/a%2F~b%3Ac'],
    ...['/v1/threads/a%3Ab', '/caf%C3%A9', '/a%20b', '/a%25', '/a%3Fb', '/a%23b', '/%E2%82%AC'],
  ])('takes %s as it is', path => {
    expect(parseTarget(`${path}?q=%zz&r=a|b`)).toEqual({ authority: null, path, query: 'q=%zz&r=a|b' })
  })

  it.each([
    ...['', '*', 'x', '//', '/a//b', '/.', '/..', '/a/.', '/a/..', '/a/./b', '/a/../b', '/../x', '/a/..?x=1'],
    ...['/v1/models/a%2F..%2Fb', '/v1/models/..%2F', '/v1/models/a%2F%2Fb', '/v1/models/%2Fa', '/v1/models/a%2fb'],
    ...['/v1/models/a/b%2Fc', '/x/v1/models/a%2Fb', '/v1/threads/a%2Fb', '/v1/models/a%2F%61', '/v1/models%2Fa'],
    ...['/%2e', '/%2E%2E/', '/a/%2e./b', '/a/.%2E/b', '/a%2Fb', '/a%2fb', '/a%5Cb', '/a%5cb', '/a\\b', '/%00', '/%0A'],
    ...[
      '/%7F',
      '/%61uth',
      '/%41',
      '/%7E',
      '/%2D',
      '/%',
      '/%2',
      '/%zz',
      '/%c3%a9',
      '/%C3',
      '/%FF',
      '/%ED%A0%80',
      '/%1F',
    ],
    ...[
      '/a b',
      '/a"b',
      '/a<b>',
      '/a^b',
      '/a`b',
      '/{a}',
      '/a|b',
      '/[a]',
      '/x#y',
      '/x?y#z',
      '/é',
      '/a\tb',
      '/a\x7f',
      '/\x00',
    ],
    ...['ftp://localhost/x', 'localhost:80', 'http:/x', 'http://localhost//x', 'http://localhost/../x'],
  ])('refuses %j', target => {
    expect(parseTarget(target)).toBeNull()
  })

  it('reads the absolute form', () => {
    expect(parseTarget('http://h:80/x?y')).toEqual({ authority: 'h:80', path: '/x', query: 'y' })
    expect(parseTarget('HTTP://h')).toEqual({ authority: 'h', path: '/', query: '' })
    expect(parseTarget('http://h?y')).toEqual({ authority: 'h', path: '/', query: 'y' })
    expect(parseTarget('http://user@h/x')?.authority).toBe('user@h')
  })
})

describe('ambiguous requests', () => {
  it.each([
    ['no Host in HTTP/1.0', 'GET / HTTP/1.0\r\n\r\n'],
    ['no Host', 'GET / HTTP/1.1\r\n\r\n'],
    ['empty Host', 'GET / HTTP/1.1\r\nHost:\r\n\r\n'],
    ['HTTP/0.9', 'GET /\r\n\r\n'],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['user info in the target', 'GET http://u@localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['another port in the target', 'GET http://localhost:81/ HTTP/1.1\r\nHost: localhost:80\r\n\r\n'],
    ['an asterisk', 'OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['two hosts of one name', 'GET / HTTP/1.1\r\nHost: localhost\r\nhost: localhost\r\n\r\n'],
    [
      'two internal secrets',
      'GET / HTTP/1.1\r\nHost: localhost\r\nX-Internal-Secret: a\r\nX-Internal-Secret: b\r\n\r\n',
    ],
    ['two content types', 'GET / HTTP/1.1\r\nHost: localhost\r\nContent-Type: a/b\r\nContent-Type: c/d\r\n\r\n'],
    ['chunked in HTTP/1.0', 'POST / HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['chunked twice', 'POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n'],
    ['an expectation', 'GET / HTTP/1.1\r\nHost: localhost\r\nExpect: miracles\r\n\r\n'],
  ])('refuses %s', async (_name, raw) => {
    const { port, arrivals } = await runListener()
    const { answers } = await sendRaw(port, raw)
    expect(answers[0]?.status).toBe(400)
    expect(answers[0]?.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
    expect(arrivals).toHaveLength(0)
  })

  it('refuses more headers than it reads', async () => {
    const { port, arrivals } = await runListener()
    const many = Array.from({ length: 2_500 }, (_, index) => `a: ${index % 10}\r\n`)
      .join('')
      .slice(0, 14_000)
    const { answers } = await sendRaw(
      port,
      `GET / HTTP/1.1\r\nHost: localhost\r\n${many.slice(0, many.lastIndexOf('a:'))}\r\n`,
    )
    expect(answers[0]?.status).toBe(431)
    expect(arrivals).toHaveLength(0)
  })

  it('drops headers with underscores and leaves the others alone', async () => {
    const { port, arrivals } = await runListener()
    await sendRaw(port, 'GET / HTTP/1.1\r\nHost: localhost\r\nX_A: 1\r\nX_B: 2\r\nX-C: 3\r\nX_A: 4\r\n\r\n')
    expect(arrivals[0]?.headers).toEqual({ host: 'localhost', 'x-c': '3' })
    expect(arrivals[0]?.rawHeaders).toEqual(['Host', 'localhost', 'X-C', '3'])
  })

  it('invites an expected body only where it accepts the request', async () => {
    const { port } = await runListener()
    const expecting = (host: string) =>
      `POST / HTTP/1.1\r\nHost: ${host}\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`
    expect((await sendRaw(port, expecting('localhost'))).answers.map(({ status }) => status)).toEqual([100, 200])
    expect((await sendRaw(port, expecting('a b'))).answers.map(({ status }) => status)).toEqual([400])
  })

  it('takes the client address from trusted proxies alone', async () => {
    const forwarded = 'GET / HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 9.9.9.9, 203.0.113.7, 10.1.2.3\r\n\r\n'
    for (const [trustedProxies, expected] of [
      [[], '127.0.0.1'],
      [['192.0.2.0/24'], '127.0.0.1'],
      [['127.0.0.1'], '10.1.2.3'],
      [['127.0.0.0/8', '10.0.0.0/8'], '203.0.113.7'],
      [['0.0.0.0/0'], '9.9.9.9'],
    ] as const) {
      const { port, arrivals } = await runListener({ trustedProxies })
      await sendRaw(port, forwarded)
      expect(arrivals[0]?.incoming.clientAddress).toBe(expected)
    }
  })

  it('stops at an entry that is no address', async () => {
    const { port, arrivals } = await runListener({ trustedProxies: ['127.0.0.0/8', '10.0.0.0/8'] })
    await sendRaw(port, 'GET / HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 9.9.9.9, evil, 10.1.2.3\r\n\r\n')
    expect(arrivals[0]?.incoming.clientAddress).toBe('10.1.2.3')
  })
})
