// Each of three providers fails in turn, in every way that was seen in the field: the client always gets one whole answer
// of another one, and nothing is asked, charged or answered twice.
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { breakOff, errorResponse } from '../../support/simulated/provider-answers.ts'
import { eventsOf, type TestProject, textOf } from '../inference-stage.ts'
import {
  inOrder,
  models,
  type Name,
  names,
  openRouteStage,
  type RouteStage,
  routeOf,
  saying,
  type Trouble,
} from './route-stage.ts'

const sse = { 'content-type': 'text/event-stream' }
const json = { 'content-type': 'application/json' }
const status =
  (code: number, headers: Record<string, string> = {}): Trouble =>
  () =>
    errorResponse('openai', code, 'no', headers)
const write =
  (work: (response: ServerResponse, isStream: boolean) => unknown): Trouble =>
  (response, isStream) => {
    work(response, isStream)
    return undefined
  }
const headOf = (response: ServerResponse, isStream: boolean) => response.writeHead(200, isStream ? sse : json)
const roleChunk =
  'data: {"id":"a","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\n'
const begun = '{"id":"a","object":"chat.completion","choices":[{"message":{"content":"lost'

const troubles: Record<string, Trouble> = {
  ...Object.fromEntries([401, 402, 403, 404, 408, 429, 500, 502, 503, 504, 529].map(code => [`${code}`, status(code)])),
  'soon-429': status(429, { 'retry-after': '1' }),
  'late-429': status(429, { 'retry-after': '60' }),
  'soon-503': status(503, { 'retry-after': '1' }),
  'reset-after': write(response => response.socket?.resetAndDestroy()),
  'closed-after': write(response => response.socket?.destroy()),
  silent: write(() => undefined),
  'head-only': write((response, isStream) => headOf(response, isStream).flushHeaders()),
  'half-silent': write((response, isStream) => headOf(response, isStream).write(isStream ? roleChunk : begun)),
  'half-closed': write((response, isStream) => {
    headOf(response, isStream).write(isStream ? roleChunk : begun, () => response.socket?.destroy())
  }),
  'half-ended': (_response, isStream) => (isStream ? breakOff('openai', { text: ['lost'] }, 1) : { body: begun }),
  'comments-only': write((response, isStream) => {
    headOf(response, isStream)
    const timer = setInterval(() => response.write(isStream ? ': working\n\n' : ' '), 100)
    response.once('close', () => clearInterval(timer))
  }),
  'web-page': () => ({ headers: { 'content-type': 'text/html' }, body: '<html>busy</html>' }),
  'no-json': (_response, isStream) => ({ headers: isStream ? sse : json, body: isStream ? 'data: {"id\n\n' : '{"id' }),
  'other-json': (_response, isStream) => ({
    headers: isStream ? sse : json,
    body: isStream ? 'data: {"a":1}\n\n' : '{"a":1}',
  }),
  empty: (_response, isStream) => ({ headers: isStream ? sse : json, body: '' }),
  redirect: () => ({ status: 302, headers: { location: 'https://elsewhere.example/' }, body: '' }),
  'no-http': write(response => response.socket?.end('200 fine\r\n\r\n')),
  'error-in-200': (_response, isStream) => ({
    headers: isStream ? sse : json,
    body: `${isStream ? 'data: ' : ''}{"error":{"message":"overloaded","type":"server_error","code":503}}\n\n`,
  }),
}

/** On a connection that was used before, they count as a failed connection: nothing can have been sent. */
const resets = new Set(['reset-after', 'closed-after'])

let routes: RouteStage

beforeAll(async () => {
  routes = await openRouteStage('sqlite', troubles, { UPSTREAM_IDLE_TIMEOUT: '1' })
})
afterAll(async () => await routes.stop())

/** The providers in an order that begins with `first`. */
const orderFrom = (first: Name): Name[] => {
  const at = names.indexOf(first)
  return [...names.slice(at), ...names.slice(0, at)]
}

async function openProject(first: Name, rules: Record<string, unknown> = {}) {
  const targets = orderFrom(first).map(name => ({ model: models[name], timeout_ms: 4_000 }))
  return await routes.makeProject({ ...inOrder(names, { targets, ...rules }), tokens_per_day: 10_000_000 })
}

interface Seen {
  status: number
  said: string
  route: ReturnType<typeof routeOf>
  isWhole: boolean
}

async function ask(project: TestProject, text: string, isStream: boolean): Promise<Seen> {
  if (!isStream) {
    const answer = await project.complete(saying(text))
    const body = answer.body as { choices?: { message: { content: string } }[] }
    return {
      status: answer.status,
      said: body.choices?.[0]?.message.content ?? '',
      route: routeOf(answer),
      isWhole: true,
    }
  }
  const answer = await project.open(saying(text))
  const isWhole = (await answer.ended) && answer.text().endsWith('data: [DONE]\n\n')
  return { status: answer.status, said: textOf(eventsOf(answer.text())), route: routeOf(answer), isWhole }
}

