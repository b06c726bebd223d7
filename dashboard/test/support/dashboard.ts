// The dashboard as a person uses it: a started product, Chromium, signed-in pages. Fails if a page throws, logs an
// error or breaks its policy, and measures accessibility with axe-core.
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import axe from 'axe-core'
import { expect } from 'vitest'
import { startInThisProcess } from '../../../server/test/support/product-in-process.ts'
import { type SharedBrowser, shareBrowser, type TestPage } from '../../../server/test/support/programs/browsers.ts'
import type { Product } from '../../../server/test/support/start-product.ts'
import { makeDataFolder } from '../../../server/test/support/worlds.ts'
import { clickOn as clickOnPage } from './click-on.ts'

const ownerEmail = 'owner@example.com'
const ownerPassword = 'correct horse battery staple'
export const owner = { email: ownerEmail, password: ownerPassword }
const screenshotFolder = join(import.meta.dirname, '../.screenshots')
/** A phone of the smallest size in use. */
const phone = { width: 360, height: 740 }
const tablet = { width: 834, height: 1112 }
const desktop = { width: 1280, height: 900 }
/** Reading the text of a page before each frame would occupy a tenth of a core. */
const pollMs = 50

/** What people may type into any field. None of it may run or break the page. */
export const hostileTexts = [
  '<img src=x onerror="window.hostile=1">',
  `"><script>window.hostile=1</script>' OR 1=1 --`,
  'مرحبا \u202Ereversed\u202C {{7*7}} %{7*7}',
  'x'.repeat(250),
]

type Page = TestPage<Record<string, never>>['page']

export interface Dashboard {
  product: Product
  browser: SharedBrowser
  origin: string
  stop(): Promise<void>
  /** A call of the management API as the owner, or with another session. */
  call<Answer = Record<string, string>>(method: string, path: string, body?: object, session?: string): Promise<Answer>
  /** Signs in over HTTP and returns the session's token. */
  openSession(email?: string, password?: string): Promise<string>
  /** Opens a page with cookies of its own, signed in as the owner. Fails at its end if it saw an error. */
  visit(path: string, use: (screen: Screen) => Promise<void>, options?: VisitOptions): Promise<void>
}

interface VisitOptions {
  /** False to see the sign-in form. */
  isSignedIn?: boolean
  email?: string
  password?: string
}

