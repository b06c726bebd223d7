// Every link leads somewhere: in Markdown on the forge, on the site, in what the product prints and in what its API
// returns.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { renderPage } from '../../src/pages/markdown/render-page.ts'
import { type Product, startProduct } from '../support/start-product.ts'

const checkout = join(import.meta.dirname, '../../..')
const password = 'correct horse battery staple'

let product: Product
beforeAll(async () => {
  product = await startProduct({ env: { BOOTSTRAP_EMAIL: 'owner@example.com', BOOTSTRAP_PASSWORD: password } })
})
afterAll(() => product?.stop())

/** On this product, whatever port the text names. */
const here = (address: string) => address.replace(/^http:\/\/localhost:\d+/, product.baseUrl)

const patterns = ['*.md', 'docs/**/*.md', 'examples/*/*.md', 'sdk/*.md', 'react/*.md', 'python/*.md']
const markdown = patterns.flatMap(pattern => globSync(pattern, { cwd: checkout })).sort()
const textOf = (path: string) => readFileSync(join(checkout, path), 'utf8')

interface Page {
  links: string[]
  anchors: Set<string>
}

function readMarkdown(path: string): Page {
  const links: string[] = []
  const { html } = renderPage(textOf(path), href => {
    links.push(href)
    return href
  })
  const withoutCode = textOf(path).replace(/^```[\s\S]*?^```$/gm, '')
  const raw = [...withoutCode.matchAll(/(?:src|srcset)="([^"]+)"/g)].map(([, href = '']) => href)
  return { links: [...links, ...raw], anchors: new Set([...html.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id)) }
}

test('links in Markdown lead to files and headings of the repository', () => {
  const pages = new Map(markdown.map(path => [path, readMarkdown(path)]))
  const broken = [...pages].flatMap(([path, { links }]) =>
    links
      .filter(href => !/^[a-z]+:/.test(href))
      .filter(href => {
        const [file = '', anchor] = href.split('#')
        const target = file === '' ? path : normalize(join(dirname(path), file))
        if (!existsSync(join(checkout, target))) return true
        return anchor !== undefined && !pages.get(target)?.anchors.has(anchor)
      })
      .map(href => `${path}: ${href}`),
  )
  expect(broken).toEqual([])
  expect([...pages.values()].flatMap(({ links }) => links).length).toBeGreaterThan(200)
})

test('docs/README.md lists every page of docs/', () => {
  const listed = new Set(readMarkdown('docs/README.md').links)
  const pages = globSync('*.md', { cwd: join(checkout, 'docs') }).filter(name => name !== 'README.md')
  expect(pages.filter(name => !listed.has(name))).toEqual([])
})

test('local addresses in README and docs are answered', async () => {
  const addresses = markdown.flatMap(path =>
    [...textOf(path).matchAll(/http:\/\/localhost:(?:8080|8787)(\/[^\s`'")|<]*)?/g)].map(([address]) => address),
  )
  const concrete = [...new Set(addresses)].filter(address => !/[{…$]|\/p\//.test(address))
  expect(concrete.length).toBeGreaterThan(1)
  for (const address of concrete) {
    const response = await fetch(here(address.replace(/[.,:;]$/, '')))
    expect([address, response.status]).toEqual([address, 200])
  }
})

test('the site has no dead link and no dead anchor', async () => {
  const seen = new Map<string, Set<string>>()
  const wanted: { from: string; path: string; anchor: string | undefined }[] = []
  const open = ['/docs', '/', '/docs/api']
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (seen.has(path)) continue
    const response = await fetch(product.baseUrl + path)
    expect([path, response.status]).toEqual([path, 200])
    const html = response.headers.get('content-type')?.startsWith('text/html') ? await response.text() : ''
    seen.set(path, new Set([...html.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id)))
    for (const [, href = ''] of html.matchAll(/ (?:href|src|data-index)="([^"]*)"/g)) {
      if (/^[a-z]+:/.test(href)) continue
      const { pathname, hash } = new URL(href, product.baseUrl + path)
      wanted.push({ from: path, path: pathname, anchor: hash.slice(1) || undefined })
      open.push(pathname)
    }
  }
  expect(seen.size).toBeGreaterThan(40)
  const dead = wanted.filter(
    ({ path, anchor }) => anchor !== undefined && !seen.get(path)?.has(decodeURIComponent(anchor)),
  )
  expect(dead).toEqual([])
})

async function call<Body = Record<string, string>>(method: string, path: string, token: string, body?: object) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const response = await fetch(product.baseUrl + path, { method, headers, body: JSON.stringify(body) })
  return (await response.json()) as Body
}

test('addresses that the product prints and returns are pages', async () => {
  const login = { email: 'owner@example.com', password }
  const { session_token: token = '' } = await call('POST', '/auth/v1/sessions', '', login)
  const { id } = await call('POST', '/auth/v1/tenants', token, { name: 'Acme' })
  const member = { email: 'new@example.com', role: 'member' }
  const { invite_url: inviteUrl } = await call('POST', `/auth/v1/tenants/${id}/members`, token, member)
  const key = { api_key: `sk-${'x'.repeat(40)}` }
  const { upgrade_url: upgradeUrl } = await call('PUT', `/auth/v1/tenants/${id}/providers/openai`, token, key)
  const accepted = { token: inviteUrl?.split('#token=')[1], password }
  const { user } = await call<{ user: { id: string } }>('POST', '/auth/v1/invitations/accept', '', accepted)
  const { reset_url: resetUrl } = await call('POST', `/auth/v1/tenants/${id}/members/${user.id}/reset-link`, token, {})
  const printed = product.stdout().match(/http:\/\/localhost:\d+[^\s,)]*/g) ?? []
  expect(printed.length).toBeGreaterThan(0)
  for (const address of [inviteUrl, upgradeUrl, resetUrl, ...printed]) {
    const response = await fetch(here(address ?? 'none'))
    expect([address, response.status, response.headers.get('content-type')]).toEqual([
      address,
      200,
      'text/html; charset=utf-8',
    ])
  }
})
