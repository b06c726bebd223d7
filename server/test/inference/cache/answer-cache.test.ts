// Tests the cache of answers through the product: what is given again, to whom, in which form, and what it costs.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openaiEvents, say } from '../../support/simulated/provider-answers.ts'
import type { UpstreamAnswer, UpstreamRequest } from '../../support/simulated/scripted-upstream.ts'
import { contentOf, mail, maskAll, repeatLast, user } from '../guard/guard-stage.ts'
import { type Answer, eventsOf, openStage, type Stage, type TestProject, textOf } from '../inference-stage.ts'

const header = 'x-sallyport-cache'
const fixed = { temperature: 0 }
const forUser = { cache: { ttl_seconds: 3600 } }
const forProject = { cache: { ttl_seconds: 3600, scope: 'project' } }

describe.each(['sqlite', 'postgres'] as const)('cached answers on %s', backend => {
  let stage: Stage
  let own: TestProject
  let shared: TestProject
  beforeAll(async () => {
    stage = await openStage(backend)
    own = await stage.makeProject({ settings: forUser })
    shared = await stage.makeProject({ settings: { ...forProject, ...maskAll } })
  })
  afterAll(() => stage.stop())
  let answers = 0
  beforeEach(() => {
    // Each answer of the provider is another one.
    stage.script(({ body }) => say('openai', { text: ['An', 'swer ', String(++answers)] }, isStreamed(body)))
  })
  /** A question that no other test asks. */
  let questions = 0
  const ask = () => user(`Question ${++questions}?`)
  const seen = (answer: Answer) => [answer.status, answer.headers[header]]
  const askedCount = () => stage.asked().length
  const isStreamed = (body: string) => JSON.parse(body).stream === true

  test('the second request gets the answer of the first one, for the price of a request', async () => {
    const project = await stage.makeProject({ settings: { ...forUser, tokens_per_day: 100_000 } })
    const body = { ...ask(), ...fixed }
    const first = await project.complete(body)
    const before = askedCount()
    const second = await project.complete(body)
    const third = await project.complete(body)
    expect([first, second, third].map(seen)).toEqual([
      [200, 'miss'],
      [200, 'hit'],
      [200, 'hit'],
    ])
    expect(askedCount()).toBe(before)
    expect([second, third].map(contentOf)).toEqual([contentOf(first), contentOf(first)])
    expect(idOf(second)).not.toBe(idOf(first))
    expect(await project.usage()).toMatchObject({
      requests: 3,
      total_tokens: 18,
      prompt_tokens: 11,
      cost_usd: 11 * 15e-8 + 7 * 6e-7,
    })
    // Both have the same estimate reserved when they are admitted: the second one has given it back.
    const left = (answer: Answer) => Number(answer.headers['x-ratelimit-remaining-tokens'])
    expect(left(third)).toBe(left(second))
    expect(left(first) - left(second)).toBe(18)
  })

  test('streams are given again as streams, and either form answers the other', async () => {
    for (const [first, second] of [
      [true, true],
      [true, false],
      [false, true],
    ]) {
      const body = { ...ask(), ...fixed, stream_options: first && second ? { include_usage: true } : undefined }
      const asFirst = await own.complete({ ...body, stream: first })
      const asSecond = await own.complete({ ...body, stream: second })
      expect([seen(asFirst), seen(asSecond)]).toEqual([
        [200, 'miss'],
        [200, 'hit'],
      ])
      expect(saidIn(asSecond)).toBe(saidIn(asFirst))
      expect(saidIn(asFirst)).toBe(`Answer ${answers}`)
      if (second) expect(eventsOf(asSecond.text).at(-1)).toBe('[DONE]')
      if (first && second) {
        expect(eventsOf(asSecond.text).length).toBe(eventsOf(asFirst.text).length)
        expect(asSecond.text).toContain('"total_tokens":18')
      }
    }
  })

  test('are of one end user, or of all of a project if it says so, and never of two projects', async () => {
    const body = { ...ask(), ...fixed }
    const asBob = async (project: TestProject) => ({ token: await project.mint({ user_id: 'bob' }) })
    expect(seen(await own.complete(body))).toEqual([200, 'miss'])
    expect(seen(await own.complete(body, await asBob(own)))).toEqual([200, 'miss'])
    expect(seen(await shared.complete(body))).toEqual([200, 'miss'])
    expect(seen(await shared.complete(body, await asBob(shared)))).toEqual([200, 'hit'])
    const sibling = await stage.makeProject({ settings: forProject, tenantId: shared.tenantId })
    expect(seen(await sibling.complete(body))).toEqual([200, 'miss'])
  })

  test('an answer that end users share has the values of the one who reads it', async () => {
    repeatLast(stage)
    const body = (address: string) => ({ ...user(`Greet ${address} in case ${questions}.`), ...fixed })
    questions++
    const bob = { token: await shared.mint({ user_id: 'bob' }) }
    const spelled = mail.toUpperCase()
    const [first, second] = [await shared.complete(body(mail)), await shared.complete(body(spelled), bob)]
    expect([seen(first), seen(second)]).toEqual([
      [200, 'miss'],
      [200, 'hit'],
    ])
    expect(contentOf(first)).toContain(mail)
    expect(contentOf(second)).toContain(spelled)
    expect(contentOf(second)).not.toContain(mail)
    const streamed = await shared.complete({ ...body(spelled), stream: true }, bob)
    expect([...seen(streamed), saidIn(streamed)]).toEqual([200, 'hit', contentOf(second)])
    // Another value is another request.
    const other = await shared.complete(body('other@example.com'), bob)
    expect([...seen(other), contentOf(other).includes('other@example.com')]).toEqual([200, 'miss', true])
    // Somebody who writes the token of a value gets the token.
    const token =
      /<EMAIL_ADDRESS_[0-9a-f]{12}>/.exec(
        stage
          .asked()
          .map(asked => JSON.stringify(asked))
          .join(),
      )?.[0] ?? ''
    const thief = await shared.complete(body(token), { token: await shared.mint({ user_id: 'eve' }) })
    expect(contentOf(thief)).toContain(token)
    expect(thief.text).not.toMatch(/zoe|other@/i)
  })

  test('are used if the temperature is 0 or the header says so, and not if it says no', async () => {
    const project = await stage.makeProject()
    const send = (body: object, value?: string, to = own) =>
      to.complete({ ...body }, value === undefined ? {} : { headers: { [header]: value } }).then(seen)
    const body = ask()
    expect(await send(body)).toEqual([200, undefined])
    expect(await send({ ...body, temperature: 0.1 })).toEqual([200, undefined])
    expect(await send(body, 'use')).toEqual([200, 'miss'])
    expect(await send(body, 'use')).toEqual([200, 'hit'])
    expect(await send(body)).toEqual([200, undefined])
    const exact = { ...ask(), ...fixed }
    expect(await send(exact, 'no')).toEqual([200, undefined])
    expect(await send(exact)).toEqual([200, 'miss'])
    expect(await send(exact, 'no')).toEqual([200, undefined])
    expect(await send(exact)).toEqual([200, 'hit'])
    // A project without a cache ignores the header.
    for (const value of ['use', 'no', 'sometimes']) expect(await send(exact, value, project)).toEqual([200, undefined])
    const refused = await own.complete(exact, { headers: { [header]: 'sometimes' } })
    expect(refused).toMatchObject({
      status: 400,
      body: { error: { param: 'X-Sallyport-Cache', message: 'X-Sallyport-Cache must be use or no' } },
    })
  })

  test('an answer of the cache is remembered in its conversation as any other', async () => {
    const body = { ...ask(), ...fixed }
    const named = (id: string) => ({ headers: { 'x-thread-id': `${id}-${backend}` } })
    expect(seen(await own.complete(body, named('a')))).toEqual([200, 'miss'])
    expect(seen(await own.complete(body, named('b')))).toEqual([200, 'hit'])
    const listed = (id: string) => own.ask('GET', `/v1/threads/${id}-${backend}/messages`)
    const texts = async (id: string) =>
      ((await listed(id)).body as { data: { content: unknown }[] }).data.map(({ content }) => content)
    expect(await texts('b')).toEqual(await texts('a'))
    expect(await texts('b')).toHaveLength(2)
    // The same words after other messages are another request.
    expect(seen(await own.complete(body, named('b')))).toEqual([200, 'miss'])
  })

  test('the lookups are counted', async () => {
    const count = async (outcome: string) => {
      const metrics = await fetch(`http://127.0.0.1:${stage.harness.product.port}/metrics`).then(answer =>
        answer.text(),
      )
      const line = new RegExp(`^sallyport_answer_cache_lookups_total\\{.*outcome="${outcome}".*\\} (\\d+)`, 'm')
      return Number(line.exec(metrics)?.[1] ?? 0)
    }
    const before = [await count('hit'), await count('miss')]
    const body = { ...ask(), ...fixed }
    for (let times = 0; times < 3; times++) await own.complete(body)
    const after = [await count('hit'), await count('miss')]
    expect(after.map((value, at) => value - (before[at] ?? 0))).toEqual([2, 1])
  })
})

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
    answer.abort()
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

function idOf({ body }: Answer): string {
  return (body as { id: string }).id
}

/** The text of an answer in either form. */
function saidIn(answer: Answer): string {
  return answer.body === null ? textOf(eventsOf(answer.text)) : contentOf(answer)
}
