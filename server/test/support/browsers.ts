// Real browsers for tests, each headless with a profile of its own that is deleted with it. They reach this machine alone:
// every other name fails to resolve, and whatever is not on loopback goes to a proxy that does not exist.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import puppeteer, { type Browser, type LaunchOptions, type Page } from 'puppeteer-core'
import { type BrowserName, findBrowser } from './find-browser.ts'

/** What a page offers to tests: functions on its global `pageFunctions`, with arguments and results of plain data. */
type PageFunctions = Record<string, (...args: never[]) => unknown>

export interface TestPage<Functions extends PageFunctions> {
  call<Name extends keyof Functions & string>(
    name: Name,
    ...args: Parameters<Functions[Name]>
  ): Promise<Awaited<ReturnType<Functions[Name]>>>
  /** For pages that offer nothing to tests: an expression, whose value is plain data. */
  evaluate(expression: string): Promise<unknown>
  /** What the page logged as errors since the last time, and what it threw without catching it. */
  takeErrors(): string[]
  /** For tests that use a page as a person does. */
  page: Page
  close(): Promise<void>
}

export interface TestBrowser {
  name: BrowserName
  /** Holds all that it writes; its command line names it. */
  folder: string
  /** A page with storage, cookies and caches of its own. */
  openPage<Functions extends PageFunctions>(url: string): Promise<TestPage<Functions>>
  close(): Promise<void>
}

export async function openBrowser(name: BrowserName): Promise<TestBrowser> {
  const executablePath = findBrowser(name)
  if (executablePath === null) throw new Error(`${name} is not installed; \`npm test\` installs it where it may`)
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-browser-'))
  const userDataDir = join(folder, 'profile')
  mkdirSync(userDataDir)
  // Both write outside of their profile, too: caches, crash reports, certificates.
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
  return {
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
}

/** A signal ends this process as it would without us, but by way of its exit, at which the library kills the browser first. */
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

/** Nothing listens there. */
const deadProxy = { host: '127.0.0.1', port: 1 }

const ownOptions: Record<BrowserName, LaunchOptions> = {
  chromium: {
    browser: 'chrome',
    args: [
      // Root and many containers cannot have one, and no page comes from outside.
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
      // Its own services would go past a proxy that does not answer.
      'network.proxy.allow_bypass': false,
      'network.proxy.failover_direct': false,
      'network.proxy.http': deadProxy.host,
      'network.proxy.http_port': deadProxy.port,
      'network.proxy.no_proxies_on': 'localhost, .localhost, 127.0.0.1',
      'network.proxy.ssl': deadProxy.host,
      'network.proxy.ssl_port': deadProxy.port,
      'network.proxy.type': 1,
      // The resolver of the system, which nothing asks while everything goes by the proxy.
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
