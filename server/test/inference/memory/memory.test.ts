// Tests conversation memory through the real product, on both databases: what is replayed, in which order and how much;
// what is stored of tools; who owns it; and concurrent writes and an unavailable database.
import { createClient } from 'redis'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { type Backend, describeEachBackend } from '../../support/management-harness.ts'
import { createDatabase } from '../../support/postgres.ts'
import { startProxy } from '../../support/simulated/breakable-proxy.ts'
import { say } from '../../support/simulated/provider-answers.ts'
import { type Asked, openStage, openStageOfTest, type Stage, type TestProject } from '../inference-stage.ts'

const thread = (id: string) => ({ headers: { 'x-thread-id': id } })
const session = (id: string) => ({ headers: { 'x-session-id': id } })
const user = (content: unknown) => ({ messages: [{ role: 'user', content }] })

/** Echoes the last message, so that every answer is different. */
function answerByEcho(stage: Stage): void {
  stage.script(({ body }) => {
    const { messages, stream } = JSON.parse(body) as Asked
    return say('openai', { text: [`re: ${JSON.stringify(messages.at(-1)?.content)}`] }, stream === true)
  })
}

/** Roles and texts of the last request that the provider got. */
const lastAsked = (stage: Stage) =>
  (stage.asked().at(-1)?.messages ?? []).map(({ role, content }) => `${role}: ${content}`)

interface ThreadPage {
  data: { id: string; object: string; title: string; message_count: number; created_at: string }[]
  next_cursor: string | null
}
interface MessagePage {
  data: { role: string; content: unknown; tool_calls?: unknown[]; object: string }[]
  next_cursor: string | null
}

