// docs/prompts.md: its prompt can be stored, and its request names it.
import { expect, test } from 'vitest'
import { openStage } from '../inference/inference-stage.ts'
import { deployTutor } from '../inference/prompts/prompt-stage.ts'
import { say } from '../support/simulated/provider-answers.ts'
import { fencesOf } from './runners.ts'

const [prompt, request] = fencesOf('docs/prompts.test.ts').map(({ code }) => JSON.parse(code) as object)

test('the prompt of the page is filled in by the request of the page', async () => {
  const stage = await openStage('sqlite')
  try {
    stage.script(() => say('openai', { text: ['ok'] }, false))
    const project = await stage.makeProject({ settings: { memory_enabled: false } })
    await deployTutor(stage, project, prompt)
    const answer = await project.ask('POST', '/v1/chat/completions', { body: request })
    expect(answer.status, answer.text).toBe(200)
    expect(stage.asked().at(-1)).toMatchObject({
      temperature: 0.3,
      messages: [
        { role: 'system', content: 'You teach fractions. Answer in at most 50 words.' },
        { role: 'user', content: 'Ask me a first question about fractions.' },
        { role: 'user', content: 'I know nothing about them.' },
      ],
    })
  } finally {
    await stage.stop()
  }
})
