// What the examples of a page without a server have in common, installed from their lockfiles and started with Vite:
// without an account, a page of another origin than the gateway's streams answers of a required prompt.
import type { Page } from 'puppeteer-core'
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

interface ChatExample {
  /** The folder of the example. */
  name: string
  /** The folders of the packages that it installs. */
  packages: string[]
}

interface ChatPage {
  page: Page
  ask(message: string): Promise<void>
  /** Waits until the text of an element ends so. */
  isShown(selector: string, text: string): Promise<unknown>
}

/** `lookFurther` looks at what only this page shows, after its first answer. */
export function testChat({ name, packages }: ChatExample, lookFurther: (shown: ChatPage) => Promise<unknown>): void {
  let stage: ExampleStage
  let browser: TestBrowser
  let installed: Awaited<ReturnType<typeof installExample>>
  beforeAll(async () => {
    installed = await installExample(name, packages)
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
    const shown = chatOn(opened.page)
    await streamAnswer(stage, shown)
    await lookFurther(shown)
    await stopAnswer(stage, shown)
    expect(opened.takeErrors()).toEqual([])
    await stage.stop(stage.project)
    await shown.ask('Once more')
    await shown.page.waitForFunction(
      'document.querySelector("[role=alert]")?.textContent.startsWith("Service disabled by kill switch")',
    )
    await opened.close()
  })

  test('without the address of a project it says what is missing', async () => {
    const running = await startExample(installed.folder, {})
    expect(await running.exitCode).toBe(1)
    expect(running.stderr()).toContain('Set SALLYPORT_URL to the address of your project.')
  })
}

const chatOn = (page: Page): ChatPage => ({
  page,
  async ask(message) {
    await page.waitForSelector('[name=send]:not(:disabled)')
    await page.type('[name=message]', message)
    await page.click('[name=send]')
  },
  isShown: (selector, text) =>
    page.waitForFunction(`document.querySelector('${selector}')?.textContent.endsWith('${text}')`),
})

async function streamAnswer(stage: ExampleStage, { ask, isShown }: ChatPage): Promise<void> {
  const whole = writeInTwo(['Grüße, '], ['世界'])
  stage.answers('openai', whole.answer)
  await ask('Hello')
  await isShown('output', 'Grüße, ')
  whole.goOn()
  await isShown('output', 'Grüße, 世界')
  const instructions = { role: 'system', content: 'Answer briefly.' }
  expect(stage.sent('openai').at(-1)?.['messages']).toEqual([instructions, { role: 'user', content: 'Hello' }])
}

async function stopAnswer(stage: ExampleStage, { page, ask, isShown }: ChatPage): Promise<void> {
  const stopped = writeInTwo(['Grüße, '], ['世界'], { ends: false })
  stage.answers('openai', stopped.answer)
  await ask('Again')
  await isShown('output', 'Grüße, ')
  await page.click('[name=stop]')
  await page.waitForSelector('[name=send]:not(:disabled)')
  stopped.goOn()
  await stopped.isClosed
}
