// Tests which answers are not given again: to another request, after another setting, or if nobody got them whole.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openaiEvents, say } from '../../support/simulated/provider-answers.ts'
import type { UpstreamAnswer, UpstreamRequest } from '../../support/simulated/scripted-upstream.ts'
import { contentOf, user } from '../guard/guard-stage.ts'
import { openStage, type Stage, type TestProject } from '../inference-stage.ts'
import { fixed, forUser, header } from './cache-stage.ts'

describe('an answer is not given again', () => {
  let stage: Stage
  let project: TestProject
  beforeAll(async () => {
    stage = await openStage('sqlite')
    project = await stage.makeProject({ settings: forUser })
  })
  afterAll(() => stage.stop())
  const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }
  const told = { text: ['Hel', 'lo'] }
  const seen = async (body: object, options = {}) => {
    const answer = await project.complete({ ...body }, options)
    return answer.headers[header]
  }
  const tell = () => stage.script(({ body }) => say('openai', told, JSON.parse(body).stream === true))

  test('to a request that differs in any field that the provider gets', async () => {
    tell()
    const base = { ...user('Which fields?'), ...fixed }
    expect(await seen(base)).toBe('miss')
    const others: object[] = [
      user('Which fields? '),
      user([{ type: 'text', text: 'Which fields?' }]),
      { messages: [{ role: 'system', content: 'Be brief.' }, ...base.messages] },
      { model: 'gpt-4o' },
      { top_p: 0.5 },
      { max_tokens: 100 },
      { max_completion_tokens: 101 },
      { seed: 7 },
      { stop: ['x'] },
      { n: 2 },
      { presence_penalty: 1 },
      { frequency_penalty: 1 },
      { logprobs: true },
      { logprobs: true, top_logprobs: 2 },
      { response_format: { type: 'json_object' } },
      { response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } } },
      { response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'array' } } } },
      { tools: [tool] },
      { tools: [tool], tool_choice: 'none' },
      { tools: [tool], parallel_tool_calls: false },
      { logit_bias: { 5: 1 } },
      { service_tier: 'flex' },
      { some_field: { of: 'a later version' } },
    ]
    for (const other of others) expect([other, await seen({ ...base, ...other })]).toEqual([other, 'miss'])
    for (const other of [{}, ...others]) expect([other, await seen({ ...base, ...other })]).toEqual([other, 'hit'])
  })

  test('after the instructions, the model or the key of the project have changed', async () => {
    tell()
    const own = await stage.makeProject({ settings: forUser })
    const body = { ...user('Who are you?'), ...fixed }
    const { session } = stage.harness.owner
    const put = (path: string, value: object) => stage.harness.call('PUT', path, { session, body: value })
    const settings = `/auth/v1/projects/${own.id}/settings`
    const deploy = async (value: object) => {
      await put(settings, value)
      await stage.harness.call('POST', `${settings}/deploy`, { session })
    }
    const next = async () => (await own.complete(body)).headers[header]
    expect([await next(), await next()]).toEqual(['miss', 'hit'])
    await deploy({ system_prompt: 'Be brief.' })
    await expect.poll(next).toBe('miss')
    await put(`${settings}/model`, { provider_model: 'openai/gpt-4o' })
    await expect.poll(async () => [await next(), stage.asked().at(-1)?.model]).toEqual(['miss', 'gpt-4o'])
    expect(await next()).toBe('hit')
    const keys = `/auth/v1/tenants/${own.tenantId}/providers/openai`
    await put(keys, { api_key: 'sk-another-0123456789abcdefgh' })
    await expect.poll(next).toBe('miss')
  })

  test('in the name of another target than the one that gave it', async () => {
    const targets = [{ model: 'openai/gpt-4o-mini' }, { model: 'openai/gpt-4o' }]
    const own = await stage.makeProject({ settings: { ...forUser, routes: { strategy: 'fallback', targets } } })
    const body = { ...user('Who answers?'), ...fixed }
    const next = async () => {
      const answer = await own.complete(body)
      const { headers } = answer
      return [contentOf(answer), headers[header], headers['x-sallyport-model'], headers['x-sallyport-attempts']]
    }
    const answering = (isDown: boolean) =>
      stage.script(request => {
        const { model } = JSON.parse(request.body) as { model: string }
        if (isDown && model === 'gpt-4o-mini') return { status: 500, body: { error: { message: 'no' } } }
        return say('openai', { text: [`I am ${model}.`] }, false)
      })
    answering(true)
    for (let times = 0; times < 2; times++) expect(await next()).toEqual(['I am gpt-4o.', 'miss', 'openai/gpt-4o', '2'])
    answering(false)
    expect(await next()).toEqual(['I am gpt-4o-mini.', 'miss', 'openai/gpt-4o-mini', '1'])
    answering(true)
    expect(await next()).toEqual(['I am gpt-4o-mini.', 'hit', 'openai/gpt-4o-mini', '0'])
    // Kept for its own target: a request that begins with that one gets it.
    const named = await own.complete({ ...body, model: 'openai/gpt-4o' })
    expect([contentOf(named), named.headers[header]]).toEqual(['I am gpt-4o.', 'hit'])
  })

  const finishWith = (reason: string) => (request: UpstreamRequest) => {
    const answer = say('openai', told, JSON.parse(request.body).stream === true)
    return { ...answer, body: textOfBody(answer).replaceAll('"finish_reason":"stop"', `"finish_reason":"${reason}"`) }
  }
  const refusal = (request: UpstreamRequest): UpstreamAnswer => {
    const answer = say('openai', told, JSON.parse(request.body).stream === true)
    const body = textOfBody(answer).replaceAll('"refusal":null', '"refusal":"No."')
    return { ...answer, body: body.replaceAll('"content":"Hel"', '"refusal":"No."') }
  }
  const empty = (request: UpstreamRequest) => say('openai', { text: [] }, JSON.parse(request.body).stream === true)
  const calls = (request: UpstreamRequest) =>
    say(
      'openai',
      { calls: [{ id: 'call_1', name: 'f', pieces: ['{', '}'] }] },
      JSON.parse(request.body).stream === true,
    )

  test.each([
    ['was cut off at its maximum length', finishWith('length')],
    ['was filtered by the provider', finishWith('content_filter')],
    ['is a refusal of the model', refusal],
    ['calls a tool', calls],
    ['is empty', empty],
  ])('if it %s', async (name, script) => {
    stage.script(script)
    for (const stream of [false, true]) {
      const body = { ...user(`It ${name}: ${stream}`), ...fixed, tools: [tool], stream }
      expect([await seen(body), await seen(body)]).toEqual(['miss', 'miss'])
    }
    tell()
    const body = { ...user(`It ${name}: false`), ...fixed, tools: [tool] }
    expect([await seen(body), await seen(body)]).toEqual(['miss', 'hit'])
  })

  test('if the provider breaks it off, wherever that is', async () => {
    const events = openaiEvents(told)
    // The last event is only a mark: the answer is complete without it if its body ends by HTTP's framing.
    const scripts: UpstreamAnswer[] = [
      ...events.slice(0, -1).map((_, kept) => streamOf(events.slice(0, kept))),
      ...events.map((_, kept) => cut(events.slice(0, kept).join(''), 'text/event-stream')),
      cut(`${events.slice(0, 3).join('')}data: {"id":"chatcmpl-`, 'text/event-stream'),
      streamOf([...events.slice(0, 3), 'data: {not json}\n\n', ...events.slice(3)]),
      streamOf([...events.slice(0, 3), 'data: {"error":{"message":"no","type":"server_error"}}\n\n']),
      cut('{"id":"chatcmpl-1","object":"chat.completion","choices":[{"index":0,"mess', 'application/json'),
      { body: { error: { message: 'no' } } },
      { body: { id: 'x', object: 'chat.completion', choices: [] } },
      { status: 500, body: { error: { message: 'no' } } },
      { status: 429, body: { error: { message: 'no' } } },
      { hangUp: true },
    ]
    for (const [index, script] of scripts.entries()) {
      // With a tenant of its own, because the breaker of one tenant would open.
      const own = await stage.makeProject({ settings: forUser })
      for (const stream of [true, false]) {
        const body = { ...user(`Broken ${index} ${stream}`), ...fixed, stream }
        stage.script(script)
        const broken = await own.complete(body)
        tell()
        const next = await own.complete(body)
        const headers = [broken, next].map(answer => answer.headers[header])
        expect([index, stream, next.status, headers]).toEqual([index, stream, 200, ['miss', 'miss']])
      }
    }
  })

  test('if its client did not wait for it', async () => {
    const events = openaiEvents(told)
    stage.script({
      async write(response) {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(events.slice(0, 2).join(''))
        await new Promise(resolve => response.once('close', resolve))
      },
    })
    const body = { ...user('Who leaves?'), ...fixed }
    const own = await stage.makeProject({ settings: forUser })
    const answer = await own.open(body)
    answer.reset()
    await answer.ended
    tell()
    // What it cost is recorded at its end.
    await expect.poll(() => own.usage().then(({ requests }) => requests)).toBe(1)
    const next = [await own.complete({ ...body, stream: true }), await own.complete(body)]
    expect(next.map(({ headers }) => headers[header])).toEqual(['miss', 'hit'])
  })

  test('before the guardrails of answers have seen it again', async () => {
    const own = await stage.makeProject({ settings: { ...forUser, sentinel_mode: 'enforce' } })
    stage.script(({ body }) =>
      say('openai', { text: ['The pass', 'word is ', 'swordfish.'] }, JSON.parse(body).stream === true),
    )
    const body = { ...user('What is the password?'), ...fixed }
    expect((await own.complete(body)).headers[header]).toBe('miss')
    const { session } = stage.harness.owner
    const settings = `/auth/v1/projects/${own.id}/settings`
    await stage.harness.call('PUT', settings, { session, body: { answer_blocklist: ['swordfish'] } })
    await stage.harness.call('POST', `${settings}/deploy`, { session })
    const asked = stage.asked().length
    for (const stream of [false, true]) {
      await expect
        .poll(async () => {
          const answer = await own.complete({ ...body, stream })
          return [answer.status, answer.headers[header], answer.text.includes('swordfish')]
        })
        .toEqual([403, 'hit', false])
    }
    expect(stage.asked().length).toBe(asked)
  })

  test('if a guardrail has ended it', async () => {
    const settings = { ...forUser, sentinel_mode: 'enforce', answer_blocklist: ['swordfish'] }
    const own = await stage.makeProject({ settings })
    stage.script(({ body }) => say('openai', { text: ['It is ', 'swordfish.'] }, JSON.parse(body).stream === true))
    for (const stream of [false, true]) {
      const body = { ...user('What is it?'), ...fixed, stream }
      const both = [await own.complete(body), await own.complete(body)]
      expect(both.map(({ headers }) => headers[header])).toEqual(['miss', 'miss'])
    }
  })
})

function streamOf(events: readonly string[]): UpstreamAnswer {
  return { headers: { 'content-type': 'text/event-stream' }, body: events.join('') }
}

/** Sends this much of the body, then closes the connection. */
function cut(body: string, type: string): UpstreamAnswer {
  return {
    write(response) {
      response.writeHead(200, { 'content-type': type, 'transfer-encoding': 'chunked' })
      response.write(body === '' ? ' ' : body, () => response.destroy())
    },
  }
}

function textOfBody({ body }: UpstreamAnswer): string {
  return typeof body === 'string' ? body : JSON.stringify(body)
}
