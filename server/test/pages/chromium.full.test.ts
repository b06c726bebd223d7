// The documentation in Chromium, used as a person uses it. The dashboard's tests are in dashboard/test/.
import axe from 'axe-core'
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

test('the search field suggests as one types, and Enter leads to the page of results', async () => {
  await withPage('/docs', async opened => {
    const { page } = opened
    const urls = (await searchFor(opened, 'webhok')).map(({ url }) => url)
    expect(urls).toContain('/docs/webhooks')
    expect(urls.at(-1)).toMatch(/\/docs\/search\?q=webhok$/)
    // Arrows move through the suggestions and back to the field; Escape closes them.
    await page.keyboard.press('ArrowDown')
    expect(await page.evaluate('document.activeElement.getAttribute("href")')).toBe(urls[0])
    await page.keyboard.press('ArrowUp')
    expect(await page.evaluate('document.activeElement.id')).toBe('q')
    await page.keyboard.press('Escape')
    expect(await page.$eval('#results', results => results.hasAttribute('hidden'))).toBe(true)
    expect(await searchFor(opened, 'xylophone')).toEqual([])
    expect(await textOf(opened, '#results')).toBe('Nothing found.')
    // Markup in a query stays text.
    await searchFor(opened, '<img src=x onerror=alert(1)>')
    expect(await page.$('#results img')).toBeNull()
    await searchFor(opened, 'clerk')
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')])
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/docs/search?q=clerk')
    await Promise.all([page.waitForNavigation(), page.evaluate(`document.querySelector('.hits a').click()`)])
    expect(new URL(page.url()).pathname).toBe('/docs/guide-identity-providers')
  })
})

test('without scripts, the search, the list of pages and the reference work', async () => {
  await withPage('/docs', async ({ page }) => {
    await page.setJavaScriptEnabled(false)
    await page.goto(`${origin}/docs/start`)
    await page.type('#q', 'webhok')
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')])
    expect(page.url()).toBe(`${origin}/docs/search?q=webhok`)
    expect(await page.content()).toContain('href="/docs/webhooks"')
    await page.goto(`${origin}/docs/api/tokens`)
    expect(await page.content()).toContain('id="mintToken"')
  })
})

test('a button copies a block of code; pages without a clipboard select it', async () => {
  await withPage('/docs/start', async ({ page }) => {
    const [code = ''] = await page.$$eval('pre', blocks => blocks.map(block => block.textContent ?? ''))
    const copied = `new Promise(resolve => {
      navigator.clipboard.writeText = async text => resolve(text)
      document.querySelector('.code button').click()
    })`
    expect(await page.evaluate(copied)).toBe(code)
    await page.waitForFunction(`document.querySelector('.code button').textContent === 'Copied'`)
    await page.reload()
    await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`)
    await page.evaluate(`document.querySelector('.code button').click()`)
    await page.waitForFunction(`document.querySelector('.code button').textContent === 'Selected'`)
    expect(await page.evaluate('getSelection().toString().trim()')).toBe(code.trim())
  })
})

test('each page of the list leads to the next and the one before', async () => {
  await withPage('/docs/start', async ({ page }) => {
    const next = () => page.evaluate(`document.querySelector('a[rel=next]').click()`)
    await Promise.all([page.waitForNavigation(), next()])
    expect(new URL(page.url()).pathname).toBe('/docs/dashboard')
    const previous = () => page.evaluate(`document.querySelector('a[rel=prev]').click()`)
    await Promise.all([page.waitForNavigation(), previous()])
    expect(new URL(page.url()).pathname).toBe('/docs/start')
    expect(await page.$('a[rel=prev]')).toBeNull()
  })
})

const looks = [390, 1440].flatMap(width => ['light', 'dark'].map(scheme => [width, scheme] as const))
test.each(looks)('axe finds nothing at a width of %d in the %s scheme', async (width, scheme) => {
  await withPage('/docs', async ({ page }) => {
    await page.setViewport({ width, height: 900 })
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
    for (const path of [
      '/docs',
      '/docs/start',
      '/docs/sdk',
      '/docs/search?q=webhok',
      '/docs/api',
      '/docs/api/tokens',
    ]) {
      await page.goto(origin + path)
      // The tools of the browser are not bound by the policy of the page.
      await page.evaluate(axe.source)
      const found = await page.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
        violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ' ' + target + ' ' + failureSummary)))`)
      expect([path, found]).toEqual([path, []])
    }
  })
})

test.each([360, 1280])('pages fit a width of %d, and follow the dark scheme', async width => {
  await withPage('/docs/start', async ({ page }) => {
    await page.setViewport({ width, height: 800 })
    for (const path of [
      '/docs/start',
      '/docs/errors',
      '/docs/kv-schema',
      '/',
      '/docs/api',
      '/docs/api/costs',
      '/docs/search?q=cors',
    ]) {
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
