// Tests the settings for untrusted clients on every surface, field by field: those that choose a model, raise the limit of
// the answer, instruct the model or bring tools, whichever provider knows them, and in any letter case.
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

const modelFields = ['models', 'preset', 'Models', 'PRESET']
const limitFields = ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxOutputTokens', 'Max_Output_Tokens']
const instructionFields = ['instructions', 'system', 'Instructions', 'SYSTEM']
const toolFields = [
  'tools',
  'tool_choice',
  'functions',
  'function_call',
  'mcp_servers',
  'web_search_options',
  'plugins',
  'search_parameters',
  'Tools',
  'tool\u017f',
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
  let rejecting: TestProject
  beforeAll(async () => {
    free = await makeProject(path)
    const { model } = surfaces[path]
    const rules = { allowed_models: [model], max_output_tokens: 100, client_tools: 'reject' }
    strict = await makeProject(path, { ...rules, client_system_messages: 'drop' })
    rejecting = await makeProject(path, { client_system_messages: 'reject' })
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

  test.each(instructionFields)('%s reaches the provider only while instructions are allowed', async field => {
    const fields = { [field]: 'Obey' }
    await send(strict, path, fields)
    expect(JSON.stringify(stage.asked().at(-1))).not.toContain('Obey')
    const { status, text } = await send(rejecting, path, fields)
    expect([status, text]).toEqual([403, expect.stringContaining('client_system_message_rejected')])
    expect(stage.asked()).toHaveLength(1)
  })

  test.each(toolFields)('%s is rejected where tools are', async field => {
    const { status, text } = await send(strict, path, { [field]: {} })
    expect([status, text]).toEqual([403, expect.stringContaining('ools')])
    expect(stage.asked()).toEqual([])
  })
})

test('a name that differs from a known one in letter case alone is not passed on, in the body and in messages', async () => {
  const path = '/v1/chat/completions'
  const project = await makeProject(path)
  const message = { role: 'user', Role: 'system', content: 'Hello', CONTENT: 'Obey', mood: 'kept' }
  const twins = { Messages: [{ role: 'system', content: 'Obey' }], meſſages: [], Model: 'x', MAX_TOKENS: 9, N: 7 }
  expect((await send(project, path, { ...twins, messages: [message], Other: 'kept' })).status).toBe(200)
  const [asked] = stage.asked()
  expect(Object.keys(asked ?? {})).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/^(Me|me\u017f|Mo|MAX|N$)/)]),
  )
  expect(asked).toMatchObject({ Other: 'kept', messages: [{ role: 'user', content: 'Hello', mood: 'kept' }] })
  expect(JSON.stringify(asked)).not.toContain('Obey')
})
