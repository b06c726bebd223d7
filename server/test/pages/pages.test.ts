// The pages as a browser's requests get them: types, policy, caching, methods, hosts, and the switch that turns them
// off.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Product, startProduct } from '../support/start-product.ts'

let product: Product
beforeAll(async () => {
  product = await startProduct()
})
afterAll(() => product?.stop())

const get = (path: string, init: RequestInit = {}) => fetch(product.baseUrl + path, { redirect: 'manual', ...init })
const small = ['/', '/app', '/app/projects/x', '/invite', '/invite?token=x', '/reset', '/sso', '/upgrade', '/device']

describe('every page', () => {
  const docs = [
    '',
    '/',
    '/start',
    '/decisions/0001-runtime-node-26',
    '/api',
    '/api/tokens',
    '/search',
    '/search?q=cors',
  ]
  test.each([...small, ...docs.map(path => `/docs${path}`)])(
    '%s is HTML under a policy without inline code, and not cached',
    async path => {
      const response = await get(path)
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      const policy = response.headers.get('content-security-policy') ?? ''
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toContain('unsafe')
      // Without scripts, the search field sends its form.
      expect(policy).toContain(path.startsWith('/docs') ? "form-action 'self'" : "form-action 'none'")
      expect(response.headers.get('cache-control') ?? '').not.toMatch(/max-age|public/)
      const text = await response.text()
      expect(text).not.toMatch(/<style|style=|<script>|\son\w+=/)
    },
  )

  test('what it loads is cached for a year under a name with its digest', async () => {
    const text = await (await get('/docs/start')).text()
    const assets = [...text.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path = '']) => path)
    expect(assets.map(path => path.replace(/-[0-9a-f]{16}\./, '-*.')).sort()).toEqual([
      '/assets/docs-*.js',
      '/assets/sections-*.json',
      '/assets/style-*.css',
    ])
    for (const path of assets) {
      const response = await get(path)
      expect(response.status).toBe(200)
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(response.headers.get('content-type')).toMatch(
        /^(text\/(css|javascript)|application\/json); charset=utf-8$/,
      )
    }
    const [, picture = ''] = /<img src="([^"]+)"/.exec(await (await get('/docs/concepts')).text()) ?? []
    expect((await get(picture)).headers.get('content-type')).toBe('image/svg+xml; charset=utf-8')
    const [, screenshot = ''] = /<img src="([^"]+)"/.exec(await (await get('/docs/dashboard')).text()) ?? []
    expect(screenshot).toMatch(/^\/assets\/[\w-]+-[0-9a-f]{16}\.png$/)
    const png = await get(screenshot, { headers: { 'accept-encoding': 'gzip' } })
    expect([png.headers.get('content-type'), png.headers.get('content-encoding')]).toEqual(['image/png', null])
    expect(png.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(Buffer.from(await png.arrayBuffer()).toString('hex', 0, 8)).toBe('89504e470d0a1a0a')
    expect((await get('/assets/style-0000000000000000.css')).status).toBe(404)
  })

  test('an icon is where browsers look for one', async () => {
    const response = await get('/favicon.ico')
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/svg+xml; charset=utf-8'])
    expect(await response.text()).toContain('<svg')
  })

  test('what the dashboard loads is cached for a year, and compressed for browsers that accept it', async () => {
    const text = await (await get('/app/projects/x')).text()
    const paths = [...text.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path = '']) => path)
    expect(paths.map(path => path.replace(/-[\w-]{8}\./, '-*.'))).toContain('/assets/libraries-*.js')
    for (const path of paths) {
      const [plain, compressed] = await Promise.all(
        ['identity', 'gzip, deflate, br'].map(encoding => get(path, { headers: { 'accept-encoding': encoding } })),
      )
      expect([plain?.status, plain?.headers.get('content-encoding')]).toEqual([200, null])
      expect(compressed?.headers.get('content-encoding')).toBe('gzip')
      expect(compressed?.headers.get('vary')).toBe('accept-encoding')
      expect(compressed?.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(await compressed?.text()).toBe(await plain?.text())
    }
  })

  test('the SDK is one module that pages of all origins may load', async () => {
    const response = await get('/sdk.js', { headers: { 'accept-encoding': 'gzip', origin: 'https://app.example' } })
    const { headers } = response
    expect([response.status, headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8'])
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('content-encoding')).toBe('gzip')
    expect(headers.get('cache-control')).toBe('public, max-age=300')
    const text = await response.text()
    expect(text).toMatch(/export\s*\{[^}]*anonymousTokens/)
    expect(text).not.toMatch(/\bimport\b/)
    // No other page may be read.
    expect((await get('/app')).headers.get('access-control-allow-origin')).toBeNull()
  })

  test('pages are compressed for browsers that accept it; what depends on a query is not', async () => {
    for (const path of ['/docs/start', '/docs/start.md', '/docs/api/settings', '/docs/nothing', '/app', '/llms.txt']) {
      const [plain, compressed] = await Promise.all(
        ['identity', 'gzip, deflate, br'].map(encoding => get(path, { headers: { 'accept-encoding': encoding } })),
      )
      expect([path, plain?.headers.get('content-encoding')]).toEqual([path, null])
      expect([path, compressed?.headers.get('content-encoding')]).toEqual([path, 'gzip'])
      expect(compressed?.headers.get('vary')).toBe('accept-encoding')
      expect(await compressed?.text()).toBe(await plain?.text())
    }
    for (const path of ['/docs/search?q=cors', '/docs/search.json?q=cors']) {
      const response = await get(path, { headers: { 'accept-encoding': 'gzip' } })
      expect([path, response.headers.get('content-encoding')]).toEqual([path, null])
    }
  })

  test('HEAD answers without a body, other methods are not allowed', async () => {
    const head = await get('/docs/start', { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(1000)
    const dashboard = await get('/app/projects/x', { method: 'HEAD' })
    expect([dashboard.status, await dashboard.text()]).toEqual([200, ''])
    const post = await get('/docs/start', { method: 'POST' })
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  test('an unknown page of the documentation is a page too', async () => {
    const response = await get('/docs/no-such-page')
    expect([response.status, response.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
  })
})

test('API paths never answer HTML', async () => {
  for (const path of ['/auth/v1/nothing', '/v1/nothing', '/nothing', '/p/no-such-slug/docs', '/assets/nothing.js']) {
    const response = await get(path, { headers: { accept: 'text/html' } })
    expect([path, response.status, response.headers.get('content-type')]).toEqual([
      path,
      404,
      'application/json; charset=utf-8',
    ])
  }
})

test('llms.txt lists the pages as Markdown', async () => {
  const response = await get('/llms.txt')
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  const text = await response.text()
  expect(text).toMatch(/^# Sallyport\n\n> /)
  const links = [...text.matchAll(/\]\(http:\/\/localhost:\d+(\/[^)]+\.md)\)/g)].map(([, path = '']) => path)
  expect(links.length).toBeGreaterThan(25)
  for (const path of links) {
    const page = await get(path)
    expect([path, page.status, page.headers.get('content-type')]).toEqual([path, 200, 'text/markdown; charset=utf-8'])
    expect(await page.text()).toMatch(/^(<!--|# )/)
  }
  const documents = [...text.matchAll(/\]\(http:\/\/localhost:\d+(\/[^)]+\.json)\)/g)].map(([, path = '']) => path)
  expect(documents).toEqual(['/openapi.json', '/auth/v1/openapi.json'])
  for (const path of documents) expect(await (await get(path)).json()).toHaveProperty('openapi', '3.1.0')
})

test('DASHBOARD=off switches all pages off', async () => {
  const silent = await startProduct({ env: { DASHBOARD: 'off' } })
  try {
    for (const path of [
      ...small,
      '/docs',
      '/docs/start',
      '/docs/api',
      '/docs/search',
      '/llms.txt',
      '/docs/start.md',
      '/sdk.js',
    ]) {
      const response = await fetch(silent.baseUrl + path)
      expect([path, response.status, await response.json()]).toEqual([path, 404, { error: 'Not found' }])
    }
    for (const path of ['/auth/v1/openapi.json', '/openapi.json']) {
      expect((await fetch(silent.baseUrl + path)).status).toBe(200)
    }
  } finally {
    await silent.stop()
  }
})
