// The search of the documentation, as the search field and as a browser without scripts ask for it.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Hit } from '../../src/pages/search/search-index.ts'
import { type Product, startProduct } from '../support/start-product.ts'

const domain = join(import.meta.dirname, '../../src/domain')

let product: Product
beforeAll(async () => {
  product = await startProduct()
})
afterAll(() => product?.stop())

async function search(query: string): Promise<Hit[]> {
  const response = await fetch(`${product.baseUrl}/docs/search.json?${new URLSearchParams({ q: query })}`)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
  return ((await response.json()) as { hits: Hit[] }).hits
}

async function readResults(query: string): Promise<string> {
  const response = await fetch(`${product.baseUrl}/docs/search?${new URLSearchParams({ q: query })}`)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  return await response.text()
}

describe('the search finds', () => {
  test.each([
    ['a word', 'CORS', '/docs/troubleshooting#cors'],
    ['two words', 'rate limit', '/docs/gateway#rate-limits-and-token-budgets'],
    ['a name', 'Clerk', '/docs/guide-identity-providers'],
    ['a status', '402', '/docs/troubleshooting#402-quota_exceeded'],
    ['another form of a word', 'blocked user', '/docs/troubleshooting#blocked-user'],
    ['the beginning of a word', 'rotat', '/docs/operations#rotate-keys-without-downtime'],
    ['a misspelt word', 'webhok', '/docs/webhooks'],
    ['two letters swapped', 'guardrials', '/docs/guardrails'],
    ['two words written as one', 'ratelimit', '/docs/gateway#rate-limits-and-token-budgets'],
    ['another word for the same thing', '2fa', '/docs/second-factors'],
    ['an operation', 'create a webhook', '/docs/api/alerts#createWebhook'],
    ['an operation by its path', 'settings/discard-draft', '/docs/api/settings#discardDraft'],
  ])('%s: %s', async (_what, query, url) => {
    const urls = (await search(query)).map(hit => hit.url)
    expect(urls, `${query}: ${urls.join(' ')}`).toContain(url)
  })

  test.each([
    ['how do I reset a password?', 'reset'],
    ['How can I limit what a user may spend', 'budget'],
    ["why doesn't my browser get an answer: CORS error", 'cors'],
  ])('what a question is about: %s', async (question, word) => {
    const shown = (await search(question)).slice(0, 3).map(({ title, page, excerpt }) => `${title} ${page} ${excerpt}`)
    expect(shown.join(' ').toLowerCase()).toContain(word)
  })

  test('pages for users before decisions of the developers', async () => {
    const urls = (await search('request log')).map(({ url }) => url)
    expect(urls.slice(0, 5).filter(url => url.startsWith('/docs/decisions/'))).toEqual([])
    expect(urls.length).toBeGreaterThan(5)
  })

  test('every error message that somebody pastes', async () => {
    const tables = globSync(['errors.ts', 'errors/*.ts'], { cwd: domain })
    const source = tables.map(name => readFileSync(join(domain, name), 'utf8')).join('\n')
    const messages = [...source.matchAll(/message: (?:'((?:[^'\\]|\\.)+)'|"([^"]+)")/g)].map(([, a, b]) => a ?? b ?? '')
    expect(messages.length).toBeGreaterThan(80)
    const missed: string[] = []
    for (const message of messages) {
      const found = await search(message)
      if (!found.some(({ excerpt }) => excerpt.toLowerCase().includes(message.slice(0, 60).toLowerCase())))
        missed.push(message)
    }
    expect(missed).toEqual([])
  })

  test('operations by their fields, without a list of these in the excerpt', async () => {
    const hit = (await search('createWebhook types')).find(({ url }) => url === '/docs/api/alerts#createWebhook')
    expect(hit?.excerpt).toMatch(/^POST \/auth\/v1\/tenants\/\{tenantId\}\/webhooks/)
    expect(hit?.excerpt).not.toMatch(/createWebhook|tenantId url/)
  })

  test('nothing for words that are nowhere', async () => {
    expect(await search('xylophone')).toEqual([])
    expect(await search('')).toEqual([])
    expect(await search('?!')).toEqual([])
  })

  test('something in bounded time for a query of any length', async () => {
    const begun = performance.now()
    expect(await search('webhok '.repeat(2_000).slice(0, 4_000))).not.toEqual([])
    expect(performance.now() - begun).toBeLessThan(5_000)
  })
})

describe('the page of results', () => {
  test('works without scripts: the form of each page leads to it', async () => {
    const page = await (await fetch(`${product.baseUrl}/docs/start`)).text()
    expect(page).toContain('<form role="search" action="/docs/search"')
    expect(page).toMatch(/<input id="q" name="q"/)
    const results = await readResults('clerk')
    expect(results).toContain('<a href="/docs/guide-identity-providers">')
    expect(results).toContain('value="clerk"')
    expect(results).toContain('<title>Search – Sallyport</title>')
  })

  test('says what it took a misspelt word for', async () => {
    expect(await readResults('webhok')).toContain(
      'No page contains &ldquo;webhok&rdquo;. These are results for &ldquo;webhook',
    )
  })

  test('says where to go on if nothing is found', async () => {
    expect(await readResults('xylophone')).toContain('Nothing found.')
    expect(await readResults('')).toContain('paste an error message')
  })

  test('shows markup in a query as text', async () => {
    const results = await readResults('"><img src=x onerror=alert(1)>')
    expect(results).not.toContain('<img')
    expect(results).toContain('&#60;img')
  })
})
