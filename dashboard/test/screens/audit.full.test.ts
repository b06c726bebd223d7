// The audit of a tenant: filtered, with what an act changed, exported, and its chain checked.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Dashboard, hostileTexts, startDashboard } from '../support/dashboard.ts'
import { addMember } from '../support/stage.ts'

let dashboard: Dashboard
let tenantId: string
beforeAll(async () => {
  dashboard = await startDashboard()
  tenantId = (await dashboard.call('POST', '/auth/v1/tenants', { name: 'Acme' }))['id'] ?? ''
  await dashboard.call('POST', `/auth/v1/tenants/${tenantId}/projects`, { name: hostileTexts[0] })
  await dashboard.call('PATCH', `/auth/v1/tenants/${tenantId}`, { name: 'Acme of the north' })
})
afterAll(() => dashboard?.stop())

test('an owner filters the audit, sees what was changed, and verifies the chain', async () => {
  await dashboard.visit(`/app/tenants/${tenantId}/audit`, async screen => {
    await screen.waitForText('tenant.rename')
    await screen.waitForText('project.create')
    await screen.expectAccessible()
    await screen.clickOn('main details summary')
    await screen.waitForText('Acme of the north')
    await screen.click('Verify chain')
    await screen.waitForText('The chain is whole: 2 entries')
    await screen.expectAccessible()
    await screen.fill('Action', '')
    await screen.page.keyboard.type('tenant.rename')
    await screen.page.waitForFunction(
      () => !document.querySelector('main table')?.textContent.includes('project.create'),
    )
    expect(new URL(screen.page.url()).searchParams.get('action')).toBe('tenant.rename')
    // Nothing was pressed, and one can go on typing.
    expect(await screen.page.evaluate('document.activeElement.name')).toBe('action')
    await screen.choose('Outcome', 'refused')
    await screen.waitForText('No such entries')
    expect(new URL(screen.page.url()).search).toBe('?action=tenant.rename&outcome=refused')
    await screen.choose('Outcome', '')
    await screen.click('Clear the filters')
    await screen.waitForText('project.create')
    expect([new URL(screen.page.url()).search, await screen.valueOf('Action')]).toEqual(['', ''])
    await screen.clickOn('main table button[title="Show only what they did"]')
    await screen.page.waitForFunction(() => new URL(location.href).searchParams.get('actor') !== null)
    for (const hostile of hostileTexts) {
      await screen.fill('Actor’s id', hostile)
      await screen.page.waitForFunction(id => new URLSearchParams(location.search).get('actor') === id, {}, hostile)
      await screen.waitForText('No such entries')
    }
    await screen.expectAccessible()
  })
})

test('on a phone, entries are short cards, and the first twenty are shown before the others', async () => {
  const { id } = await dashboard.call('POST', '/auth/v1/tenants', { name: 'Long' })
  for (let count = 0; count < 24; count += 1) {
    await dashboard.call('PATCH', `/auth/v1/tenants/${id}`, { name: `Long ${count}` })
  }
  await dashboard.visit(`/app/tenants/${id}/audit`, async screen => {
    const heights = () =>
      screen.page.$$eval('main tbody tr', rows => rows.map(row => row.getBoundingClientRect().height).filter(Boolean))
    await expect.poll(async () => (await heights()).length).toBeGreaterThan(20)
    const all = (await heights()).length
    await screen.page.setViewport({ width: 390, height: 844, isMobile: true, hasTouch: true })
    await expect.poll(async () => (await heights()).length).toBe(20)
    expect(Math.max(...(await heights()))).toBeLessThan(140)
    await screen.click(`Show ${all - 20} more`)
    await expect.poll(async () => (await heights()).length).toBe(all)
  })
})

