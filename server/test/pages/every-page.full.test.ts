// Pages of the documentation in Chromium: axe finds nothing in either colour scheme, and a phone shows the page without
// scrolling sideways. `npm run prove` looks at all of them.
import axe from 'axe-core'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { openBrowser, type TestBrowser, type TestPage } from '../support/programs/browsers.ts'
import { type Product, startProduct } from '../support/start-product.ts'

let product: Product
let browser: TestBrowser
let opened: TestPage<Record<string, never>>
let paths: string[]
beforeAll(async () => {
  product = await startProduct()
  browser = await openBrowser('chromium')
  opened = await browser.openPage(`http://localhost:${product.port}/docs`)
  paths = await opened.page.$$eval('nav[aria-label=Pages] a', links =>
    links.map(link => link.getAttribute('href') ?? '').filter(path => path.startsWith('/docs')),
  )
})
afterAll(async () => {
  await opened?.close()
  await browser?.close()
  await product?.stop()
})

/** Nothing but contrast depends on the scheme. */
const looks = [
  ['light', {}],
  ['dark', { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } }],
] as const

/** Axe runs in the world of the browser's tools, which the policy of the page does not reach. */
async function findViolations(rules: object): Promise<unknown> {
  const options = JSON.stringify({ resultTypes: ['violations'], ...rules })
  return await opened.evaluate(`axe.run(document, ${options}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ' ' + target)))`)
}

test('the list has the pages of the folder and of the reference', () => {
  expect(paths).toContain('/docs/start')
  expect(paths).toContain('/docs/api/tokens')
  expect(paths.length).toBeGreaterThan(70)
})

/** All of them take axe several minutes. */
const every = inject('prove') ? 1 : 8

test('pages are accessible, and fit a phone', async () => {
  for (const path of paths.filter((_path, index) => index % every === 0)) {
    await opened.page.setViewport({ width: 1280, height: 900 })
    await opened.page.goto(`http://localhost:${product.port}${path}`)
    await opened.page.evaluate(axe.source)
    for (const [value, rules] of looks) {
      await opened.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }])
      expect([path, value, await findViolations(rules)]).toEqual([path, value, []])
    }
    await opened.page.setViewport({ width: 360, height: 740 })
    const overflow = Number(await opened.evaluate('document.documentElement.scrollWidth - window.innerWidth'))
    expect([path, Math.max(0, overflow)]).toEqual([path, 0])
  }
})
