// The documentation in Chromium, used as a person uses it. The dashboard's tests are in dashboard/test/.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, type TestBrowser, type TestPage } from '../support/programs/browsers.ts'
import { type Product, startProduct } from '../support/start-product.ts'

let product: Product
let browser: TestBrowser
let origin: string
beforeAll(async () => {
  product = await startProduct()
  origin = `http://localhost:${product.port}`
  browser = await openBrowser('chromium')
})
afterAll(async () => {
  await browser?.close()
  await product?.stop()
})

type Opened = TestPage<Record<string, never>>

/** Fails a test whose page breaks its own policy or throws. */
async function withPage(path: string, use: (opened: Opened) => Promise<void>): Promise<void> {
  const opened: Opened = await browser.openPage(origin + path)
  try {
    await use(opened)
    // Refused requests are logged too; they are part of the tests.
    expect(opened.takeErrors().filter(error => !/status of 4\d\d/.test(error))).toEqual([])
  } finally {
    await opened.close()
  }
}

const textOf = ({ page }: Opened, selector: string) => page.$eval(selector, element => element.textContent ?? '')

async function searchFor(opened: Opened, query: string): Promise<{ url: string; text: string }[]> {
  const { page } = opened
  await page.$eval('#q', input => Reflect.set(input, 'value', ''))
  await page.type('#q', query)
  await page.waitForFunction(`document.querySelector('#results').dataset.query === ${JSON.stringify(query)}`)
  return await page.$$eval('#results a', links =>
    links.map(link => ({ url: link.getAttribute('href') ?? '', text: link.textContent ?? '' })),
  )
}

test('the search finds what people look for', async () => {
  const expected = {
    CORS: '/docs/troubleshooting#cors',
    'rate limit': '/docs/gateway#rate-limits-and-token-budgets',
    'prompt injection': '/docs/guardrails#sentinel-prompt-injection-and-jailbreaks',
    rotate: '/docs/operations#rotate-keys-without-downtime',
    Clerk: '/docs/guide-identity-providers',
    '402': '/docs/troubleshooting#402-quota_exceeded',
    deploy: '/docs/concepts#draft-and-deploy',
    'blocked user': '/docs/troubleshooting#blocked-user',
    streaming: '/docs/data-plane#streaming',
  }
  await withPage('/docs', async opened => {
    for (const [query, url] of Object.entries(expected)) {
      const found = (await searchFor(opened, query)).map(result => result.url)
      expect(found, `${query}: ${found.join(' ')}`).toContain(url)
    }
    expect(await searchFor(opened, 'xylophone')).toEqual([])
    expect(await textOf(opened, '#results')).toBe('Nothing found.')
    // Markup in a query stays text.
    expect(await searchFor(opened, '<img src=x onerror=alert(1)>')).toEqual([])
    await searchFor(opened, 'clerk')
    await Promise.all([opened.page.waitForNavigation(), opened.page.keyboard.press('Enter')])
    expect(new URL(opened.page.url()).pathname).toBe('/docs/guide-identity-providers')
  })
})

test.each([360, 1280])('pages fit a width of %d, and follow the dark scheme', async width => {
  await withPage('/docs/start', async ({ page }) => {
    await page.setViewport({ width, height: 800 })
    for (const path of ['/docs/start', '/docs/errors', '/docs/kv-schema', '/', '/docs/api']) {
      await page.goto(origin + path)
      const overflow = Number(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth'))
      expect([path, overflow <= 0]).toEqual([path, true])
    }
    await page.goto(`${origin}/docs/start`)
    expect(await page.$eval('nav details', details => details.hasAttribute('open'))).toBe(width > 900)
    const backgroundOf = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
    const colours = new Set<string>()
    for (const value of ['light', 'dark']) {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }])
      colours.add(String(await backgroundOf()))
    }
    expect(colours.size).toBe(2)
  })
})