const times = (list: readonly string[], tag: string) => list.filter(one => one === tag).length

describe.each(names)('%s fails', first => {
  const [, second, third] = orderFrom(first) as [Name, Name, Name]

  test('in every way, and the next one answers, once', async () => {
    const project = await openProject(first, { first_token_timeout_ms: 4_000 })
    const cases = Object.keys(troubles).flatMap(name => [true, false].map(isStream => ({ name, isStream })))
    const seen = await Promise.all(
      cases.map(async ({ name, isStream }) => {
        const tag = `${first}-${name}-${isStream}`
        const answer = await ask(project, `tag=${tag} ${first}!${name}`, isStream)
        const asked = names.map(one => times(routes.providers[one].asked, tag))
        const answered = names.flatMap(one => routes.providers[one].answered).filter(one => one === tag)
        return { name, isStream, answer, calls: asked.reduce((sum, count) => sum + count), answered: answered.length }
      }),
    )
    for (const { name, isStream, answer, calls, answered } of seen) {
      const at = `${name}, stream: ${isStream}`
      expect(answer, at).toMatchObject({ status: 200, isWhole: true })
      expect([answer.said, answer.route[0]], at).toEqual([`from ${second}`, models[second]])
      expect(answer.route[1], at).toBe(String(calls))
      expect(resets.has(name) ? [2, 3] : [2], at).toContain(calls)
      expect(answered, at).toBe(1)
    }
    const totals = await project.usage()
    expect(totals).toMatchObject({ requests: cases.length, total_tokens: 18 * cases.length })
    const byModel = await project.ask('GET', '/v1/billing/usage?group_by=model')
    expect((byModel.body as { data: object[] }).data).toMatchObject([{ model: models[second], requests: cases.length }])
  })

  test('without a connection, and the next one answers', async () => {
    const own = await openProject(first)
    for (const how of ['refused', 'reset'] as const) {
      await routes.providers[first].shut(how)
      for (const isStream of [true, false]) {
        const tag = `${first}-${how}-${isStream}`
        const answer = await ask(own, `tag=${tag}`, isStream)
        expect(answer, tag).toMatchObject({ status: 200, isWhole: true, said: `from ${second}` })
        // Nothing was sent, so the target is retried once.
        if (how === 'refused') expect(answer.route, tag).toEqual([models[second], '3'])
        else expect(answer.route[0], tag).toBe(models[second])
        expect(names.flatMap(one => routes.providers[one].answered).filter(one => one === tag)).toHaveLength(1)
      }
      await routes.providers[first].open()
    }
    expect(await own.usage()).toMatchObject({ requests: 4, total_tokens: 72 })
  })

  test('and the next one too, and the last one answers', async () => {
    const own = await openProject(first, { first_token_timeout_ms: 4_000 })
    const pairs = [
      ['500', 'error-in-200'],
      ['429', '401'],
      ['silent', 'web-page'],
      ['half-ended', '503'],
      ['404', 'half-silent'],
    ]
    await Promise.all(
      pairs.flatMap(([one, other]) =>
        [true, false].map(async isStream => {
          const tag = `${first}-${one}-${other}-${isStream}`
          const answer = await ask(own, `tag=${tag} ${first}!${one} ${second}!${other}`, isStream)
          expect(answer, tag).toEqual({
            status: 200,
            isWhole: true,
            said: `from ${third}`,
            route: [models[third], '3'],
          })
          expect(
            names.map(name => times(routes.providers[name].asked, tag)),
            tag,
          ).toEqual([1, 1, 1])
        }),
      ),
    )
    expect(await own.usage()).toMatchObject({ requests: 10, total_tokens: 180 })
  })
})

test('all three fail: the client gets one error, and nothing is charged', async () => {
  const own = await openProject('openai')
  const answer = await own.complete(saying('tag=all openai!500 anthropic!429 mistral!503'))
  expect(answer).toMatchObject({ status: 502, body: { error: { code: 'provider_unavailable' } } })
  expect(routeOf(answer)).toEqual([models.mistral, '3'])
  expect(answer.headers['x-should-retry']).toBeUndefined()
  // One that a retry may heal is reported rather than one that is hopeless.
  const last = await own.complete(saying('tag=all-2 openai!500 anthropic!429 mistral!401'))
  expect(last.status).toBe(429)
  expect(routeOf(last)).toEqual([models.anthropic, '3'])
  const hopeless = await own.complete(saying('tag=all-3 openai!401 anthropic!402 mistral!404'))
  expect([hopeless.status, hopeless.headers['x-should-retry']]).toEqual([404, 'false'])
  expect(await own.usage()).toMatchObject({ requests: 0, total_tokens: 0 })
})
