// Tiers: created, edited, ordered and deleted as drafts, with the settings that result beside the overrides.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Dashboard, hostileTexts, type Screen, startDashboard } from '../support/dashboard.ts'

type Body = Record<string, unknown>
let dashboard: Dashboard
let tenantId: string
let projectId: string
beforeAll(async () => {
  dashboard = await startDashboard()
  tenantId = (await dashboard.call('POST', '/auth/v1/tenants', { name: 'Acme' }))['id'] ?? ''
})
afterAll(() => dashboard?.stop())

async function openTiers(): Promise<string> {
  projectId = (await dashboard.call('POST', `/auth/v1/tenants/${tenantId}/projects`, { name: 'Chat' }))['id'] ?? ''
  return `/app/projects/${projectId}/tiers`
}

const pathOf = () => `/auth/v1/projects/${projectId}/tiers`
const readTiers = () => dashboard.call<Body[]>('GET', pathOf())
const make = (name: string, overrides: Body, sort_order = 0) =>
  dashboard.call('POST', pathOf(), { name, overrides, sort_order })
const addOverride = async (screen: Screen, field: string): Promise<void> => {
  await screen.choose('Setting to override', field)
  await screen.click('Add override')
  await screen.page.waitForSelector(`[name^="${field}"]:focus`)
}
/** The cells of a row of the resolved settings. */
const resolvedRow = (screen: Screen, setting: string) =>
  screen.page.$$eval(
    'main tr:has(th[scope=row])',
    (rows, title) => {
      const cells = rows.map(row => [...row.children].map(cell => cell.textContent?.trim()))
      return cells.find(([first]) => first === title)
    },
    setting,
  )

test('a tier is created and edited; null overrides, too, and an empty field does not', async () => {
  await dashboard.visit(await openTiers(), async screen => {
    const custom_entities = [{ name: 'BADGE', words: ['B-7'] }]
    await dashboard.call('PUT', `/auth/v1/projects/${projectId}/settings`, { user_rpm_limit: 5, custom_entities })
    await screen.waitForText('No tiers')
    await screen.click('New tier', 'link')
    await screen.fill('Name', 'pro')
    await addOverride(screen, 'rpm_limit')
    expect(await screen.valueOf('Requests per minute')).toBe('60')
    await screen.fill('Requests per minute', '0')
    await screen.click('Create tier')
    await screen.waitForText('Requests per minute must be between 1 and 10,000')
    await screen.fill('Requests per minute', '9')
    await addOverride(screen, 'pii_entities')
    await screen.choose('Email address', 'BLOCK')
    await screen.choose('BADGE', 'MASK')
    await addOverride(screen, 'user_rpm_limit')
    await screen.fill('Requests per minute per user', '')
    await addOverride(screen, 'memory_enabled')
    await screen.expectAccessible()
    await screen.click('Create tier')
    await screen.waitForText('The change of 1 tier is not live yet.')
    const overrides = { rpm_limit: 9, pii_entities: { EMAIL_ADDRESS: 'BLOCK', BADGE: 'MASK' }, user_rpm_limit: null }
    expect(await readTiers()).toMatchObject([{ name: 'pro', overrides: { ...overrides, memory_enabled: true } }])
    const requestsRow = ['Requests per minute', '60', '9 override']
    await expect.poll(() => resolvedRow(screen, 'Requests per minute')).toEqual(requestsRow)
    const [, project, pro] = (await resolvedRow(screen, 'Requests per minute per user')) ?? []
    expect([project, pro]).toEqual(['5', 'No limit override'])
    expect(await resolvedRow(screen, 'Tokens per day (UTC)')).toContain('1,000,000, shared with the whole project')

    await screen.click('Edit pro', 'link')
    expect(await screen.valueOf('Requests per minute per user')).toBe('')
    await screen.click('Remove override: Store conversations')
    await screen.page.waitForSelector('[name=new_override]:focus')
    await screen.fill('Name', 'plus')
    await screen.click('Cancel', 'link')
    await screen.waitForText('Leave without saving?')
    await screen.click('Stay')
    await screen.click('Save tier')
    await screen.waitForPath(`/app/projects/${projectId}/tiers`)
    await screen.waitForText('Edit')
    expect(await readTiers()).toMatchObject([{ name: 'plus', overrides }])
    expect((await readTiers())[0]?.['overrides']).not.toHaveProperty('memory_enabled')
  })
})

