// Stored responses through the real product, on both databases: continuing, reading and deleting them; what is kept of
// tools, instructions and masked values; whose they are.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Backend, describeEachBackend } from '../../support/management-harness.ts'
import { say } from '../../support/simulated/provider-answers.ts'
import {
  getResponse,
  makeProjectOf,
  mistral,
  respond,
  textOfResponse,
  type WireResponse,
} from '../../surfaces/responses/response-stage.ts'
import { type Asked, openStage, type Stage, type TestProject } from '../inference-stage.ts'

const tool = { type: 'function', name: 'get_weather', parameters: { type: 'object', properties: {} } }
const unknownId = 'resp_00000000000000000000000000000000'
const notFound = { error: { message: 'Response not found', type: 'not_found_error', code: 'response_not_found' } }
const email = 'ann.miller@example.com'

/** Echoes the last message, so that every answer is different. */
function answerByEcho(stage: Stage): void {
  stage.script(({ body }) => {
    const { messages, stream } = JSON.parse(body) as Asked
    return say('openai', { text: ['re: ', String(messages.at(-1)?.content)] }, stream === true)
  })
}

/** Roles and texts of the last request that the provider got. */
const lastAsked = (stage: Stage) =>
  (stage.asked().at(-1)?.messages ?? []).map(({ role, content }) => `${role}: ${content}`)

