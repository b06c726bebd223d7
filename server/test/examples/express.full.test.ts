// The Express example, installed from its lockfile: a page on another origin streams answers, stops them, and finds its
// conversations again.
import axe from 'axe-core'
import type { Page } from 'puppeteer-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, type TestBrowser } from '../support/programs/browsers.ts'
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

async function openReady(origin: string) {
  const opened = await browser.openPage(origin)
  await opened.page.waitForSelector('form[data-ready]')
  return opened
}

async function send(page: Page, message: string): Promise<void> {
  await page.type('textarea', message)
  await page.keyboard.press('Enter')
}

const bubbles = (page: Page) => page.$$eval('#messages p', all => all.map(each => each.textContent ?? ''))
const alertOf = (page: Page) => page.$eval('[role=alert]', alert => alert.textContent ?? '')
const historyOf = (page: Page) => page.$$eval('#history a', links => links.map(link => link.textContent ?? ''))
const click = (page: Page, selector: string) => page.evaluate(`document.querySelector('${selector}').click()`)
const patience = { timeout: 30_000 }

test('a page on another origin streams, stops, keeps its conversations, and says why it gets no answer', async () => {
  const running = await start({ SALLYPORT_URL: stage.projectUrl, SALLYPORT_API_KEY: stage.project.apiKey })
  const origin = await addressOf(running)
  const { page, close } = await openReady(origin)
  await expect
    .poll(() => alertOf(page), patience)
    .toContain(`is this page's origin, ${origin}, in cors_origins, and deployed?`)
  await allowOrigin(stage, origin)
  await page.reload()
  await page.waitForSelector('form[data-ready]')
  expect(await alertOf(page)).toBe('')

  stage.says('openai', { text: ['Grüße, ', '世界'] })
  await send(page, 'Hello')
  await expect.poll(() => bubbles(page), patience).toEqual(['Hello', 'Grüße, 世界'])
  await expect.poll(() => historyOf(page), patience).toEqual(['Hello'])
  await page.reload()
  await expect.poll(() => bubbles(page), patience).toEqual(['Hello', 'Grüße, 世界'])

  // An answer that does not end by itself.
  const endless = writeInTwo(['Once upon '], ['a time'], { ends: false })
  stage.answers('openai', endless.answer)
  await click(page, '#new')
  await expect.poll(() => bubbles(page), patience).toEqual([])
  await send(page, 'Tell me a story')
  await expect.poll(() => bubbles(page), patience).toEqual(['Tell me a story', 'Once upon '])
  await click(page, '[name=stop]')
  await page.waitForSelector('#messages .stopped', patience)
  await page.waitForSelector('[name=send]:not(:disabled)', patience)
  endless.goOn()
  await endless.isClosed

  await stage.stop(stage.project)
  await send(page, 'More')
  await expect.poll(() => alertOf(page), patience).toBe('Service disabled by kill switch.')
  await close()
})

test.each(['light', 'dark'])('fits a phone, and axe finds nothing in the %s scheme', async scheme => {
  const running = await start({ SALLYPORT_URL: stage.projectUrl, SALLYPORT_API_KEY: stage.project.apiKey })
  const { page, close } = await openReady(await addressOf(running))
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
  for (const width of [360, 1440]) {
    await page.setViewport({ width, height: 740 })
    await page.reload()
    await page.waitForSelector('form[data-ready]')
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true)
    expect(await page.$eval('details', history => history.hasAttribute('open'))).toBe(width > 800)
    await page.evaluate(axe.source)
    const found = await page.evaluate(
      `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id }) => id))`,
    )
    expect([width, found]).toEqual([width, []])
  }
  await close()
})

test('a token that cannot be minted is shown in the gateway’s words', async () => {
  const apiKey = `service_sk_live_${'0'.repeat(32)}`
  const running = await start({ SALLYPORT_URL: stage.projectUrl, SALLYPORT_API_KEY: apiKey })
  const { page, close } = await openReady(await addressOf(running))
  await expect.poll(() => alertOf(page), patience).toContain('Invalid API key')
  await close()
})

test('without its settings it says which are missing', async () => {
  const running = await start({})
  expect(await running.exitCode).toBe(1)
  expect(running.stderr()).toMatch(/^Set SALLYPORT_URL .* SALLYPORT_API_KEY/)
})
