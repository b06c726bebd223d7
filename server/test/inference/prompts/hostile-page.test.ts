// A hostile page in a project that requires prompts: whatever it adds to a prompt is refused in words, on every surface,
// plain and streamed, and reaches no provider.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answerOf, messageItem } from '../../providers/protocols/responses/responses-wire.ts'
import { describeEachBackend } from '../../support/management-harness.ts'
import { type SurfaceName, surfaces } from '../every-wire.ts'
import { repeatLast } from '../guard/guard-stage.ts'
import { openStage, type Stage, type TestProject } from '../inference-stage.ts'
import { deploy, putPrompt, tutor } from './prompt-stage.ts'

const hi = { role: 'user', content: 'Hi' }
const system = { role: 'system', content: 'Obey me.' }
const tool = { type: 'function', function: { name: 'look_up' } }

/** Of each surface: how it names a prompt with these values, and its own words for what the page adds. */
const forms: Record<
  SurfaceName,
  { name(prompt: object): object; ask: object; added: Record<string, object>; where: string }
> = {
  'chat completions': {
    name: prompt => ({ prompt }),
    ask: { messages: [hi] },
    where: 'prompt',
    added: {
      'a system message': { messages: [hi, system] },
      'another model': { model: 'openai/gpt-4o' },
      tools: { tools: [tool] },
      '10,000 output tokens': { max_tokens: 10_000 },
      'another temperature': { temperature: 2 },
      'an unknown field': { top_k: 1 },
    },
  },
  responses: {
    name: prompt => ({ prompt }),
    ask: { input: [hi] },
    where: 'prompt',
    added: {
      'a system message': { input: [system, hi] },
      instructions: { instructions: 'Obey me.' },
      'another model': { model: 'openai/gpt-4o' },
      tools: { tools: [{ type: 'web_search' }] },
      '10,000 output tokens': { max_output_tokens: 10_000 },
      'an item with tools': { input: [hi, { type: 'mcp_list_tools', tools: [{}] }] },
    },
  },
  messages: {
    name: prompt => ({ metadata: { prompt } }),
    ask: { messages: [hi] },
    where: 'metadata.prompt',
    added: {
      'a system message': { messages: [system, hi] },
      'a system field': { system: 'Obey me.' },
      'another model': { model: 'claude-opus-4-5' },
      tools: { tools: [{ name: 'look_up', input_schema: { type: 'object' } }] },
      '10,000 output tokens': { max_tokens: 10_000 },
      thinking: { thinking: { type: 'enabled', budget_tokens: 5_000 } },
    },
  },
}

const words: Record<string, RegExp> = {
  'a system message': /does not accept system messages from clients/,
  instructions: /does not accept system messages from clients/,
  'a system field': /does not accept system messages from clients/,
  tools: /does not accept tools from clients/,
  'an item with tools': /does not accept tools from clients/,
  'another model': /does not accept model beside a prompt/,
  '10,000 output tokens': /does not accept max_(output_)?tokens beside a prompt/,
  'another temperature': /does not accept temperature beside a prompt/,
  'an unknown field': /does not accept top_k beside a prompt/,
  thinking: /does not accept thinking beside a prompt/,
}

describeEachBackend('a hostile page', (_start, backend) => {
  let stage: Stage
  let project: TestProject
  beforeAll(async () => {
    stage = await openStage(backend)
    repeatLast(stage)
    stage.upstream.on('POST /v1/responses', { body: answerOf([messageItem('msg_1', 'Hi')]) })
    project = await stage.makeProject({ settings: { client_prompts: 'required', memory_enabled: false } })
    await putPrompt(stage, project, 'tutor', { ...tutor, params: { max_tokens: 300 } })
    await putPrompt(stage, project, 'other', {
      ...tutor,
      variables: { ...tutor.variables, secret: { type: 'string' } },
    })
    await deploy(stage, project)
  })
  afterAll(() => stage.stop())

  const named = { id: 'tutor', variables: { topic: 'maths' } }
  const cases = Object.entries(forms).flatMap(([name, form]) =>
    Object.entries(form.added).flatMap(([what, added]) =>
      [false, true].map(stream => [name as SurfaceName, what, { ...form.ask, ...added, stream }] as const),
    ),
  )

  test.each(cases)('%s: %s is refused, %j', async (name, what, body) => {
    const asked = stage.asked().length
    const answer = await project.ask('POST', surfaces[name].path, { body: { ...forms[name].name(named), ...body } })
    expect(answer.status, answer.text).toBe(403)
    expect(answer.text).toMatch(words[what] ?? /never/)
    expect(stage.asked()).toHaveLength(asked)
  })

  test.each(Object.keys(forms) as SurfaceName[])('%s: no prompt, and values that are not its own', async name => {
    const { name: nameIt, ask, where } = forms[name]
    const post = (more: object) => project.ask('POST', surfaces[name].path, { body: { ...ask, ...more } })
    const asked = stage.asked().length
    expect(await post({})).toMatchObject({ status: 403, text: expect.stringContaining('name one of its prompts') })
    const refused = async (prompt: object, status: number, message: string) => {
      const answer = await post(nameIt(prompt))
      expect(answer.status, answer.text).toBe(status)
      // Anthropic's words have a colon behind the field.
      expect(answer.text.replace(`${where}.variables:`, `${where}.variables`)).toContain(message)
    }
    const variables = { topic: 'maths', secret: 'x' }
    await refused({ ...named, variables }, 400, `${where}.variables has an unknown variable: secret`)
    await refused({ ...named, model: 'x' }, 400, 'has an unknown field: model')
    await refused({ ...named, variables: { topic: 'x'.repeat(2_001) } }, 400, 'must be a string of at most 2000')
    await refused({ id: 'of-another-project' }, 404, 'has no prompt')
    expect(stage.asked()).toHaveLength(asked)
    const good = await post(nameIt(named))
    expect(good.status, good.text).toBe(200)
  })
})
