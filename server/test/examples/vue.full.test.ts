// The Vue example, installed from its lockfile and started with Vite: without a server and without an account, a page of
// another origin than the gateway's streams answers of a required prompt.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, type TestBrowser } from '../support/programs/browsers.ts'
import { findFreePort } from '../support/server-process.ts'
import { writeInTwo } from '../support/simulated/write-in-two.ts'
import {
  addressOf,
  type ExampleStage,
  installExample,
  openProjectTo,
  startExample,
  startExampleStage,
} from './example-stage.ts'

let stage: ExampleStage
let browser: TestBrowser
let installed: Awaited<ReturnType<typeof installExample>>
beforeAll(async () => {
  installed = await installExample('vue', ['sdk'])
  stage = await startExampleStage()
  browser = await openBrowser('chromium')
})
afterAll(async () => {
  await browser?.close()
  await stage?.end()
  installed?.remove()
})

test('a page streams, stops, and shows why it gets no answer', async () => {
  const env = { SALLYPORT_URL: stage.projectUrl, PORT: String(await findFreePort()) }
  const origin = await addressOf(await startExample(installed.folder, env))
  await openProjectTo(stage, origin)
  const opened = await browser.openPage(origin)
  const { page } = opened
  const ask = async (message: string): Promise<void> => {
    await page.waitForSelector('[name=send]:not(:disabled)')
    await page.type('[name=message]', message)
    await page.click('[name=send]')
  }
  const isShown = (selector: string, text: string) =>
    page.waitForFunction(`document.querySelector('${selector}')?.textContent.endsWith('${text}')`)

  const whole = writeInTwo(['Grüße, '], ['世界'])
  stage.answers('openai', whole.answer)
  await ask('Hello')
  await isShown('output', 'Grüße, ')
  whole.goOn()
  await isShown('output', 'Grüße, 世界')
  const instructions = { role: 'system', content: 'Answer briefly.' }
  expect(stage.sent('openai').at(-1)?.['messages']).toEqual([instructions, { role: 'user', content: 'Hello' }])

  const stopped = writeInTwo(['Grüße, '], ['世界'], { ends: false })
  stage.answers('openai', stopped.answer)
  await ask('Again')
  await isShown('output', 'Grüße, ')
  await page.click('[name=stop]')
  await page.waitForSelector('[name=send]:not(:disabled)')
  stopped.goOn()
  await stopped.isClosed
  expect(opened.takeErrors()).toEqual([])

  await stage.stop(stage.project)
  await ask('Once more')
  await isShown('[role=alert]', 'Service disabled by kill switch')
  await opened.close()
})

test('without the address of a project it says what is missing', async () => {
  const running = await startExample(installed.folder, {})
  expect(await running.exitCode).toBe(1)
  expect(running.stderr()).toContain('Set SALLYPORT_URL to the address of your project.')
})