test('tiers are ordered and deleted, and are live with the deploy alone', async () => {
  const path = await openTiers()
  for (const name of ['free', 'pro', 'team']) await make(name, {})
  await dashboard.call('POST', `/auth/v1/projects/${projectId}/settings/deploy`)
  await dashboard.visit(path, async screen => {
    await screen.waitForText('All tiers are live as they stand here.')
    await screen.waitForText('A project has at most 3 tiers.')
    const shown = () => screen.page.$$eval('tbody tr td:first-child bdi', cells => cells.map(cell => cell.textContent))
    expect((await shown()).slice(0, 3)).toEqual(['free', 'pro', 'team'])
    await screen.page.focus('[aria-label="Move team up"]')
    await screen.page.keyboard.press('Enter')
    await screen.page.waitForFunction('document.querySelectorAll("tbody bdi")[1].textContent === "team"')
    // The button was off while it worked, and has the focus still.
    await screen.page.waitForSelector('[aria-label="Move team up"]:not([aria-disabled]):focus')
    await screen.page.keyboard.press('Enter')
    await screen.page.waitForFunction('document.querySelectorAll("tbody bdi")[0].textContent === "team"')
    expect((await readTiers()).map(({ name }) => name)).toEqual(['team', 'free', 'pro'])
    await screen.click('Delete free')
    await screen.waitForText('Until the next deploy nothing changes.')
    await screen.expectAccessible()
    expect(await readTiers()).toHaveLength(3)
    await screen.submitDialog()
    await screen.waitForText('The change of 1 tier is not live yet.')
    expect((await readTiers()).map(({ name }) => name)).toEqual(['team', 'pro'])
    await screen.click('Compare and deploy', 'link')
    await screen.click('Review')
    await screen.waitForText('Tier free')
    expect(await screen.text()).toContain('Changes of tiers are undone on the page of the tiers.')
    await screen.click('Deploy')
    await screen.waitForText('The draft is the same as what is live.')
  })
})

test('hostile texts stay texts; a viewer reads all and changes nothing', async () => {
  const path = await openTiers()
  await dashboard.visit(path, async screen => {
    for (const hostile of hostileTexts.slice(0, 2)) {
      await screen.open(`${path}/new`)
      await screen.fill('Name', hostile)
      await addOverride(screen, 'system_prompt')
      await screen.fill('System prompt', hostile)
      await screen.click('Create tier')
      await screen.waitForText(`System prompt: ${hostile}`)
    }
    await make(hostileTexts[3] ?? '', { sentinel_blocklist: hostileTexts }, 9)
    await screen.waitForText('A project has at most 3 tiers.')
    await screen.expectAccessible()
  })
  const viewer = { email: 'viewer@example.com', password: 'a password of a viewer' }
  const invited = await dashboard.call('POST', `/auth/v1/tenants/${tenantId}/members`, {
    email: viewer.email,
    role: 'viewer',
  })
  const token = new URL(invited['invite_url'] ?? '').hash.slice('#token='.length)
  await dashboard.call('POST', '/auth/v1/invitations/accept', { token, password: viewer.password })
  await dashboard.visit(
    path,
    async screen => {
      await screen.waitForText('Resolved settings')
      expect(await screen.page.$$('main button, main a[href*="/tiers/"]')).toEqual([])
      await screen.open(`${path}/new`)
      await screen.waitForText('Your role does not let you change the tiers')
      expect(await screen.page.$$('main button, main input')).toEqual([])
    },
    viewer,
  )
})
