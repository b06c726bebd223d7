// Serves the pages for people on the management host, before its API: the dashboard and the documentation site; and the
// SDK, for pages of other origins. Read at the first request for a page.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ownFile } from '../files/own-files.ts'
import type { RuntimeRequestHandler } from '../http/front/accept-request.ts'
import type { Incoming } from '../http/incoming.ts'
import { refuseOtherThanGet } from '../http/only-get.ts'
import type { ApiDocuments } from '../http/openapi-types.ts'
import { assetsPath, createAssets } from './assets.ts'
import { acceptsGzip, type Compress, createCompress } from './compress.ts'
import { readDashboard } from './dashboard-files.ts'
import { readDocsFolder } from './docs-folder.ts'
import { buildDocsSite, type DocsSite } from './docs-site.ts'
import { formPagePolicy, pagePolicy } from './page-frame.ts'
import { buildReference } from './reference/build-reference.ts'
import { readExamples } from './reference/examples.ts'
import { searchPath, suggestionsPath } from './search/search-page.ts'

interface PagesOptions {
  docsFolder: string
  /** The built dashboard. */
  dashboardFolder: string
  baseUrl: string
  documents: ApiDocuments
}

interface Page {
  /** The pattern of the path, for logs and metrics, which must not contain arbitrary paths of clients. */
  route: string
  status?: number
  contentType: string
  body: string | Buffer
  /** The path changes with the content. */
  isImmutable?: true
  /** Pages of all origins may load it. */
  isShared?: true
  /** The page has a form that works without scripts. */
  hasForm?: true
  /** The body differs from request to request. */
  isMade?: true
}

type FindPage = (path: string, query: string) => Page | null

const html = 'text/html; charset=utf-8'
const json = 'application/json; charset=utf-8'
const browserFile = (name: string) => ownFile(`pages/browser/${name}`)
/** The paths of the dashboard besides those below `/app/`. Its script reads the path and the query. */
const dashboardPaths = ['/', '/invite', '/reset', '/sso', '/upgrade', '/device']
/** Browsers ask for it where a page names no icon. */
const iconPath = '/favicon.ico'
/** The SDK as one module, for pages without a build. */
const sdkPath = '/sdk.js'

/** Serves the pages and passes all other requests to the API. */
export function createPages(options: PagesOptions): { before(owner: RuntimeRequestHandler): RuntimeRequestHandler } {
  let findPage: FindPage | undefined
  const compress = createCompress()
  return {
    before: owner => (request, response, incoming) => {
      if (!isPagePath(incoming.path)) return owner(request, response, incoming)
      findPage ??= collectPages(options)
      const page = findPage(incoming.path, incoming.query)
      if (page === null) return owner(request, response, incoming)
      refuseOtherThanGet(incoming.method)
      replyPage(request, response, incoming, page, compress)
    },
  }
}

function isPagePath(path: string): boolean {
  return (
    dashboardPaths.includes(path) ||
    path === '/app' ||
    path === '/docs' ||
    path === '/llms.txt' ||
    path === iconPath ||
    path === sdkPath ||
    ['/docs/', '/app/', assetsPath].some(start => path.startsWith(start))
  )
}

function collectPages({ docsFolder, dashboardFolder, baseUrl, documents }: PagesOptions): FindPage {
  const assets = createAssets()
  const style = assets.addFile(browserFile('style.css'))
  const folder = readDocsFolder(docsFolder)
  const reference = buildReference(documents, readExamples(docsFolder))
  const script = assets.addFile(browserFile('docs.js'))
  const site = buildDocsSite({ folder, reference, assets, style, script, baseUrl })
  const { page: dashboard, sdk } = readDashboard(dashboardFolder, assets)
  const module = 'text/javascript; charset=utf-8'
  const icon = assets.find(/<link rel="icon"[^>]* href="([^"]+)"/.exec(dashboard)?.[1] ?? '')
  return (path, query) => {
    if (path === iconPath) return icon && { route: path, ...icon }
    if (path === sdkPath) return { route: path, contentType: module, body: sdk, isShared: true }
    if (dashboardPaths.includes(path)) return { route: path, contentType: html, body: dashboard }
    if (path === '/app' || path.startsWith('/app/')) return { route: '/app/*', contentType: html, body: dashboard }
    if (path === '/llms.txt') return { route: path, contentType: 'text/plain; charset=utf-8', body: site.llmsText }
    const asset = assets.find(path)
    if (asset !== null) return { route: '/assets/:name', ...asset, isImmutable: true }
    if (path.startsWith(assetsPath)) return null
    return findDocsPage(site, path, query)
  }
}

function findDocsPage(site: DocsSite, path: string, query: string): Page {
  if (path === searchPath || path === suggestionsPath) {
    const words = new URLSearchParams(query).get('q') ?? ''
    if (path === suggestionsPath) {
      return { route: path, contentType: json, body: site.renderSuggestions(words), isMade: true }
    }
    return { route: path, contentType: html, body: site.renderResults(words), hasForm: true, isMade: true }
  }
  const source = site.sources.get(path)
  const route = path === '/docs' ? path : '/docs/:page'
  if (source !== undefined) return { route, contentType: 'text/markdown; charset=utf-8', body: source }
  const page = site.pages.get(path.replace(/\/$/, ''))
  const status = page === undefined ? 404 : 200
  return { route, status, contentType: html, body: page ?? site.notFound, hasForm: true }
}

function replyPage(
  request: IncomingMessage,
  response: ServerResponse,
  { logContext }: Incoming,
  page: Page,
  compress: Compress,
): void {
  logContext.route = page.route
  // A PNG is compressed already.
  const isCompressible = page.isMade !== true && page.contentType !== 'image/png'
  const isCompressed = isCompressible && acceptsGzip(request.headers['accept-encoding'])
  const body = isCompressed ? compress(page.body) : page.body
  response.writeHead(page.status ?? 200, {
    'content-type': page.contentType,
    'content-length': Buffer.byteLength(body),
    ...(isCompressed ? { 'content-encoding': 'gzip' } : {}),
    ...(isCompressible ? { vary: 'accept-encoding' } : {}),
    ...(page.isShared ? { 'access-control-allow-origin': '*' } : {}),
    'cache-control': cacheControlOf(page),
    'content-security-policy': page.hasForm ? formPagePolicy : pagePolicy,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  })
  response.end(request.method === 'HEAD' ? undefined : body)
}

function cacheControlOf({ isImmutable, isShared }: Page): string {
  if (isImmutable) return 'public, max-age=31536000, immutable'
  return isShared ? 'public, max-age=300' : 'no-store'
}
