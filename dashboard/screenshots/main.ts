// Takes the pictures of the dashboard in docs/images/dashboard from a seeded installation (`npm run docs:screenshots`).
// Needs Chromium; times and ids in the pictures differ from run to run. With names of pictures, takes only those. With
// `--every`, takes every screen in place of them, to look at.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'puppeteer-core'
import { openBrowser, type TestBrowser } from '../../server/test/support/programs/browsers.ts'
import { compressPng } from './compress-png.ts'
import { takeEveryScreen } from './every-screen.ts'
import { type Installation, owner, startInstallation } from './installation.ts'
import { type Scene, scenes } from './scenes.ts'
import { fullSize, type Seeded, seed } from './seed.ts'
import { seedRest } from './seed-rest.ts'

const folder = join(import.meta.dirname, '../../docs/images/dashboard')
const desktop = { width: 1280, height: 800, deviceScaleFactor: 1 }
/** Enough for every screen to have something to show. */
const smallSize = { days: [8, 9, 7, 11, 5, 4, 9], minutes: [3, 5, 4, 9, 2, 4] }
const phone = { width: 390, height: 780, deviceScaleFactor: 1.5 }

async function takePicture(browser: TestBrowser, { origin }: Installation, seeded: Seeded, scene: Scene) {
  // A page of the same origin that needs no session.
  const { page, close } = await browser.openPage(`${origin}/llms.txt`)
  try {
    await page.emulateTimezone('UTC')
    await page.setViewport(scene.isPhone ? phone : desktop)
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scene.scheme ?? 'light' }])
    await signIn(page)
    await page.goto(origin + scene.path(seeded), { waitUntil: 'load' })
    await scene.prepare(page)
    // No focus ring and no pointer in the picture, and all requests of the screen answered.
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
    await page.waitForNetworkIdle({ concurrency: 1, idleTime: 300 })
    const picture = Buffer.from(await page.screenshot())
    writeFileSync(join(folder, `${scene.name}.png`), compressPng(picture))
  } catch (cause) {
    throw new Error(`${scene.name}: the page says ${await page.evaluate('document.body.innerText')}`, { cause })
  } finally {
    await close()
  }
}

async function signIn(page: Page): Promise<void> {
  const status = await page.evaluate(async body => {
    const headers = { 'content-type': 'application/json' }
    return (await fetch('/auth/v1/sessions?cookie=true', { method: 'POST', headers, body })).status
  }, JSON.stringify(owner))
  if (status !== 200) throw new Error(`the sign-in was answered with ${status}`)
}

async function takeEvery(installation: Installation, words: readonly string[]): Promise<void> {
  const ids = await seedRest(installation, await seed(installation, smallSize))
  const browser = await openBrowser('chromium')
  try {
    const { page } = await browser.openPage(`${installation.origin}/llms.txt`)
    await page.emulateTimezone('UTC')
    await signIn(page)
    await page.goto(`${installation.origin}/app`)
    await takeEveryScreen(page, ids, words)
  } finally {
    await browser.close()
  }
}

async function takeAll(installation: Installation, chosen: Scene[]): Promise<void> {
  const seeded = await seed(installation, fullSize)
  const browser = await openBrowser('chromium')
  try {
    for (const scene of chosen) {
      await takePicture(browser, installation, seeded, scene)
      console.log(`docs/images/dashboard/${scene.name}.png`)
    }
  } finally {
    await browser.close()
  }
}

const isEvery = process.argv.includes('--every')
const names = process.argv.slice(2).filter(name => name !== '--every')
const chosen = names.length === 0 ? scenes : scenes.filter(({ name }) => names.includes(name))
mkdirSync(folder, { recursive: true })
const installation = await startInstallation()
try {
  await (isEvery ? takeEvery(installation, names) : takeAll(installation, chosen))
} finally {
  await installation.stop()
}
