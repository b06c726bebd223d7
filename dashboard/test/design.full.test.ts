// The page of the design system, which only the development server has: it renders, and axe finds nothing on it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, type ViteDevServer } from 'vite'
import { afterAll, beforeAll, test } from 'vitest'
import { type Dashboard, startDashboard } from './support/dashboard.ts'

let dashboard: Dashboard
let development: ViteDevServer
let cacheDir: string
let path: string
beforeAll(async () => {
  dashboard = await startDashboard()
  cacheDir = mkdtempSync(join(tmpdir(), 'sallyport-vite-'))
  const root = join(import.meta.dirname, '..')
  const server = { host: '127.0.0.1', port: 0, proxy: {} }
  development = await createServer({
    root,
    configFile: join(root, 'vite.config.ts'),
    cacheDir,
    logLevel: 'error',
    server,
  })
  await development.listen()
  path = `${development.resolvedUrls?.local[0]}design`
})
afterAll(async () => {
  await development?.close()
  await dashboard?.stop()
  rmSync(cacheDir, { recursive: true, force: true })
})

test('the design system is shown whole, in both schemes and on a phone', async () => {
  await dashboard.visit('/llms.txt', async screen => {
    await screen.page.goto(path)
    // The server reads the page's libraries at the first visit, and then loads the page again.
    await screen.page.waitForSelector('main h1 ::-p-text(Design system)')
    await screen.page.waitForSelector('main h2 ::-p-text(Dialogs, messages and tabs)')
    await screen.page.waitForSelector('main figure svg')
    await screen.expectAccessible()
  })
})