test('screens show the last change of their thing to who may read the audit', async () => {
  const { id: projectId } = await dashboard.call('POST', `/auth/v1/tenants/${tenantId}/projects`, { name: 'Changed' })
  await dashboard.visit(`/app/projects/${projectId}/general`, async screen => {
    await screen.waitForText('Project created')
    await dashboard.call('PATCH', `/auth/v1/projects/${projectId}`, { name: 'Changed twice' })
    await screen.waitForText('Project renamed')
    await screen.waitForText('Last change: owner@example.com')
    // Reading changes nothing.
    await screen.page.evaluate(
      path => fetch(path).then(response => response.text()),
      `/auth/v1/projects/${projectId}/usage/export`,
    )
    await screen.page.reload()
    await screen.waitForText('Project renamed')
    await screen.expectAccessible()
    await screen.click('All changes', 'link')
    await screen.waitForText('usage.export')
    expect(new URL(screen.page.url()).searchParams.get('target')).toBe(projectId)
    await dashboard.call('POST', `/auth/v1/projects/${projectId}/api-keys`, { name: 'nightly' })
    await screen.fill('Target’s id', '')
    await screen.fill('Action', 'api_key.create')
    await screen.page.keyboard.press('Enter')
    await screen.waitForText('in Changed twice')
  })
  const member = await addMember(dashboard, tenantId, 'member')
  await dashboard.visit(
    `/app/projects/${projectId}/general`,
    async screen => {
      await screen.waitForText('Suspend project')
      expect(await screen.text()).not.toContain('Last change')
    },
    member,
  )
})

test('keys, service accounts and end users show who last changed them', async () => {
  const { id } = await dashboard.call('POST', '/auth/v1/tenants', { name: 'Keys' })
  const { id: projectId } = await dashboard.call('POST', `/auth/v1/tenants/${id}/projects`, { name: 'Keys' })
  const keys = `/auth/v1/projects/${projectId}/api-keys`
  await dashboard.call('POST', keys, { name: 'kept' })
  const { id: rotated } = await dashboard.call('POST', keys, { name: 'rotated' })
  await dashboard.call('POST', `${keys}/${rotated}/rotate`)
  const account = { name: 'Pipeline', permissions: ['project:read'] }
  await dashboard.call('POST', `/auth/v1/tenants/${id}/service-accounts`, account)
  const pages = [
    [`/app/projects/${projectId}/api-keys`, 2],
    // It shows who created an account, too.
    [`/app/tenants/${id}/service-accounts`, 2],
  ] as const
  for (const [path, rows] of pages) {
    await dashboard.visit(path, async screen => {
      await screen.waitForText('Last change')
      await screen.page.waitForSelector('td a[href*="/audit?target="]')
      const names = await screen.page.$$eval('td', cells =>
        cells.filter(cell => cell.textContent?.startsWith('owner@example.com')).map(cell => cell.textContent),
      )
      expect(names).toHaveLength(rows)
      await screen.expectAccessible()
    })
  }
  await dashboard.call('PUT', `/auth/v1/projects/${projectId}/users/user-1/block`, { reason: 'Too much' })
  await dashboard.visit(`/app/projects/${projectId}/end-users/user?uid=user-1`, async screen => {
    await screen.waitForText('Last change: owner@example.com')
    await screen.expectAccessible()
  })
})

test('lists show who last changed each row, by one request for all of them', async () => {
  const { id: projectId } = await dashboard.call('POST', `/auth/v1/tenants/${tenantId}/projects`, { name: 'Listed' })
  const messages = [{ role: 'system', content: 'Be brief.' }]
  for (const name of ['first', 'second']) {
    await dashboard.call('PUT', `/auth/v1/projects/${projectId}/prompts/${name}`, { messages })
    await dashboard.call('PUT', `/auth/v1/tenants/${tenantId}/roles/${name}`, { permissions: ['project:read'] })
  }
  const pages = [
    [`/app/projects/${projectId}/prompts`, 'prompt.put'],
    [`/app/tenants/${tenantId}/members`, 'role.put'],
  ] as const
  const linkOf = (name: string) => `td a[href*="target=${name}"]`
  for (const [path, action] of pages) {
    await dashboard.visit(path, async screen => {
      const asked = new Set<string | undefined>()
      screen.page.on('request', request => {
        if (request.url().endsWith('/last-changes')) asked.add(request.postData())
      })
      await screen.page.reload()
      for (const name of ['first', 'second']) await screen.page.waitForSelector(linkOf(name))
      expect([...asked].filter(body => body?.includes(action))).toEqual([expect.stringContaining('"first","second"')])
      await screen.expectAccessible()
      await screen.clickOn(linkOf('second'))
      await screen.waitForText(action)
    })
  }
})
