// Tests that an answer is given again only in the place where it was given: at the same address, in the same version of
// the provider's API, for the same headers, on the same endpoint and in the same form.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { say } from '../../support/simulated/provider-answers.ts'
import { startUpstream } from '../../support/simulated/scripted-upstream.ts'
import { everyWire, scriptAllKeyChecks } from '../every-wire.ts'
import { contentOf, user } from '../guard/guard-stage.ts'
import { type Answer, openStage, type Stage, type TestProject } from '../inference-stage.ts'
import { cached, cacheHeader } from '../wire-stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage('sqlite')
  scriptAllKeyChecks(stage)
})
afterAll(() => stage.stop())

const fixed = { temperature: 0 }
const seen = ({ status, headers }: Answer) => [status, headers[cacheHeader]]
const miss = [200, 'miss']
const hit = [200, 'hit']

const makeProject = async (name: string): Promise<TestProject> => {
  const wire = everyWire.find(one => one.name === name)
  if (wire === undefined) throw new Error(`there is no wire of ${name}`)
  return await wire.makeProject(stage, cached)
}
const configure = async ({ tenantId }: TestProject, slug: string, body: object) => {
  const { call, owner } = stage.harness
  const answer = await call('PUT', `/auth/v1/tenants/${tenantId}/providers/${slug}`, { session: owner.session, body })
  expect([answer.status, answer.text]).toEqual([expect.toSatisfy((status: number) => status < 300), expect.any(String)])
}

test('another address of the provider, which may be another product', async () => {
  const project = await makeProject('a custom server')
  const other = await startUpstream()
  try {
    stage.script(say('openai', { text: ['from the first'] }, false))
    other.on('POST /v1/chat/completions', say('openai', { text: ['from the second'] }, false))
    const body = { ...user('Where are you?'), ...fixed }
    expect([seen(await project.complete(body)), seen(await project.complete(body))]).toEqual([miss, hit])
    const move = (url: string) =>
      configure(project, 'custom/local', { display_name: 'Local', base_url: `${url}/v1`, models: [{ id: 'small' }] })
    await move(other.url)
    await expect.poll(async () => contentOf(await project.complete(body))).toBe('from the second')
    await move(stage.upstream.url)
    await expect.poll(async () => contentOf(await project.complete(body))).toBe('from the first')
  } finally {
    await other.close()
  }
})

test('another version of the API', async () => {
  const project = await makeProject('azure')
  const asked: unknown[] = []
  stage.upstream.on('POST /openai/deployments/my-gpt/chat/completions', ({ query }) => {
    asked.push(query['api-version'])
    return say('openai', { text: [`in ${query['api-version']}`] }, false)
  })
  const body = { ...user('Which version?'), ...fixed }
  expect([seen(await project.complete(body)), seen(await project.complete(body))]).toEqual([miss, hit])
  await configure(project, 'azure', {
    base_url: stage.upstream.url,
    api_version: '2025-01-01',
    deployments: [{ id: 'my-gpt' }],
    api_key: 'azure-key-0123456789',
  })
  await expect.poll(async () => contentOf(await project.complete(body))).toBe('in 2025-01-01')
  expect(asked).toEqual(['2024-10-21', '2025-01-01'])
})

test('other headers that the provider gets', async () => {
  const project = await makeProject('anthropic')
  stage.upstream.on('POST /v1/messages', say('anthropic', { text: ['Hello'] }, false))
  const body = { ...user('Which beta?'), ...fixed, max_tokens: 100 }
  const ask = async (headers: Record<string, string>) =>
    seen(await project.ask('POST', '/v1/messages', { body, headers }))
  const all: Record<string, string>[] = [
    {},
    { 'anthropic-beta': 'one-2025-01-01' },
    { 'anthropic-beta': 'two-2025-01-01' },
  ]
  for (const headers of all) expect([headers, await ask(headers)]).toEqual([headers, miss])
  for (const headers of all) expect([headers, await ask(headers)]).toEqual([headers, hit])
})

test('another endpoint', async () => {
  const project = await makeProject('mistral')
  stage.script(say('openai', { text: ['Hello'] }, false))
  const body = { ...user('Which endpoint?'), ...fixed, max_tokens: 100 }
  const paths = ['/v1/chat/completions', '/v1/messages']
  const ask = async (path: string) => seen(await project.ask('POST', path, { body }))
  for (const path of paths) expect([path, await ask(path)]).toEqual([path, miss])
  for (const path of paths) expect([path, await ask(path)]).toEqual([path, hit])
  // The provider cannot tell the two apart.
  const [first, second] = stage.asked().filter(({ messages }) => messages?.at(-1)?.content === 'Which endpoint?')
  expect(first).toEqual(second)
})

test('another form of vectors, which the provider never gets to know', async () => {
  const project = await makeProject('mistral')
  stage.upstream.on('POST /v1/embeddings', {
    body: { data: [{ index: 0, embedding: [0.5] }], model: 'codestral-embed', usage: { prompt_tokens: 3 } },
  })
  const ask = (encoding_format: string) =>
    project.ask('POST', '/v1/embeddings', {
      body: { model: 'codestral-embed', input: 'Hello', encoding_format },
      headers: { [cacheHeader]: 'use' },
    })
  const vectorOf = ({ body }: Answer) => (body as { data: { embedding: unknown }[] }).data[0]?.embedding
  const answers: Answer[] = []
  for (const encoding of ['float', 'base64', 'float', 'base64']) answers.push(await ask(encoding))
  expect(answers.map(seen)).toEqual([miss, miss, hit, hit])
  expect(answers.map(vectorOf)).toEqual([[0.5], 'AAAAPw==', [0.5], 'AAAAPw=='])
})

test('an answer with audio is given once, because the provider forgets it earlier', async () => {
  const project = await stage.makeProject({ settings: cached })
  const { body } = say('openai', { text: ['Hello'] }, false) as { body: { choices: { message: object }[] } }
  const audio = { id: 'audio_1', data: 'AAAA', expires_at: 1_790_000_000, transcript: 'Hello' }
  const [choice] = body.choices
  stage.script({ body: { ...body, choices: [{ ...choice, message: { ...choice?.message, audio } }] } })
  const asked = { ...user('Say hello.'), ...fixed }
  const both = [await project.complete(asked), await project.complete(asked)]
  expect(both.map(seen)).toEqual([miss, miss])
  for (const { text } of both) expect(text).toContain('audio_1')
})
