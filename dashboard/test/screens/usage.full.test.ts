// Usage and cost: totals, chart and tables of real requests, the filter of an end user, and the download.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { HTTPRequest } from 'puppeteer-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SimulatedProvider, startSimulatedProvider } from '../../../server/src/demo/simulated-provider.ts'
import { type Dashboard, hostileTexts, type Screen, startDashboard } from '../support/dashboard.ts'
import { holdRequests } from '../support/hold-requests.ts'
import { adminSecret, askAs, createStage, createViewer, type Stage } from '../support/stage.ts'

const hostileUser = '<img src=x onerror="window.hostile=1">'
const requests = [
  { uid: 'ada', tier: 'gold' },
  { uid: 'ada', tier: 'unknown' },
  { uid: hostileUser, tier: 'gold' },
]

let provider: SimulatedProvider
let dashboard: Dashboard
let stage: Stage
let downloads: string
let folder: string
beforeAll(async () => {
  downloads = mkdtempSync(join(tmpdir(), 'sallyport-downloads-'))
  folder = mkdtempSync(join(tmpdir(), 'sallyport-usage-'))
  provider = await startSimulatedProvider()
  dashboard = await startDashboard({
    ADMIN_SECRET: adminSecret,
    DATA_DIR: folder,
    OPENAI_BASE_URL: provider.baseUrl,
    PLATFORM_OPENAI_API_KEY: 'sk-simulated-key-of-this-test',
    PLATFORM_DEFAULT_MODEL: 'openai/gpt-4o-mini',
  })
  stage = await createStage(dashboard)
  const created = await dashboard.call('POST', `/auth/v1/projects/${stage.projectId}/api-keys`, { name: 'backend' })
  await dashboard.call('POST', `/auth/v1/projects/${stage.projectId}/tiers`, { name: 'gold', overrides: {} })
  await dashboard.call('POST', `/auth/v1/projects/${stage.projectId}/settings/deploy`)
  for (const user of requests) {
    expect(await askAs(dashboard, { ...stage, apiKey: created['api_key'] ?? '', ...user, text: 'Hello' })).toBe(200)
  }
})
afterAll(async () => {
  await dashboard?.stop()
  await provider?.close()
  for (const made of [downloads, folder]) rmSync(made, { recursive: true, force: true })
})

/** The cells of the table with this caption, row by row. */
const cellsOf = (screen: Screen, caption: string): Promise<string[][]> =>
  screen.page.$$eval(
    'table',
    (tables, wanted) =>
      tables
        .filter(table => table.caption?.textContent === wanted)
        .flatMap(table => [...(table.tBodies[0]?.rows ?? [])])
        .map(row => [...row.cells].map(cell => cell.textContent ?? '')),
    caption,
  )

interface Usage {
  data: { uid: string; requests: number; total_tokens: number }[]
  totals: { requests: number; total_tokens: number; cost_usd: number }
}

const download = (screen: Screen, format: 'CSV' | 'NDJSON'): Promise<string> =>
  downloadBy(screen, `Download ${format}`, `usage-${stage.slug}.${format.toLowerCase()}`)

async function downloadBy(screen: Screen, button: string, file: string): Promise<string> {
  const devtools = await screen.page.browser().target().createCDPSession()
  await devtools.send('Browser.setDownloadBehavior', {
    behavior: 'allow',
    downloadPath: downloads,
    eventsEnabled: true,
    browserContextId: screen.page.browserContext().id ?? '',
  })
  const { promise: done, resolve } = Promise.withResolvers<void>()
  devtools.on('Browser.downloadProgress', ({ state }) => state === 'completed' && resolve())
  await screen.click(button)
  await done
  await devtools.detach()
  return readFileSync(join(downloads, file), 'utf8')
}

async function readTiersAndEndpoints(screen: Screen): Promise<void> {
  await screen.click('By tier', 'link')
  await screen.waitForText('No tier')
  const byTier = (await cellsOf(screen, 'Usage by tier')).map(row => row.slice(0, 2))
  expect(byTier).toEqual([
    ['No tier', '1'],
    ['gold', '2'],
  ])
  await orderAndSave(screen)

  await screen.click('By endpoint', 'link')
  await screen.waitForText('Chat completions')
  expect((await cellsOf(screen, 'Usage by endpoint')).map(row => row.slice(0, 2))).toEqual([['Chat completions', '3']])
}

