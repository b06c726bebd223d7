// The example without a backend: a page of another origin gets an answer with the token of an identity provider.
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, type TestBrowser } from '../support/programs/browsers.ts'
import { addressOf, chat, type ExampleStage, examples, startExample, startExampleStage } from './example-stage.ts'

let stage: ExampleStage
let browser: TestBrowser
beforeAll(async () => {
  stage = await startExampleStage({ OUTBOUND_ALLOW: 'localhost', SYNC_INTERVAL: '1', CONFIG_CACHE_TTL: '1' })
  browser = await openBrowser('chromium')
})
afterAll(async () => {
  await browser?.close()
  await stage?.end()
})

test('a page chats with the identity provider’s token', async () => {
  const { projectUrl, project, sessionToken } = stage
  const example = await startExample(join(examples, 'identity-provider'), {
    ...{ PORT: '0', ISSUER_PORT: '0' },
    ...{ SALLYPORT_URL: projectUrl, SALLYPORT_PROJECT: project.id, SALLYPORT_SESSION: sessionToken },
  })
  const page = await browser.openPage(await addressOf(example))
  stage.says('openai', { text: ['Grüße, ', '世界'] })
  await expect.poll(() => chat(page, 'Hello')).toBe('Grüße, 世界')
  const usage = await stage.management.request('GET', '/auth/v1/projects/{projectId}/usage', {
    path: { projectId: project.id },
    query: { group_by: 'uid' },
  })
  expect(JSON.stringify(usage)).toContain('user-1')
  await page.close()
})
