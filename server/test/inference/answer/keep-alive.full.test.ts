// Tests a provider that is silent for long: the client gets keep-alive comments meanwhile, and the answer stays
// complete.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openaiEvents } from '../../support/simulated/provider-answers.ts'
import { eventsOf, openStage, type Stage, textOf } from '../inference-stage.ts'

let stage: Stage

beforeAll(async () => {
  stage = await openStage('sqlite')
})
afterAll(() => stage.stop())

test('comments fill the silence, and nothing else', async () => {
  const project = await stage.makeProject()
  const events = openaiEvents({ text: ['Hel', 'lo'] })
  stage.script({
    async write(response) {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(events.slice(0, 2).join(''))
      await sleep(17_000)
      response.end(events.slice(2).join(''))
    },
  })
  const answer = await project.open()
  await expect.poll(() => answer.text(), { interval: 100 }).toContain('\n\n: keep-alive\n\n')
  expect(answer.text()).not.toContain('lo"')
  expect(await answer.ended).toBe(true)
  expect(answer.text().match(/^: /gm)).toHaveLength(1)
  expect(textOf(eventsOf(answer.text()))).toBe('Hello')
})