async function orderAndSave(screen: Screen): Promise<void> {
  const tiers = async () => (await cellsOf(screen, 'Usage by tier')).map(([tier]) => tier)
  await screen.click('Requests')
  await expect.poll(tiers).toEqual(['gold', 'No tier'])
  await screen.click('Requests')
  await expect.poll(tiers).toEqual(['No tier', 'gold'])
  await screen.clickOn('summary ::-p-text(Columns)')
  await screen.click('Cost', 'checkbox')
  await screen.expectAccessible()
  const file = await downloadBy(screen, 'Table as CSV', 'usage-by-tier.csv')
  expect(file.split('\r\n').map(line => line.split(',').slice(0, 2))).toEqual([
    ['Tier', 'Requests'],
    ['', '1'],
    ['gold', '2'],
    [''],
  ])
  expect(file).not.toContain('Cost')
}

/** Waits until this link, and no other of its navigation, looks chosen. */
async function expectMarked(screen: Screen, navigation: string, choice: string): Promise<void> {
  const marked = () =>
    screen.page.$$eval(`nav[aria-label="${navigation}"] a`, links => {
      const looks = links.map(link => getComputedStyle(link).borderTopColor)
      const isUnusual = (look: string | undefined) => looks.filter(other => other === look).length === 1
      return links.filter((_link, at) => isUnusual(looks[at])).map(link => link.textContent)
    })
  await expect.poll(marked).toEqual([choice])
}

async function showOnlyAda(screen: Screen): Promise<void> {
  const isOfAda = (sent: HTTPRequest) => sent.url().includes('uid=ada')
  const faded = 'main [aria-busy=true] dl, main [aria-busy=true] table'
  await holdRequests(screen, isOfAda, async () => {
    await screen.click('Only ada', 'link')
    // The figures of all end users stay, and are marked as not the wanted ones.
    await screen.page.waitForSelector(faded)
    expect(await screen.page.$eval('main [aria-busy=true] dl', list => getComputedStyle(list).opacity)).toBe('0.6')
  })
  await screen.page.waitForFunction(selector => document.querySelector(selector) === null, {}, faded)
  await screen.page.waitForFunction(() => new URL(location.href).searchParams.get('uid') === 'ada')
  await screen.page.waitForFunction(
    () => document.querySelector('dd:nth-of-type(1)') && document.body.innerText.includes('By day'),
  )
  await screen.page.waitForFunction(() =>
    [...document.querySelectorAll('dl div')].some(one => one.textContent?.startsWith('Requests2')),
  )
}

test('shows what was used by model, endpoint, end user and day, and downloads it', async () => {
  const path = `/auth/v1/projects/${stage.projectId}/usage`
  const { data, totals } = await dashboard.call<Usage>('GET', `${path}?group_by=uid`)
  expect(totals.requests).toBe(3)
  expect(totals.cost_usd).toBeGreaterThan(0)
  await dashboard.visit(`/app/projects/${stage.projectId}/usage`, async screen => {
    await screen.waitForText('By model')
    // The chart has a table, too, and is there first.
    await screen.waitForText('openai/gpt-4o-mini')
    expect(await screen.page.$$eval('dd', all => all.map(one => one.textContent))).toContain(String(totals.requests))
    expect((await cellsOf(screen, 'Usage by model')).map(row => row.slice(0, 2))).toEqual([['openai/gpt-4o-mini', '3']])
    const days = await cellsOf(screen, 'Cost by day')
    expect(days).toHaveLength(30)
    expect([days.at(0)?.[1], Number(days.at(-1)?.[1]?.replace('$', ''))]).toEqual([
      '$0.00',
      expect.closeTo(totals.cost_usd),
    ])
    await screen.choose('Chart of', 'tokens')
    expect((await cellsOf(screen, 'Tokens by day')).at(-1)?.slice(1)).not.toContain('0')
    await screen.expectAccessible()

    await readTiersAndEndpoints(screen)

    const isByEndUser = (sent: HTTPRequest) => sent.url().includes('group_by=uid')
    await holdRequests(screen, isByEndUser, async () => {
      await screen.click('By end user', 'link')
      // Until the end users are there, no model stands in their place.
      await screen.waitForText('Loading the usage')
      expect(await cellsOf(screen, 'Usage by end user')).toEqual([])
    })
    await screen.waitForText(hostileUser)
    expect((await cellsOf(screen, 'Usage by end user')).map(row => row.slice(0, 2))).toEqual(
      data.map(row => [row.uid, String(row.requests)]),
    )
    await showOnlyAda(screen)
    await expectMarked(screen, 'Group by', 'By day')
    for (const [group, choice] of [
      ['Period', 'Last 7 days'],
      ['Group by', 'By model'],
      ['Period', 'Last 30 days'],
    ] as const) {
      await screen.click(choice, 'link')
      await expectMarked(screen, group, choice)
    }

    const csv = await download(screen, 'CSV')
    expect(csv.split('\r\n')[0]).toContain('day,uid,model')
    expect(csv.split('\r\n').filter(line => line.includes('gpt-4o-mini'))).toHaveLength(2)
    const ndjson = (await download(screen, 'NDJSON'))
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(ndjson.map(row => row.uid).sort()).toEqual([hostileUser, 'ada'])
  })
})

