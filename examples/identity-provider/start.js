// An application without a backend: static files, and an identity provider whose tokens the project accepts. First it sets up
// the project: which identity provider, and which origin the page has.
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { basename, dirname, extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createManagementClient } from '@sallyport/sdk'
import { startIssuer } from './issuer.js'

const { SALLYPORT_URL: baseUrl, SALLYPORT_PROJECT: projectId, SALLYPORT_SESSION: token } = process.env
const { SALLYPORT_MANAGEMENT_URL, PORT = '3000', ISSUER_PORT = '3001' } = process.env
if (!baseUrl || !projectId || !token) {
  console.error('Set SALLYPORT_URL, SALLYPORT_PROJECT and SALLYPORT_SESSION. See README.md.')
  process.exit(1)
}

const audience = 'sallyport-example'
const issuer = await startIssuer(Number(ISSUER_PORT), audience)

const types = { '.html': 'text/html', '.js': 'text/javascript' }
const sdk = dirname(fileURLToPath(import.meta.resolve('@sallyport/sdk')))
const page = createServer(async (request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost')
  if (pathname === '/config.json') return response.end(JSON.stringify({ baseUrl, issuer }))
  const name = pathname === '/' ? 'index.html' : basename(pathname)
  const path = pathname.startsWith('/sdk/')
    ? `${sdk}/${name}`
    : fileURLToPath(new URL(`public/${name}`, import.meta.url))
  const content = await readFile(path).catch(() => null)
  if (content === null) return response.writeHead(404).end()
  response.setHeader('Content-Type', types[extname(name)] ?? 'text/plain').end(content)
})
await new Promise((resolve, reject) => page.once('error', reject).listen(Number(PORT), '127.0.0.1', resolve))
const origin = `http://localhost:${page.address().port}`

const management = createManagementClient({ baseUrl: SALLYPORT_MANAGEMENT_URL ?? new URL(baseUrl).origin, token })
const path = { projectId }
await management.request('PUT', '/auth/v1/projects/{projectId}/identity-provider', {
  path,
  body: { issuer, jwks_url: `${issuer}/.well-known/jwks.json`, audience },
})
await management.request('PUT', '/auth/v1/projects/{projectId}/settings', { path, body: { cors_origins: [origin] } })
await management.request('POST', '/auth/v1/projects/{projectId}/settings/deploy', { path })
console.log(`Open ${origin}. The project accepts tokens of ${issuer} within a minute.`)
