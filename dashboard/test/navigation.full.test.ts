// Finding one's way: the groups of screens, the breadcrumbs, the command menu and the keys, by the keyboard alone.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Dashboard, type Screen, startDashboard } from './support/dashboard.ts'
import { adminSecret, createStage, type Stage } from './support/stage.ts'

let dashboard: Dashboard
let stage: Stage
let overview: string
beforeAll(async () => {
  dashboard = await startDashboard({ ADMIN_SECRET: adminSecret })
  stage = await createStage(dashboard, 'Support chat')
  await dashboard.call('POST', `/auth/v1/tenants/${stage.tenantId}/projects`, { name: 'Billing' })
  overview = `/app/projects/${stage.projectId}`
})
afterAll(() => dashboard?.stop())

async function openMenu({ page }: Screen): Promise<void> {
  await page.keyboard.down('Control')
  await page.keyboard.press('k')
  await page.keyboard.up('Control')
  await page.waitForSelector('dialog [role=combobox]:focus')
}

/** What the keys would open. */
const chosen = ({ page }: Screen): Promise<string> =>
  page.$eval('[role=combobox]', field => {
    const id = field.getAttribute('aria-activedescendant') ?? ''
    return document.getElementById(id)?.innerText ?? ''
  })

test('a project’s screens stand in groups, and the breadcrumbs lead to the tenant and to the screen', async () => {
  await dashboard.visit(`${overview}/requests`, async screen => {
    await screen.page.waitForSelector('main h1')
    const groups = await screen.page.$$eval('nav[aria-label=Main] ul[aria-label]', lists =>
      lists.map(list => list.getAttribute('aria-label')),
    )
    expect(groups).toEqual(['Start', 'Observe', 'Build', 'Protect', 'Configure'])
    const crumbs = () => screen.page.$eval('nav[aria-label=Breadcrumbs]', nav => (nav as HTMLElement).innerText)
    await expect.poll(crumbs).toMatch(/Acme.*Support chat.*Requests/s)
    await screen.click('Tenant Acme', 'link')
    await screen.waitForPath(`/app/tenants/${stage.tenantId}`)
    await expect.poll(crumbs).not.toContain('Support chat')
    await screen.open(`${overview}/requests`)
    await screen.click('Members', 'link')
    await screen.waitForPath(`/app/tenants/${stage.tenantId}/members`)
  })
})

test('the command menu finds screens, settings and projects, and remembers projects that were opened', async () => {
  await dashboard.visit(overview, async screen => {
    await screen.page.waitForSelector('main h1')
    await openMenu(screen)
    await screen.expectAccessible()
    await screen.page.keyboard.type('requests per minute')
    await expect.poll(() => chosen(screen)).toContain('Requests per minute')
    await screen.page.keyboard.press('Enter')
    await screen.page.waitForSelector('main [name=rpm_limit]:focus')
    expect(screen.path()).toBe(`${overview}/settings`)
    await openMenu(screen)
    await screen.page.keyboard.type('billing')
    await expect.poll(() => chosen(screen)).toContain('Billing')
    await screen.page.keyboard.press('Enter')
    await screen.page.waitForSelector('h1 ::-p-text(Billing)')
    await openMenu(screen)
    await expect.poll(() => chosen(screen)).toContain('Support chat')
    await screen.page.keyboard.press('ArrowUp')
    await expect.poll(() => chosen(screen)).toContain('Documentation')
    await screen.page.keyboard.type('no such thing')
    await screen.waitForText('Nothing found.')
    await screen.page.keyboard.press('Escape')
    await screen.page.waitForFunction('document.querySelector("dialog") === null')
  })
})

test('letters lead to screens, not while something is typed, and not once they are switched off', async () => {
  await dashboard.visit(overview, async screen => {
    const { keyboard } = screen.page
    await screen.page.waitForSelector('main h1')
    await keyboard.type('gs')
    await screen.waitForPath(`${overview}/settings`)
    await screen.page.waitForSelector('main [name=rpm_limit]')
    await screen.fill('System prompt', 'go')
    await keyboard.type('gu?')
    expect(await screen.valueOf('System prompt')).toBe('gogu?')
    await screen.click('Undo edits')
    await screen.page.focus('main h1')
    await keyboard.type('?')
    await screen.waitForText('Keyboard shortcuts')
    await screen.expectAccessible()
    await screen.click('Shortcuts of single letters', 'checkbox')
    await screen.click('Close')
    await keyboard.type('gu?')
    await openMenu(screen)
    expect(screen.path()).toBe(`${overview}/settings`)
  })
})
