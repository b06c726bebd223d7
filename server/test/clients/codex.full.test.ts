// Codex on /v1/responses, in front of OpenAI and in front of a model that is not OpenAI's: it calls a tool of its own
// and answers with what that returned.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  callItem,
  eventsOf,
  messageItem,
  reasoningItem,
  streamOf,
} from '../providers/protocols/responses/responses-wire.ts'
import { findCodex, makeAgentFolder, runAgent } from '../support/programs/agents.ts'
import { eventStream, type Shape, say } from '../support/simulated/provider-answers.ts'
import { type ClientStage, startClientStage } from './client-stage.ts'

let stage: ClientStage
beforeAll(async () => {
  stage = await startClientStage()
})
afterAll(() => stage.end())

const answer = 'There is no goal yet.'
const encrypted = 'gAAAAAB-sealed'
/** What Codex's tool `get_goal` returns contains this. */
const result = 'goal'

function scriptOpenai(): void {
  stage.upstream.on('POST /v1/responses', ({ body }) => {
    const isSecond = body.includes('function_call_output')
    const first = [reasoningItem('rs_1', ['I look it up.'], encrypted), callItem('fc_1', 'call_1', 'get_goal', '{}')]
    return eventStream([streamOf(eventsOf(isSecond ? [messageItem('msg_1', answer)] : first))])
  })
}

function scriptAnthropic(): void {
  stage.answers('anthropic', ({ body }) => {
    const calls = { calls: [{ id: 'toolu_1', name: 'get_goal', pieces: ['{}'] }] }
    return say('anthropic', body.includes('tool_result') ? { text: [answer] } : calls, true)
  })
}

/** Of OpenAI's own tools, other providers have none. */
const functionsOnly = ['-c', 'web_search="disabled"', '-c', 'features.multi_agent=false']

function ask(shape: Shape, more: readonly string[]) {
  const { baseURL, token } = stage.projects[shape]
  const folder = makeAgentFolder()
  const provider = `{name="Sallyport",base_url="${baseURL}",env_key="SALLYPORT_TOKEN",wire_api="responses"}`
  const settings = ['-c', 'model_provider="sallyport"', '-c', `model_providers.sallyport=${provider}`, ...more]
  const args = ['exec', '--skip-git-repo-check', '--json', '-m', 'gpt-5', ...settings, 'Which goal do we have?']
  return runAgent(findCodex() ?? '', args, { folder, env: { SALLYPORT_TOKEN: token } })
}

const scripts: [Shape, string, () => void, readonly string[]][] = [
  ['openai', 'POST /v1/responses', scriptOpenai, []],
  ['anthropic', 'POST /v1/messages', scriptAnthropic, functionsOnly],
]

describe.runIf(findCodex() !== null)('Codex', () => {
  test.each(scripts)('calls a tool through %s', async (shape, call, script, more) => {
    script()
    stage.upstream.requests.length = 0
    const { exitCode, stdout, stderr } = await ask(shape, more)
    expect(exitCode, stdout + stderr).toBe(0)
    expect(stdout).toContain(JSON.stringify(answer))
    const sent = stage.upstream.requests.filter(({ method, path }) => `${method} ${path}` === call)
    expect(sent).toHaveLength(2)
    expect(sent[1]?.body).toContain(result)
    for (const { headers } of sent) expect(JSON.stringify(headers)).not.toContain(stage.projects[shape].token)
    if (shape === 'anthropic') return
    // The reasoning comes back to the provider that sealed it.
    expect(JSON.parse(sent[1]?.body ?? '')).toMatchObject({
      store: false,
      include: ['reasoning.encrypted_content'],
      input: expect.arrayContaining([expect.objectContaining({ type: 'reasoning', encrypted_content: encrypted })]),
    })
  })
})
