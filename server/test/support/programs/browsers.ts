// Real headless browsers for tests. Each has its own profile, which is deleted when it closes. They reach only this
// machine: other names do not resolve, and requests to other addresses go to a proxy that does not exist.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import puppeteer, { type Browser, type LaunchOptions, type Page } from 'puppeteer-core'
import { deleteWithThisProcess, killWithThisProcess } from '../server-process.ts'
import { type BrowserName, findBrowser } from './find-browser.ts'

/** The functions that a page sets on its global `pageFunctions` for tests; arguments and results are plain data. */
type PageFunctions = Record<string, (...args: never[]) => unknown>

export interface TestPage<Functions extends PageFunctions> {
  call<Name extends keyof Functions & string>(
    name: Name,
    ...args: Parameters<Functions[Name]>
  ): Promise<Awaited<ReturnType<Functions[Name]>>>
  /** For pages without `pageFunctions`: evaluates an expression whose value is plain data. */
  evaluate(expression: string): Promise<unknown>
  /** The errors that the page logged or did not catch since the last call. */
  takeErrors(): string[]
  /** For tests that operate a page as a user does. */
  page: Page
  close(): Promise<void>
}

export interface TestBrowser {
  name: BrowserName
  /** Contains all files that the browser writes. Its path is part of the browser's command line. */
  folder: string
  /** Opens a page with its own storage, cookies and caches. */
  openPage<Functions extends PageFunctions>(url: string): Promise<TestPage<Functions>>
  close(): Promise<void>
}

export type SharedBrowser = Omit<TestBrowser, 'close'>

const shared = new Map<BrowserName, Promise<SharedBrowser>>()

/** A browser that the files of this worker share until the worker ends. Its start costs as much as several pages. */
export async function shareBrowser(name: BrowserName): Promise<SharedBrowser> {
  const opening = shared.get(name) ?? launch(name).then(launched => keep(name, launched))
  shared.set(name, opening)
  try {
    return await opening
  } catch (error) {
    shared.delete(name)
    throw error
  }
}

function keep(name: BrowserName, { browser, opened }: Launched): SharedBrowser {
  const child = browser.process()
  if (child === null) throw new Error(`${name} has no process`)
  killWithThisProcess(child, signal => void child.kill(signal))
  deleteWithThisProcess(opened.folder)
  // One that has crashed is replaced for the next file.
  browser.once('disconnected', () => shared.delete(name))
  return opened
}

/** A browser of the caller's own, which closes it. */
export async function openBrowser(name: BrowserName): Promise<TestBrowser> {
  return (await launch(name)).opened
}

interface Launched {
  browser: Browser
  opened: TestBrowser
}

async function launch(name: BrowserName): Promise<Launched> {
  const executablePath = findBrowser(name)
  if (executablePath === null) throw new Error(`${name} is not installed; \`npm test\` installs it where it may`)
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-browser-'))
  const userDataDir = join(folder, 'profile')
  mkdirSync(userDataDir)
  // Both browsers also write outside of their profile: caches, crash reports, certificates.
  const env = { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder }
  const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false }
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  let browser: Browser
  try {
    const common = { executablePath, userDataDir, env, headless: true, timeout: 120_000, ...signals }
    browser = await puppeteer.launch({ ...common, ...ownOptions[name] })
  } catch (error) {
    remove()
    throw error
  }
  let isClosed = false
  const stopWatching = atEndOfProcess(remove)
  const opened: TestBrowser = {
    name,
    folder,
    openPage: url => openPage(browser, url),
    async close() {
      if (isClosed) return
      isClosed = true
      await browser.close()
      stopWatching()
      remove()
    },
  }
  return { browser, opened }
}

/** A signal ends this process through `process.exit`, because the library kills the browser in its exit handler. */
function atEndOfProcess(action: () => void): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const exit = (): never => process.exit(1)
  for (const signal of signals) process.once(signal, exit)
  process.once('exit', action)
  return () => {
    for (const signal of signals) process.off(signal, exit)
    process.off('exit', action)
  }
}

/** Nothing listens on this port. */
const deadProxy = { host: '127.0.0.1', port: 1 }

const ownOptions: Record<BrowserName, LaunchOptions> = {
  chromium: {
    browser: 'chrome',
    args: [
      // The sandbox does not work for root and in many containers. It is not needed: no page comes from outside.
      '--no-sandbox',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-dev-shm-usage',
      '--disable-quic',
      '--disable-sync',
      '--no-first-run',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1',
      `--proxy-server=${deadProxy.host}:${deadProxy.port}`,
      '--proxy-bypass-list=localhost;*.localhost;127.0.0.1',
    ],
  },
  firefox: {
    browser: 'firefox',
    extraPrefsFirefox: {
      'app.normandy.enabled': false,
      'app.update.enabled': false,
      'browser.safebrowsing.downloads.enabled': false,
      'browser.safebrowsing.malware.enabled': false,
      'browser.safebrowsing.phishing.enabled': false,
      'datareporting.healthreport.uploadEnabled': false,
      'datareporting.policy.dataSubmissionEnabled': false,
      'extensions.systemAddon.update.enabled': false,
      'network.captive-portal-service.enabled': false,
      'network.connectivity-service.enabled': false,
      'network.http.http3.enable': false,
      // Firefox's own services would bypass a proxy that does not answer.
      'network.proxy.allow_bypass': false,
      'network.proxy.failover_direct': false,
      'network.proxy.http': deadProxy.host,
      'network.proxy.http_port': deadProxy.port,
      'network.proxy.no_proxies_on': 'localhost, .localhost, 127.0.0.1',
      'network.proxy.ssl': deadProxy.host,
      'network.proxy.ssl_port': deadProxy.port,
      'network.proxy.type': 1,
      // Use the system's resolver. Nothing queries it, because all requests go through the proxy.
      'network.trr.mode': 5,
      'toolkit.telemetry.enabled': false,
      'toolkit.telemetry.unified': false,
    },
  },
}

async function openPage<Functions extends PageFunctions>(browser: Browser, url: string): Promise<TestPage<Functions>> {
  const context = await browser.createBrowserContext()
  const page: Page = await context.newPage()
  page.setDefaultTimeout(60_000)
  const errors: string[] = []
  page.on('console', message => {
    if (message.type() === 'error') errors.push(message.text())
  })
  page.on('pageerror', error => void errors.push(String(error)))
  await page.goto(url, { waitUntil: 'load' })
  return {
    page,
    takeErrors: () => errors.splice(0),
    call: (name, ...args) =>
      page.evaluate(
        (functionName, values) => Reflect.get(globalThis, 'pageFunctions')[functionName](...values),
        name,
        args,
      ),
    evaluate: expression => page.evaluate(expression),
    close: () => context.close(),
  }
}