describeEachBackend('stored responses', (_start, backend: Backend) => {
  let stage: Stage
  let project: TestProject
  beforeAll(async () => {
    stage = await openStage(backend)
    project = await makeProjectOf(stage, mistral, { system_prompt: 'Be kind.' })
  })
  afterAll(() => stage.stop())
  beforeEach(() => answerByEcho(stage))

  const read = (id: string, options = {}) => project.ask('GET', `/v1/responses/${id}`, options)

  test.each([[false], [true]])('one continues another, streamed: %s', async stream => {
    const first = await getResponse(project, { instructions: 'In verse.', input: 'one', stream })
    const second = await getResponse(project, { input: 'two', stream, previous_response_id: first.id })
    const input = [
      { role: 'developer', content: 'Now.' },
      { role: 'user', content: 'three' },
    ]
    const third = await getResponse(project, {
      instructions: 'In prose.',
      input,
      previous_response_id: second.id,
      stream,
    })
    expect(lastAsked(stage)).toEqual([
      'system: Be kind.',
      'system: In prose.',
      'system: Now.',
      'user: one',
      'assistant: re: one',
      'user: two',
      'assistant: re: two',
      'user: three',
    ])
    expect([third.previous_response_id, third.store, third.instructions]).toEqual([second.id, true, 'In prose.'])
    // Another branch of the same conversation.
    await getResponse(project, { input: 'other', previous_response_id: first.id })
    expect(lastAsked(stage).slice(1)).toEqual(['user: one', 'assistant: re: one', 'user: other'])
  })

  test.each([[false], [true]])('is read again as it was sent, streamed: %s', async stream => {
    const sent = await getResponse(project, { input: 'one', metadata: { a: 'b' }, instructions: 'In verse.', stream })
    expect(sent).toMatchObject({ status: 'completed', store: true, metadata: { a: 'b' } })
    const answer = await read(sent.id)
    expect(answer).toMatchObject({ status: 200, body: sent })
    expect(answer.headers['content-type']).toContain('application/json')
    expect((await read(`${sent.id}?stream=true`)).body).toMatchObject({ error: { param: 'stream' } })
  })

  test.each([[false], [true]])('keeps its digits and escapes, streamed: %s', async stream => {
    const openai = await stage.makeProject({})
    const exact = '"max" : 123456789012345678901234567890, "one":1.0,"k":1e3,"name":"\\u0041\\/"'
    const response = `{"id":"resp_${'7'.repeat(32)}","object":"response","created_at":1790000000,"status":"completed",
      "model":"gpt-4o-mini","instructions":"changed","output":[],"metadata":{},
      "tools":[{"type":"function","name":"f","parameters":{${exact}}}],
      "usage":{"input_tokens":11,"output_tokens":7,"total_tokens":18}}`
    const event = `{"type":"response.completed","sequence_number":0,"response":${response}}`.replaceAll('\n', '')
    const answer = stream
      ? { headers: { 'content-type': 'text/event-stream' }, body: `event: response.completed\ndata: ${event}\n\n` }
      : { body: response }
    stage.upstream.on('POST /v1/responses', answer)
    const sent = await openai.ask('POST', '/v1/responses', {
      body: { input: 'one', instructions: 'Be brief.', stream },
    })
    expect(sent.text).toContain(exact)
    const { text, body } = await openai.ask('GET', `/v1/responses/resp_${'7'.repeat(32)}`)
    expect(text).toContain(exact)
    expect(body).toMatchObject({ instructions: 'Be brief.', status: 'completed' })
  })

  test('is deleted, and then continues nothing', async () => {
    const { id } = await getResponse(project, {})
    const next = await getResponse(project, { input: 'two', previous_response_id: id })
    const remove = () => project.ask('DELETE', `/v1/responses/${id}`)
    expect(await remove()).toMatchObject({ status: 200, body: { id, object: 'response', deleted: true } })
    expect(await remove()).toMatchObject({ status: 404, body: notFound })
    expect(await read(id)).toMatchObject({ status: 404, body: notFound })
    expect(await respond(project, { previous_response_id: id })).toMatchObject({
      status: 404,
      body: { error: { code: 'response_not_found', param: 'previous_response_id' } },
    })
    await getResponse(project, { input: 'three', previous_response_id: next.id })
    expect(lastAsked(stage).slice(1)).toEqual(['user: two', 'assistant: re: two', 'user: three'])
  })

  test('belongs to its end user', async () => {
    const { id } = await getResponse(project, {})
    const token = await project.mint({ user_id: 'bob' })
    for (const known of [id, unknownId, 'chatcmpl-1']) {
      expect(await read(known, { token })).toMatchObject({ status: 404, body: notFound })
      expect(await project.ask('DELETE', `/v1/responses/${known}`, { token })).toMatchObject({ status: 404 })
      const continued = await respond(project, { previous_response_id: known }, { token })
      expect(continued).toMatchObject({ status: 404, body: { error: { code: 'response_not_found' } } })
    }
    expect(await read(`${id}?uid=alice`, { token })).toMatchObject({ status: 403 })
    const service = await project.mint({ user_id: 'svc', role: 'admin' })
    expect(await read(`${id}?uid=alice`, { token: service })).toMatchObject({ status: 200, body: { id } })
    expect((await read('chatcmpl-1')).status).toBe(404)
  })

  test('belongs to its project', async () => {
    const { id } = await getResponse(project, {})
    const other = await makeProjectOf(stage, mistral)
    expect(await other.ask('GET', `/v1/responses/${id}`)).toMatchObject({ status: 404, body: notFound })
    expect((await respond(other, { previous_response_id: id })).status).toBe(404)
  })

  test('store: false keeps nothing, not even where it continues another', async () => {
    const first = await getResponse(project, {})
    const { id, store } = await getResponse(project, { store: false, previous_response_id: first.id })
    expect(store).toBe(false)
    expect((await read(id)).status).toBe(404)
  })

  test('keeps its calls, so that their results find them, and drops calls without results', async () => {
    const call = { id: 'abcdefghi', name: 'get_weather', pieces: ['{"city":', '"Oslo"}'] }
    stage.script(say('openai', { calls: [call] }, false))
    const asked = await getResponse(project, { input: 'Weather?', tools: [tool] })
    const [item] = asked.output
    expect(item).toMatchObject({ type: 'function_call', call_id: call.id, arguments: '{"city":"Oslo"}' })
    answerByEcho(stage)
    const output = { type: 'function_call_output', call_id: call.id, output: 'rain' }
    await getResponse(project, { input: [output], tools: [tool], previous_response_id: asked.id })
    const [, user, assistant, result] = stage.asked().at(-1)?.messages ?? []
    expect(user).toMatchObject({ role: 'user', content: 'Weather?' })
    expect(JSON.stringify(assistant?.tool_calls)).toContain('Oslo')
    expect(result).toMatchObject({ role: 'tool', content: 'rain' })
    await getResponse(project, { input: 'Never mind', tools: [tool], previous_response_id: asked.id })
    expect(lastAsked(stage).slice(1)).toEqual(['user: Weather?', 'user: Never mind'])
  })

  test('recalls at most memory_window messages, and always the last answer', async () => {
    for (const [memory_window, recalled] of [
      [0, ['assistant: re: two']],
      [3, ['assistant: re: one', 'user: two', 'assistant: re: two']],
    ] as const) {
      const own = await makeProjectOf(stage, mistral, { memory_window })
      const first = await getResponse(own, { input: 'one' })
      const second = await getResponse(own, { input: 'two', previous_response_id: first.id })
      await getResponse(own, { input: 'three', previous_response_id: second.id })
      expect(lastAsked(stage)).toEqual([...recalled, 'user: three'])
    }
  })

  test('a project without memory stores nothing and continues nothing', async () => {
    const own = await makeProjectOf(stage, mistral, { memory_enabled: false })
    const { id, store } = await getResponse(own, {})
    expect(store).toBe(false)
    expect((await own.ask('GET', `/v1/responses/${id}`)).status).toBe(404)
    const before = stage.upstream.requests.length
    expect(await respond(own, { previous_response_id: id })).toMatchObject({
      status: 400,
      body: {
        error: {
          message: 'previous_response_id is not supported: this project does not store responses; send the whole input',
          type: 'invalid_request_error',
          param: 'previous_response_id',
        },
      },
    })
    expect(stage.upstream.requests).toHaveLength(before)
  })

  test.each(['X-Thread-Id', 'X-Session-Id'])('previous_response_id and %s exclude each other', async header => {
    const { id } = await getResponse(project, {})
    const headers = { [header.toLowerCase()]: 'talk' }
    const message = `previous_response_id must not be sent with ${header}`
    expect(await respond(project, { previous_response_id: id }, { headers })).toMatchObject({
      status: 400,
      body: { error: { message } },
    })
    await getResponse(project, { input: 'one' }, { headers })
    await getResponse(project, { input: 'two' }, { headers })
    expect(lastAsked(stage).slice(1)).toEqual(['user: one', 'assistant: re: one', 'user: two'])
  })

  test.each([
    ['MASK', email, true],
    ['REDACT', '<EMAIL_ADDRESS>', false],
  ] as const)('with %s keeps what the end user sees', async (action, kept, isMasked) => {
    const settings = { pii_mode: 'enforce', pii_entities: { EMAIL_ADDRESS: action } }
    const own = await makeProjectOf(stage, mistral, settings)
    const first = await getResponse(own, { instructions: `Ask ${email}.`, input: `I am ${email}` })
    expect(textOfResponse(first)).toBe(`re: I am ${kept}`)
    const stored = (await own.ask('GET', `/v1/responses/${first.id}`)).body as WireResponse
    expect(textOfResponse(stored)).toBe(`re: I am ${kept}`)
    expect(stored.instructions).toBe(`Ask ${kept}.`)
    await getResponse(own, { input: 'two', previous_response_id: first.id })
    const asked = lastAsked(stage)
    expect(asked).toHaveLength(3)
    // Nothing that is masked leaves the product, when it is recalled either.
    expect(stage.upstream.requests.filter(({ body }) => body.includes(email))).toEqual([])
    expect(asked[0]).toMatch(isMasked ? /^user: I am <EMAIL_ADDRESS_\w+>$/ : /^user: I am <EMAIL_ADDRESS>$/)
  })

  test('a blocked request and a failed answer are not stored', async () => {
    const own = await makeProjectOf(stage, mistral, { pii_mode: 'enforce', pii_entities: { EMAIL_ADDRESS: 'BLOCK' } })
    expect((await respond(own, { input: `I am ${email}` })).status).toBe(403)
    const exported = async () => {
      const { session } = stage.harness.owner
      const answer = await stage.harness.call('GET', `/auth/v1/tenants/${own.tenantId}/export`, { session })
      return answer.text.split('\n').filter(line => line.includes('"response"'))
    }
    expect(await exported()).toEqual([])
    stage.script({ headers: { 'content-type': 'text/event-stream' }, body: 'data: {"choices":[]}\n\n' })
    await respond(own, { stream: true })
    expect(await exported()).toEqual([])
    answerByEcho(stage)
    const { id } = await getResponse(own, {})
    const [line] = await exported()
    expect(line).toContain(id)
  })
})