export async function startDashboard(env: Record<string, string> = {}): Promise<Dashboard> {
  const folder = makeDataFolder()
  const product = await startInThisProcess({
    DATA_DIR: folder,
    BOOTSTRAP_EMAIL: ownerEmail,
    BOOTSTRAP_PASSWORD: ownerPassword,
    ...env,
  })
  const browser = await shareBrowser('chromium')
  const origin = `http://localhost:${product.port}`
  const send = (method: string, path: string, body?: object, session?: string) =>
    fetch(product.baseUrl + path, {
      method,
      headers: {
        ...(session === undefined ? {} : { authorization: `Bearer ${session}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const openSession = async (email = ownerEmail, password = ownerPassword): Promise<string> => {
    const answer = await (await send('POST', '/auth/v1/sessions', { email, password })).json()
    return (answer as { session_token: string }).session_token
  }
  let ownerSession: string | undefined
  return {
    product,
    browser,
    origin,
    async stop() {
      await product.stop()
      rmSync(folder, { recursive: true })
    },
    async call(method, path, body, session) {
      ownerSession ??= await openSession()
      const response = await send(method, path, body, session ?? ownerSession)
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
      return text === '' ? null : JSON.parse(text)
    },
    openSession,
    visit: (path, use, options = {}) => visit(browser, origin, path, use, options),
  }
}

async function visit(
  browser: SharedBrowser,
  origin: string,
  path: string,
  use: (screen: Screen) => Promise<void>,
  { isSignedIn = true, email = ownerEmail, password = ownerPassword }: VisitOptions,
): Promise<void> {
  // A page of the same origin that needs no session, so that the first page is the one that the test asked for.
  const opened: TestPage<Record<string, never>> = await browser.openPage(origin + (isSignedIn ? '/llms.txt' : path))
  const screen = createScreen(opened, origin)
  try {
    await opened.page.setViewport(desktop)
    if (isSignedIn) {
      await signInByCookie(opened.page, email, password)
      await screen.open(path)
    }
    await use(screen)
    screen.expectNoErrors()
    expect(await opened.page.evaluate('window.hostile')).toBeUndefined()
  } catch (error) {
    mkdirSync(screenshotFolder, { recursive: true })
    await opened.page.screenshot({ path: join(screenshotFolder, `failed-${process.pid}.png`), fullPage: true })
    throw error
  } finally {
    await opened.close()
  }
}

async function signInByCookie(page: Page, email: string, password: string): Promise<void> {
  const status = await page.evaluate(async body => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch('/auth/v1/sessions?cookie=true', { method: 'POST', headers, body })
    return response.status
  }, JSON.stringify({ email, password }))
  expect(status).toBe(200)
}

export type Screen = ReturnType<typeof createScreen>

function createScreen({ page, takeErrors }: TestPage<Record<string, never>>, origin: string) {
  const text = () => page.evaluate('document.body.innerText').then(String)
  const waitForText = async (expected: string): Promise<void> => {
    try {
      await page.waitForFunction(wanted => document.body.innerText.includes(wanted), { polling: pollMs }, expected)
    } catch (cause) {
      throw new Error(`“${expected}” did not appear at ${page.url()}; the page says: ${await text()}`, { cause })
    }
  }
  const clickOn = (selector: string): Promise<void> => clickOnPage(page, selector)
  return {
    page,
    text,
    waitForText,
    open: (path: string) => page.goto(origin + path, { waitUntil: 'load' }),
    path: () => new URL(page.url()).pathname,
    /** Waits until the path of the address is this one. */
    waitForPath: (path: string) =>
      page.waitForFunction(wanted => location.pathname === wanted, { polling: pollMs }, path),
    /** Clicks a button, a link or a box by its accessible name, as puppeteer's `aria/` finds it, once it is not off. */
    click: (name: string, role: 'button' | 'link' | 'checkbox' = 'button') => clickOn(`aria/${name}[role="${role}"]`),
    clickOn,
    submitDialog: () => clickOn('dialog button[type=submit]'),
    /** Replaces the value of a field, by its label. */
    async fill(label: string, value: string): Promise<void> {
      const field = await page.waitForSelector(`aria/${label}`)
      if (field === null) throw new Error(`no field “${label}”`)
      await field.evaluate(element => (element as HTMLInputElement).select())
      await page.keyboard.press('Backspace')
      // Types control and combining characters as they are.
      await page.keyboard.sendCharacter(value)
    },
    /** Chooses the option of a `<select>` by its value. */
    async choose(label: string, value: string): Promise<void> {
      const field = await page.waitForSelector(`aria/${label}`)
      await field?.select(value)
    },
    valueOf: async (label: string): Promise<string> => {
      const field = await page.waitForSelector(`aria/${label}`)
      return String(await field?.evaluate(element => (element as HTMLInputElement).value))
    },
    expectAccessible: () => expectAccessible(page),
    /** As `expectAccessible`, on a tablet in the dark scheme alone: the colours do not depend on the width. */
    async expectAccessibleTablet(): Promise<void> {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }])
      await page.setViewport(tablet)
      await expectFitting(page)
      await expect.poll(async () => [page.url(), await findViolations(page)]).toEqual([page.url(), []])
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }])
      await page.setViewport(desktop)
    },
    /** For pages of other origins, whose errors are what the test is about. */
    forgetErrors: () => void takeErrors(),
    /** Refused requests are logged by the browser, too; the screens show them. */
    expectNoErrors(): void {
      expect(takeErrors().filter(error => !/Failed to load resource.*status of [45]\d\d/.test(error))).toEqual([])
    },
  }
}

/**
 * Axe finds nothing in either colour scheme, and a phone shows the screen without scrolling sideways. Each is asked
 * again for a while: the screen may still adapt to the change.
 */
async function expectAccessible(page: Page): Promise<void> {
  for (const [value, rules] of [
    ['light', {}],
    // Nothing else of a screen depends on the scheme.
    ['dark', { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } }],
  ] as const) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }])
    await expect.poll(async () => [value, await findViolations(page, rules)]).toEqual([value, []])
  }
  await page.setViewport(phone)
  await expectFitting(page)
  await expect.poll(async () => ['phone', await findViolations(page)]).toEqual(['phone', []])
  await page.setViewport(desktop)
}

/** The screen does not scroll sideways. */
async function expectFitting(page: Page): Promise<void> {
  const overflow = async () =>
    Number(await page.evaluate('Math.max(0, document.documentElement.scrollWidth - window.innerWidth)'))
  const width = page.viewport()?.width
  await expect.poll(async () => [width, await overflow()], { message: page.url() }).toEqual([width, 0])
}

/** Axe runs in the world of the browser's tools, which the policy of the page does not reach. */
async function findViolations(page: Page, rules: object = {}): Promise<string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe.source)
  const options = JSON.stringify({ resultTypes: ['violations'], ...rules })
  const found = await page.evaluate(`axe.run(document, ${options}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ' ' + target + ' ' + failureSummary)))`)
  return found as string[]
}
