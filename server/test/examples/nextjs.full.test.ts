// The Next.js example, installed from its lockfile and started with `next dev`: `useChat` streams from the gateway, with
// tokens of the route handler. `next build` is not run: it would take longer than all other examples together.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, type TestBrowser } from '../support/programs/browsers.ts'
import { findFreePort } from '../support/server-process.ts'
import { writeInTwo } from '../support/simulated/write-in-two.ts'
import {
  addressOf,
  allowOrigin,
  type ExampleStage,
  installExample,
  startExample,
  startExampleStage,
} from './example-stage.ts'

let stage: ExampleStage
let browser: TestBrowser
let installed: Awaited<ReturnType<typeof installExample>>
beforeAll(async () => {
  installed = await installExample('nextjs', ['sdk'])
  stage = await startExampleStage()
  browser = await openBrowser('chromium')
})
afterAll(async () => {
  await browser?.close()
  await stage?.end()
  installed?.remove()
})

const start = async (env: Record<string, string>) =>
  startExample(installed.folder, { PORT: String(await findFreePort()), NEXT_TELEMETRY_DISABLED: '1', ...env })

test('a page streams a conversation, stops, and shows why it gets no answer', async () => {
  const running = await start({ SALLYPORT_URL: stage.projectUrl, SALLYPORT_API_KEY: stage.project.apiKey })
  const origin = await addressOf(running)
  await allowOrigin(stage, origin)
  // The first request waits for the compiler.
  expect((await fetch(origin)).status).toBe(200)
  const { page, close } = await browser.openPage(origin)
  const ask = async (message: string): Promise<void> => {
    await page.waitForSelector('[name=send]:not(:disabled)')
    await page.type('[name=message]', message)
    await page.click('[name=send]')
  }
  const isShown = (selector: string, text: string) =>
    page.waitForFunction(`[...document.querySelectorAll('${selector}')].at(-1)?.textContent === '${text}'`)

  const whole = writeInTwo(['Grüße, '], ['世界'])
  stage.answers('openai', whole.answer)
  await ask('Hello')
  await isShown('[data-role=assistant]', 'Grüße, ')
  whole.goOn()
  await isShown('[data-role=assistant]', 'Grüße, 世界')

  const stopped = writeInTwo(['Another'], [' one'], { ends: false })
  stage.answers('openai', stopped.answer)
  await ask('Again')
  await isShown('[data-role=assistant]', 'Another')
  await page.click('[name=stop]')
  stopped.goOn()
  await stopped.isClosed
  expect(stage.sent('openai').at(-1)?.['messages']).toEqual([
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'Grüße, 世界' },
    { role: 'user', content: 'Again' },
  ])

  await stage.stop(stage.project)
  await ask('Once more')
  await isShown('[role=alert]', 'Service disabled by kill switch')
  await close()
})

test('without its settings it says which are missing', async () => {
  const running = await start({})
  expect(await running.exitCode).not.toBe(0)
  expect(running.stderr()).toMatch(/^Set SALLYPORT_URL .* SALLYPORT_API_KEY/m)
})
