// One browser, one product and pages on other origins, for all tests of a file. The requests of the browser pass a tap,
// so that a test also sees what the browser sent by itself.
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { openBrowser, type TestBrowser, type TestPage } from '../../support/programs/browsers.ts'
import type { BrowserName } from '../../support/programs/find-browser.ts'
import { type PageServer, servePage } from '../../support/simulated/page-server.ts'
import { type RequestTap, startTap } from '../../support/simulated/request-tap.ts'
import { type ClientProject, type ClientStage, models, startClientStage } from '../client-stage.ts'
import type { ClientPage, Target } from './page.ts'

export interface BrowserStage extends ClientStage {
  browserName: BrowserName
  /** A page whose origin is on the list of every project that is made here. */
  page: TestPage<ClientPage>
  /** The same page on an origin that is on no list. */
  foreignPage: TestPage<ClientPage>
  /** The project of tests that change nothing about theirs. */
  project: ClientProject
  /** Its list of origins holds the page's. */
  makeBrowserProject(settings?: Record<string, unknown>): Promise<ClientProject>
  /** What a page is given of a project. */
  targetOf(project: ClientProject): Target
  /** What the browser sent to the project, preflights included. */
  requestsTo(project: ClientProject): ReturnType<RequestTap['requests']>
}

/** Call it at the top of a test file; the stage is there in hooks and tests. */
export function useBrowser(name: BrowserName): () => BrowserStage {
  let stage: BrowserStage
  const endings: (() => Promise<void>)[] = []
  beforeAll(async () => {
    const [clients, browser, pages] = await Promise.all([
      keep(startClientStage({ env: { BODY_LIMIT_MB: '1' } }), clientStage => clientStage.end()),
      keep(openBrowser(name), opened => opened.close()),
      keep(servePage(join(import.meta.dirname, 'page.ts')), served => served.close()),
    ])
    const tap = await keep(startTap(portOf(clients.projects.openai.baseURL)), started => started.close())
    stage = await describeStage(clients, browser, pages, tap)
  })
  // What a failed test left behind is no business of the next one.
  beforeEach(() => {
    for (const page of [stage.page, stage.foreignPage]) page.takeErrors()
  })
  afterAll(async () => {
    for (const end of endings.toReversed()) await end()
  })
  return () => stage

  /** What has started is ended, also where another part fails to start. */
  async function keep<Part>(starting: Promise<Part>, end: (part: Part) => Promise<void>): Promise<Part> {
    const part = await starting
    endings.push(() => end(part))
    return part
  }
}

async function describeStage(
  clients: ClientStage,
  browser: TestBrowser,
  pages: PageServer,
  tap: RequestTap,
): Promise<BrowserStage> {
  const makeBrowserProject: BrowserStage['makeBrowserProject'] = (settings = {}) =>
    clients.makeProject('openai', { settings: { cors_origins: [pages.origin], ...settings } })
  return {
    ...clients,
    browserName: browser.name,
    page: await browser.openPage(pages.origin),
    foreignPage: await browser.openPage(pages.origin.replace('localhost', '127.0.0.1')),
    project: await makeBrowserProject({ rpm_limit: 1000 }),
    makeBrowserProject,
    targetOf: ({ baseURL, token }) => ({
      baseURL: baseURL.replace(`:${portOf(baseURL)}`, `:${tap.port}`),
      token,
      model: models.openai,
    }),
    requestsTo({ baseURL }) {
      const { pathname } = new URL(baseURL)
      return tap.requests().filter(({ path }) => path.startsWith(pathname))
    },
  }
}

function portOf(url: string): number {
  return Number(new URL(url).port)
}