describeEachBackend('memory', (_start, backend: Backend) => {
  let stage: Stage
  let project: TestProject
  beforeAll(async () => {
    stage = await openStage(backend)
    project = await stage.makeProject({ settings: { system_prompt: 'Be kind.' } })
  })
  afterAll(() => stage.stop())
  beforeEach(() => answerByEcho(stage))

  test.each([
    ['a session', session],
    ['a thread', thread],
  ])('%s goes on where it was, plain and streamed, behind the instructions', async (_name, named) => {
    await project.complete(user('one'), named('going-on'))
    const answer = await project.open(user('two'), named('going-on'))
    await answer.ended
    const messages = [{ role: 'system', content: 'In verse.' }, ...user('three').messages]
    await project.complete({ messages }, named('going-on'))
    expect(lastAsked(stage)).toEqual([
      'system: Be kind.',
      'system: In verse.',
      'user: one',
      'assistant: re: "one"',
      'user: two',
      'assistant: re: "two"',
      'user: three',
    ])
    await project.complete(user('four'), named('going-on'))
    expect(lastAsked(stage).filter(line => line.startsWith('system: '))).toEqual(['system: Be kind.'])
  })

  test('belongs to its user, its project, and its kind of conversation', async () => {
    const other = await stage.makeProject({ tenantId: project.tenantId, settings: {} })
    const bob = await project.mint({ user_id: 'bob' })
    for (const named of [session, thread]) {
      await project.complete(user('mine'), named('shared'))
      await project.complete(user('his'), { ...named('shared'), token: bob })
      await other.complete(user('elsewhere'), named('shared'))
    }
    const seen = async (own: TestProject, options: object) => {
      await own.complete(user('?'), options)
      return lastAsked(stage).filter(line => line.startsWith('user: ') && line !== 'user: ?')
    }
    for (const named of [session, thread]) {
      expect(await seen(project, named('shared'))).toEqual(['user: mine'])
      expect(await seen(project, { ...named('shared'), token: bob })).toEqual(['user: his'])
      expect(await seen(other, named('shared'))).toEqual(['user: elsewhere'])
    }
    expect(await seen(project, { headers: { 'x-session-id': 'shared', 'x-thread-id': 'fresh' } })).toEqual([])
    expect((await project.ask('GET', '/v1/threads/shared', { token: bob })).status).toBe(200)
    expect((await project.ask('GET', '/v1/threads/going-on', { token: bob })).status).toBe(404)
    expect((await project.ask('GET', '/v1/threads/going-on/messages', { token: bob })).status).toBe(404)
    expect((await project.ask('DELETE', '/v1/threads/going-on', { token: bob })).status).toBe(404)
  })

  test('replays the window and no more; none where it is switched off', async () => {
    const small = await stage.makeProject({ settings: { memory_window: 3 } })
    for (const word of ['a', 'b', 'c']) await small.complete(user(word), thread('w'))
    expect(lastAsked(stage)).toEqual(['assistant: re: "a"', 'user: b', 'assistant: re: "b"', 'user: c'])
    const off = await stage.makeProject({ settings: { memory_enabled: false } })
    for (const word of ['a', 'b']) await off.complete(user(word), thread('w'))
    expect(lastAsked(stage)).toEqual(['user: b'])
    expect((await off.ask('GET', '/v1/threads/w')).status).toBe(404)
    expect((await off.complete(user('a'), thread('no id'))).status).toBe(400)
    const none = await stage.makeProject({ settings: { memory_window: 0 } })
    for (const word of ['a', 'b']) await none.complete(user(word), thread('w'))
    expect(lastAsked(stage)).toEqual(['user: b'])
    expect((await none.ask('GET', '/v1/threads/w')).body).toMatchObject({ message_count: 4 })
  })

  test('keeps tools where the project wants it, and never half of them', async () => {
    const calls = [{ id: 'call_1', name: 'weather', pieces: ['{"city":"Bern"}'] }]
    const keeping = await stage.makeProject({ settings: { store_tool_calls: true } })
    const forgetting = await stage.makeProject()
    for (const own of [keeping, forgetting]) {
      stage.script(say('openai', { calls }, false))
      await own.complete(user('weather?'), thread('tools'))
      answerByEcho(stage)
      const result = { role: 'tool', tool_call_id: 'call_1', content: 'rain' }
      const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } }
      const brought = own === keeping ? [result] : [{ role: 'assistant', content: null, tool_calls: [call] }, result]
      expect((await own.complete({ messages: brought }, thread('tools'))).status).toBe(200)
      expect(
        stage
          .asked()
          .at(-1)
          ?.messages.map(({ role }) => role),
      ).toEqual(['user', 'assistant', 'tool'])
    }
    const kept = async (own: TestProject) => {
      const { data } = (await own.ask('GET', '/v1/threads/tools/messages')).body as MessagePage
      return data.map(({ role, tool_calls }) => (tool_calls === undefined ? role : `${role} calls`))
    }
    expect(await kept(keeping)).toEqual(['user', 'assistant calls', 'tool', 'assistant'])
    expect(await kept(forgetting)).toEqual(['user', 'assistant'])
    // A tool call without a result does not break the conversation.
    stage.script(say('openai', { calls }, false))
    await keeping.complete(user('weather?'), thread('left'))
    answerByEcho(stage)
    await keeping.complete(user('never mind'), thread('left'))
    expect(lastAsked(stage)).toEqual(['user: weather?', 'user: never mind'])
  })

  test('loses nothing of turns that end at once', async () => {
    const own = await stage.makeProject({ settings: { memory_window: 500 } })
    const words = Array.from({ length: 30 }, (_, index) => `word ${index}`)
    for (const named of [session, thread]) await Promise.all(words.map(word => own.complete(user(word), named('busy'))))
    const messages = (await own.ask('GET', '/v1/threads/busy/messages?limit=200')).body as MessagePage
    expect(messages.data).toHaveLength(60)
    for (const [index, message] of messages.data.entries()) {
      if (message.role === 'user') expect(messages.data[index + 1]?.content).toBe(`re: "${message.content}"`)
    }
    await own.complete(user('all?'), session('busy'))
    const seen = lastAsked(stage)
    for (const word of words) expect(seen.filter(line => line === `user: ${word}`)).toHaveLength(1)
  })

  test('keeps no turn whose answer broke or was left, and refuses what no id can be', async () => {
    stage.script({ status: 500, body: {} })
    await project.complete(user('lost'), thread('broken'))
    stage.script({
      headers: { 'content-type': 'text/event-stream' },
      body: 'data: {"id":"x","choices":[{"index":0,"delta":{"content":"a"}}]}\n\n',
    })
    const broken = await project.open(user('lost too'), thread('broken'))
    await broken.ended
    expect((await project.ask('GET', '/v1/threads/broken')).status).toBe(404)
    const own = await stage.makeProject()
    stage.script({
      write(response) {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write('data: {"id":"x","choices":[{"index":0,"delta":{"content":"half"}}]}\n\n')
      },
    })
    const left = await own.open(user('left'), thread('left'))
    await expect.poll(() => left.text()).toContain('half')
    left.reset()
    await expect.poll(async () => (await own.usage()).requests).toBe(1)
    answerByEcho(stage)
    await own.complete(user('on'), thread('left'))
    expect(lastAsked(stage)).toEqual(['user: on'])
    for (const name of ['X-Thread-Id', 'X-Session-Id']) {
      for (const id of ['a b', 'x'.repeat(129), 'ä']) {
        const value = Buffer.from(id).toString('latin1')
        expect(await project.complete({}, { headers: { [name]: value } }), `${name} ${id}`).toMatchObject({
          status: 400,
          body: { error: { type: 'invalid_request_error', param: name } },
        })
      }
    }
  })

  test('threads: listed newest first, paged, read, deleted', async () => {
    const own = await stage.makeProject()
    const title = 'ü'.repeat(100)
    for (const id of ['a:1', 'b', 'c']) await own.complete(user(id === 'c' ? title : id), thread(id))
    const image = [
      { type: 'text', text: 'see' },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
    ]
    await own.complete(user(image), thread('b'))
    const first = (await own.ask('GET', '/v1/threads?limit=2')).body as ThreadPage
    expect(first.data.map(({ id }) => id)).toEqual(['b', 'c'])
    expect(first.data[1]).toMatchObject({ object: 'thread', title: 'ü'.repeat(80), message_count: 2 })
    expect(first.data[1]?.created_at).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/)
    const second = (await own.ask('GET', `/v1/threads?limit=2&cursor=${first.next_cursor}`)).body as ThreadPage
    expect(second).toMatchObject({ data: [{ id: 'a:1' }], next_cursor: null })
    const messages = (await own.ask('GET', '/v1/threads/b/messages?limit=3')).body as MessagePage
    expect(messages.data.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(messages.data[2]).toMatchObject({ object: 'thread.message', content: image })
    const rest = (await own.ask('GET', `/v1/threads/b/messages?cursor=${messages.next_cursor}`)).body as MessagePage
    expect(rest).toMatchObject({ data: [{ role: 'assistant' }], next_cursor: null })
    const service = await own.mint({ user_id: 'back-office', role: 'admin' })
    expect(((await own.ask('GET', '/v1/threads?uid=alice', { token: service })).body as ThreadPage).data).toHaveLength(
      3,
    )
    for (const path of ['/v1/threads/a:1', '/v1/threads/a%3A1'])
      expect((await own.ask('GET', path)).status, path).toBe(200)
    expect(await own.ask('DELETE', '/v1/threads/a%3A1')).toMatchObject({ status: 204, text: '' })
    expect(await own.ask('DELETE', '/v1/threads/a:1')).toMatchObject({
      status: 404,
      body: { error: { code: 'thread_not_found' } },
    })
  })

  test('a cursor is good for the threads of its user, or the messages of its thread, alone', async () => {
    const own = await stage.makeProject()
    for (const id of ['b', 'c']) await own.complete(user(id), thread(id))
    await own.complete({ ...user('d'), model: 'gpt-4o' })
    const service = await own.mint({ user_id: 'back-office', role: 'admin' })
    const ask = async (path: string) => await own.ask('GET', path, { token: service })
    const cursorOf = async (path: string) => ((await ask(path)).body as ThreadPage).next_cursor
    const [threads, messages] = ['/v1/threads?uid=alice', '/v1/threads/b/messages?uid=alice']
    const cursors = [await cursorOf(`${threads}&limit=1`), await cursorOf(`${messages}&limit=1`)]
    for (const [at, path] of [threads, messages].entries()) {
      expect((await ask(`${path}&cursor=${cursors[at]}`)).body, path).toMatchObject({ data: [{}], next_cursor: null })
    }
    const usage = await cursorOf('/v1/billing/usage?group_by=model&limit=1')
    expect([...cursors, usage]).toEqual([expect.any(String), expect.any(String), expect.any(String)])
    for (const [path, cursor] of [
      [threads, cursors[1]],
      ['/v1/threads?', cursors[0]],
      [messages, cursors[0]],
      ['/v1/threads/c/messages?uid=alice', cursors[1]],
      ['/v1/billing/usage?', cursors[0]],
      [threads, usage],
    ]) {
      expect(await ask(`${path}&cursor=${cursor}`), path ?? '').toMatchObject({
        status: 400,
        body: { error: { param: 'cursor', message: 'cursor is not valid' } },
      })
    }
  })

  test('a thread holds more than is replayed or shown at once', async () => {
    const own = await stage.makeProject()
    const large = 'x'.repeat(3 * 1024 * 1024)
    for (let index = 0; index < 4; index++) {
      stage.script(({ body }) => say('openai', { text: [`${index}`] }, JSON.parse(body).stream === true))
      expect((await own.complete(user(large), thread('large'))).status).toBe(200)
    }
    const replayed = stage.asked().at(-1)?.messages ?? []
    expect(replayed.filter(({ role }) => role === 'user')).toHaveLength(3)
    const page = (await own.ask('GET', '/v1/threads/large/messages?limit=200')).body as MessagePage
    expect(page.data.length).toBeLessThan(8)
    expect(page.next_cursor).not.toBeNull()
  })
})

