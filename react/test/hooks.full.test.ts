// The hooks in Chromium, on a page of another origin than the product's.
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type ClientProject, type ClientStage, startClientStage } from '../../server/test/clients/client-stage.ts'
import { openBrowser, type TestBrowser, type TestPage } from '../../server/test/support/programs/browsers.ts'
import { type PageServer, servePage } from '../../server/test/support/simulated/page-server.ts'
import { wholeUsage } from '../../server/test/support/simulated/provider-answers.ts'
import { writeInTwo } from '../../server/test/support/simulated/write-in-two.ts'
import type { HooksPage } from './page.tsx'

let stage: ClientStage
let browser: TestBrowser
let server: PageServer
let page: TestPage<HooksPage>
let project: ClientProject
beforeAll(async () => {
  stage = await startClientStage()
  browser = await openBrowser('chromium')
  server = await servePage(join(import.meta.dirname, 'page.tsx'))
  page = await browser.openPage<HooksPage>(server.origin)
  project = await makeProject()
})
afterAll(async () => {
  await browser?.close()
  await server?.close()
  await stage?.end()
})
beforeEach(() => void page.takeErrors())

const makeProject = (settings: Record<string, unknown> = {}) =>
  stage.makeProject('openai', {
    settings: { cors_origins: [server.origin], ...settings },
    prompts: { pirate: { messages: [{ role: 'system', content: 'Answer as a pirate.' }] } },
  })

async function open({ baseURL, token }: ClientProject, request?: Record<string, unknown>): Promise<void> {
  const baseUrl = baseURL.replace(/\/v1$/, '')
  await page.call('open', { baseUrl, token, ...(request === undefined ? {} : { request }) })
  await shown().toMatchObject({ status: 'ready' })
}

/** The provider sends `Grüße, `, and `世界` after `goOn`. */
function answerInTwo(how?: { ends: boolean }) {
  const { answer, ...rest } = writeInTwo(['Grüße, '], ['世界'], how)
  stage.answers('openai', answer)
  return rest
}

/** What the page shows, once it has: React renders after the call has ended. */
const shown = () => expect.poll(() => page.call('read'))
const shows = (text: string) => shown().toMatchObject({ status: 'streaming', text })

test('an answer is on the page while it arrives, with its model, its usage and what is left of the limits', async () => {
  const limited = await makeProject({ rpm_limit: 20, tokens_per_day: 100_000 })
  await open(limited, { prompt: { id: 'pirate' } })
  const { goOn } = answerInTwo()
  const answer = page.call('complete', 'Hello')
  await shows('Grüße, ')
  await shown().toMatchObject({ onPage: 'Grüße, ', usage: null, finishReason: null })
  goOn()
  expect(await answer).toBe('Grüße, 世界')
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = wholeUsage
  await shown().toMatchObject({
    onPage: 'Grüße, 世界',
    statuses: ['ready', 'submitted', 'streaming', 'ready'],
    error: null,
    finishReason: 'stop',
    usage: { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens },
    model: 'openai/gpt-4o-mini',
    requestId: expect.stringMatching(/./),
    limits: { requests: { limit: 20, remaining: 19 }, tokens: { limit: 100_000 }, blockedUntil: null },
  })
  expect(stage.sent('openai').at(-1)?.['messages']).toEqual([
    { role: 'system', content: 'Answer as a pirate.' },
    { role: 'user', content: 'Hello' },
  ])
  expect(page.takeErrors()).toEqual([])
})

test('stop, a new request and the end of the component end the request before', async () => {
  await open(project)
  // The gateway notices that the page has gone when it writes to it.
  const waitUntilLeft = async ({ goOn, isClosed }: ReturnType<typeof answerInTwo>) => {
    goOn()
    await isClosed
  }
  const stopped = answerInTwo({ ends: false })
  const answer = page.call('complete', 'Hello')
  await shows('Grüße, ')
  await page.call('stop')
  expect(await answer).toBeNull()
  await waitUntilLeft(stopped)
  await shown().toMatchObject({ status: 'ready', text: 'Grüße, ', error: null })

  const replaced = answerInTwo({ ends: false })
  await page.call('begin', 'Hello')
  await shows('Grüße, ')
  stage.says('openai', { text: ['Another'] })
  expect(await page.call('complete', 'Hello again')).toBe('Another')
  await waitUntilLeft(replaced)
  await shown().toMatchObject({ status: 'ready', text: 'Another', error: null })

  const closed = answerInTwo({ ends: false })
  await page.call('begin', 'Hello')
  await shows('Grüße, ')
  await page.call('close')
  await waitUntilLeft(closed)
  expect(page.takeErrors()).toEqual([])
})

test('a function that is written in place costs one token, however often the page renders', async () => {
  await open(project)
  stage.says('openai', { text: ['One'] })
  for (let i = 0; i < 3; i++) {
    await page.call('renderAgain')
    expect(await page.call('complete', 'Hello')).toBe('One')
  }
  expect(await page.call('loads')).toBe(1)
})

test('a full limit is a sentence that says when to try again', async () => {
  await open(await makeProject({ rpm_limit: 1 }))
  stage.says('openai', { text: ['One'] })
  await page.call('complete', 'Hello')
  let answer = await page.call('complete', 'Hello')
  // The minute may have ended between the two.
  if (answer !== null) answer = await page.call('complete', 'Hello')
  expect(answer).toBeNull()
  await shown().toMatchObject({
    status: 'error',
    text: '',
    error: expect.stringMatching(/^API rate limit exceeded\. Try again in \d+ seconds?\.$/),
    limits: { requests: { limit: 1, remaining: 0 } },
  })
  const until = await page.evaluate('pageFunctions.read().limits.blockedUntil > new Date()')
  expect(until).toBe(true)
})

test('refusals and broken answers are sentences, and what had arrived stays', async () => {
  const own = await makeProject()
  await open(own)
  const { goOn } = answerInTwo()
  const answer = page.call('complete', 'Hello')
  await shows('Grüße, ')
  await stage.stop(own)
  expect(await answer).toBeNull()
  goOn()
  const sentence = 'Service disabled by kill switch.'
  await shown().toMatchObject({ status: 'error', text: 'Grüße, ', error: sentence })
  await page.call('complete', 'Hello')
  await shown().toMatchObject({ status: 'error', text: '', error: sentence })

  await open({ ...own, baseURL: own.baseURL.replace(/:\d+/, ':1') })
  await page.call('complete', 'Hello')
  await shown().toMatchObject({
    code: 'UNREACHABLE',
    error: expect.stringMatching(/^Could not reach http.*\? Try again\.$/),
  })
})
