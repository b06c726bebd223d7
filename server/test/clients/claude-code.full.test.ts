// Claude Code on /v1/messages, in front of Anthropic and in front of a model that is not Anthropic's: it reads a file
// by a tool call and answers with what is in it.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findClaudeCode, makeAgentFolder, runAgent } from '../support/programs/agents.ts'
import { type Said, type Shape, say } from '../support/simulated/provider-answers.ts'
import { type ClientStage, models, startClientStage } from './client-stage.ts'

let stage: ClientStage
beforeAll(async () => {
  stage = await startClientStage()
})
afterAll(() => stage.end())

const note = 'The harbour was built in 1871.'
const answer = 'It was built in 1871.'

/** The model asks for the file, and answers once it has it. Requests without tools get a short text. */
function script(shape: Shape, file: string): void {
  const pieces = ['{"file_path":', `${JSON.stringify(file)}}`]
  stage.answers(shape, ({ body }) => {
    const { stream, tools } = JSON.parse(body) as { stream?: boolean; tools?: unknown[] }
    const reads: Said = { calls: [{ id: 'toolu_1', name: 'Read', pieces }] }
    const isAsked = tools === undefined || body.includes('1871')
    return say(shape, isAsked ? { text: ['It was built', ' in 1871.'] } : reads, stream === true)
  })
}

function ask(shape: Shape, folder: string) {
  const { baseURL, token } = stage.projects[shape]
  const prompt = `Read ${join(folder, 'note.txt')} and tell me when the harbour was built.`
  const args = ['-p', prompt, '--model', models.anthropic, '--output-format', 'json', '--allowedTools', 'Read']
  const env = {
    ANTHROPIC_BASE_URL: baseURL.replace(/\/v1$/, ''),
    ANTHROPIC_AUTH_TOKEN: token,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  }
  return runAgent(findClaudeCode() ?? '', args, { folder, env })
}

describe.runIf(findClaudeCode() !== null)('Claude Code', () => {
  test.each<Shape>(['anthropic', 'openai'])('reads a file through %s', async shape => {
    const folder = makeAgentFolder()
    writeFileSync(join(folder, 'note.txt'), note)
    script(shape, join(folder, 'note.txt'))
    stage.upstream.requests.length = 0
    const { exitCode, stdout, stderr } = await ask(shape, folder)
    expect(exitCode, stdout + stderr).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ is_error: false, result: answer, num_turns: 2 })
    const turns = stage.sent(shape).filter(({ tools }) => tools !== undefined)
    expect(turns).toHaveLength(2)
    expect(JSON.stringify(turns[1])).toContain(note)
    const { token } = stage.projects[shape]
    for (const { headers } of stage.upstream.requests) {
      expect(JSON.stringify(headers)).not.toContain(token)
      expect(headers['anthropic-beta'] !== undefined).toBe(shape === 'anthropic')
    }
  })
})
