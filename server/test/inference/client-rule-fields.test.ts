// Tests the settings for untrusted clients on every surface, field by field: those that choose a model, raise the limit of
// the answer or bring tools, whichever provider knows them.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { say } from '../support/simulated/provider-answers.ts'
import { openStage, type Stage, type TestProject } from './inference-stage.ts'

const surfaces = {
  '/v1/chat/completions': { model: 'openai/gpt-4o-mini', body: { messages: [{ role: 'user', content: 'Hello' }] } },
  '/v1/responses': { model: 'openai/gpt-4o-mini', body: { input: 'Hello' } },
  '/v1/messages': {
    model: 'anthropic/claude-sonnet-4-5',
    body: { max_tokens: 50, messages: [{ role: 'user', content: 'Hello' }] },
  },
}
type Path = keyof typeof surfaces
const paths = Object.keys(surfaces) as Path[]

const modelFields = ['models', 'preset']
const limitFields = ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxOutputTokens']
const toolFields = [
  'tools',
  'tool_choice',
  'functions',
  'function_call',
  'mcp_servers',
  'web_search_options',
  'plugins',
  'search_parameters',
]

let stage: Stage
beforeAll(async () => {
  stage = await openStage('sqlite')
})
afterAll(() => stage.stop())
beforeEach(() => {
  stage.upstream.requests.length = 0
  stage.script(say('openai', { text: ['ok'] }, false))
})

async function makeProject(path: Path, settings: Record<string, unknown> = {}): Promise<TestProject> {
  const { model } = surfaces[path]
  const project = await stage.makeProject({ settings })
  const { call, owner } = stage.harness
  const put = async (to: string, body: object) =>
    expect((await call('PUT', to, { session: owner.session, body })).status, to).toBe(200)
  await put(`/auth/v1/tenants/${project.tenantId}/providers/anthropic`, { api_key: 'sk-ant-0123456789abcdef0123' })
  await put(`/auth/v1/projects/${project.id}/settings/model`, { provider_model: model })
  return project
}

const send = (project: TestProject, path: Path, fields: object) =>
  project.ask('POST', path, { body: { ...surfaces[path].body, ...fields } })

describe.each(paths)('on %s', path => {
  let free: TestProject
  let strict: TestProject
  beforeAll(async () => {
    free = await makeProject(path)
    const { model } = surfaces[path]
    strict = await makeProject(path, { allowed_models: [model], max_output_tokens: 100, client_tools: 'reject' })
  })

  test.each(modelFields)('%s reaches the provider only while all models are allowed', async field => {
    const fields = { [field]: 'openai/gpt-4.1' }
    await send(free, path, fields)
    expect(stage.asked().at(-1)).toMatchObject(fields)
    await send(strict, path, fields)
    expect(stage.asked()).toHaveLength(2)
    expect(stage.asked().at(-1)).not.toHaveProperty(field)
  })

  test.each(limitFields)('%s is not above max_output_tokens', async field => {
    await send(strict, path, { [field]: 5_000 })
    const [asked] = stage.asked()
    const limits = limitFields.filter(name => asked !== undefined && Object.hasOwn(asked, name))
    expect(limits.length).toBeGreaterThan(0)
    for (const name of limits) expect(asked?.[name], name).toBeLessThanOrEqual(100)
  })

  test.each(toolFields)('%s is rejected where tools are', async field => {
    const { status, text } = await send(strict, path, { [field]: {} })
    expect([status, text]).toEqual([403, expect.stringContaining('ools')])
    expect(stage.asked()).toEqual([])
  })
})