test('the filter takes any text for an end user, and says what to do where there is nothing; a viewer may read', async () => {
  const viewer = await createViewer(dashboard, stage.tenantId)
  await dashboard.visit(
    `/app/projects/${stage.projectId}/usage?from=2026-02-30&by=nothing&uid=nobody`,
    async screen => {
      await screen.waitForText('No requests in this period')
      await screen.expectAccessible()
      for (const hostile of [...hostileTexts.slice(0, 3), 'true', '5']) {
        await screen.fill('End user', hostile)
        await screen.click('Show')
        await screen.page.waitForFunction(
          wanted => (document.querySelector('input[name=uid]') as HTMLInputElement | null)?.defaultValue === wanted,
          {},
          hostile,
        )
      }
      await screen.waitForText('No requests in this period')
      await screen.click('All end users')
      await screen.waitForText('openai/gpt-4o-mini')
    },
    viewer,
  )
})

/** Past the worker, which closes the days of a real installation. */
function closeDay(day: string, closedAt: number): void {
  const database = new DatabaseSync(join(folder, 'sallyport.db'))
  try {
    database.exec('pragma busy_timeout = 60000')
    database.prepare('insert into usage_closings values (?, ?)').run(day, closedAt)
    // More models than one page holds.
    for (let index = 0; index < 51; index += 1) {
      const model = `openai/model-${String(index).padStart(2, '0')}`
      database
        .prepare('insert into usage_rollups values (?, ?, ?, ?, 7, 70, 30, 100, 1230000000)')
        .run(stage.projectId, day, model, day)
    }
  } finally {
    database.close()
  }
}

test('closed days are listed a page at a time, apart from the day that is still open', async () => {
  const dayMs = 86_400_000
  const day = new Date(Date.now() - 3 * dayMs).toISOString().slice(0, 10)
  const today = new Date().toISOString().slice(0, 10)
  closeDay(day, Date.now() - 2 * dayMs)
  await dashboard.visit(`/app/projects/${stage.projectId}/usage`, async screen => {
    await screen.click('Closed days', 'link')
    await screen.waitForText('openai/model-00')
    const rows = () => cellsOf(screen, 'Usage by day and model')
    const [first] = await rows()
    expect(first?.slice(0, 6)).toEqual([day, 'openai/model-00', '7', '70', '30', '$1.23'])
    expect(first?.[6]).not.toBe('Open')
    expect(await rows()).toHaveLength(50)
    await screen.expectAccessible()
    await screen.click('Next page')
    await screen.waitForText('Open')
    expect((await rows()).map(([of, model, count, , , , closed]) => [of, model, count, closed === 'Open'])).toEqual([
      [day, 'openai/model-50', '7', false],
      [today, 'openai/gpt-4o-mini', '3', true],
    ])
    // Another period begins at its first page.
    await screen.open(`/app/projects/${stage.projectId}/usage/days?from=${today}&to=${today}&cursor=`)
    await screen.waitForText('openai/gpt-4o-mini')
    expect(await rows()).toHaveLength(1)
    await screen.open(`/app/projects/${stage.projectId}/usage/days?from=2026-01-01&to=2026-01-02`)
    await screen.waitForText('No requests in this period')
    await screen.expectAccessible()
  })
})