describe('a database that is away', () => {
  test('keeps threads back before the provider is asked; everything else goes on', async () => {
    const url = new URL(await createDatabase(inject('postgresUrl')))
    const proxy = await startProxy(Number(url.port))
    url.port = String(proxy.port)
    const stage = await openStageOfTest('postgres', { DATABASE_URL: url.href })
    answerByEcho(stage)
    const project = await stage.makeProject()
    expect((await project.complete(user('before'), thread('t'))).status).toBe(200)
    // Waits until its usage row is in the database, so that it is not counted with the rows in the store.
    await expect
      .poll(async () => (await project.ask('GET', '/v1/billing/usage')).body)
      .toMatchObject({ totals: { requests: 1 } })
    proxy.cut()
    const asked = stage.asked().length
    expect(await project.complete(user('lost'), thread('t'))).toMatchObject({
      status: 503,
      body: { error: { type: 'server_error' } },
    })
    expect(stage.asked()).toHaveLength(asked)
    for (let round = 0; round < 3; round++) {
      expect((await project.complete(user('on'), session('s'))).status).toBe(200)
      expect((await project.complete(user('on'))).status).toBe(200)
    }
    expect((await project.ask('GET', '/v1/threads')).status).toBe(503)
    const redis = createClient({ url: stage.harness.redis?.url ?? '' })
    await redis.connect()
    // The rows are in the store, so that a killed process would not lose them.
    await expect.poll(() => redis.hLen('sallyport:usage-shelf')).toBe(6)
    redis.destroy()
    proxy.mend()
    await expect
      .poll(async () => (await project.ask('GET', '/v1/billing/usage')).body, { interval: 300 })
      .toMatchObject({ totals: { requests: 7 } })
    expect((await project.complete(user('after'), thread('t'))).status).toBe(200)
  })
})
