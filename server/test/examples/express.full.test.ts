// The Express example, installed from its lockfile: a page on another origin streams an answer through the OpenAI
// client.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, type TestBrowser } from '../support/programs/browsers.ts'
import {
  addressOf,
  allowOrigin,
  chat,
  type ExampleStage,
  installExample,
  startExample,
  startExampleStage,
} from './example-stage.ts'

let stage: ExampleStage
let browser: TestBrowser
let example: Awaited<ReturnType<typeof installExample>>
beforeAll(async () => {
  example = await installExample('express', ['sdk'])
  stage = await startExampleStage()
  browser = await openBrowser('chromium')
})
afterAll(async () => {
  await browser?.close()
  await stage?.end()
  example?.remove()
})

const start = (env: Record<string, string>) => startExample(example.folder, { PORT: '0', ...env })

test('a page on another origin shows the answer, and why it gets none', async () => {
  const running = await start({ SALLYPORT_URL: stage.projectUrl, SALLYPORT_API_KEY: stage.project.apiKey })
  const origin = await addressOf(running)
  const page = await browser.openPage(origin)
  expect(await chat(page, 'Hello')).toContain(`is this page's origin, ${origin}, in cors_origins, and deployed?`)
  await allowOrigin(stage, origin)
  stage.says('openai', { text: ['Grüße, ', '世界'] })
  expect(await chat(page, 'Hello')).toBe('Grüße, 世界')
  await stage.stop(stage.project)
  expect(await chat(page, 'Hello')).toBe('403 Service disabled by kill switch')
  await page.close()
})

test('a token that cannot be minted is shown in the gateway’s words', async () => {
  const apiKey = `service_sk_live_${'0'.repeat(32)}`
  const running = await start({ SALLYPORT_URL: stage.projectUrl, SALLYPORT_API_KEY: apiKey })
  const page = await browser.openPage(await addressOf(running))
  expect(await chat(page, 'Hello')).toBe('502 Invalid API key')
  await page.close()
})

test('without its settings it says which are missing', async () => {
  const running = await start({})
  expect(await running.exitCode).toBe(1)
  expect(running.stderr()).toMatch(/^Set SALLYPORT_URL .* SALLYPORT_API_KEY/)
})
