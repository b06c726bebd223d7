// API keys: shown once, rotated and revoked after a confirmation that says what breaks.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Dashboard, hostileTexts, type Screen, startDashboard } from '../support/dashboard.ts'

let dashboard: Dashboard
let projectId: string
beforeAll(async () => {
  dashboard = await startDashboard()
  const tenant = await dashboard.call('POST', '/auth/v1/tenants', { name: 'Acme' })
  const project = await dashboard.call('POST', `/auth/v1/tenants/${tenant['id']}/projects`, { name: 'Chat' })
  projectId = project['id'] ?? ''
})
afterAll(() => dashboard?.stop())

async function mints(apiKey: string): Promise<boolean> {
  const response = await fetch(`${dashboard.product.baseUrl}/auth/v1/auth/mint`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ user_id: 'user-1' }),
  })
  return response.ok
}

async function readPlaintext(screen: Screen): Promise<string> {
  await screen.waitForText('only once')
  return await screen.page.$eval('dialog pre', pre => pre.textContent ?? '')
}

test('a key is shown once, rotated, and revoked', async () => {
  await dashboard.visit(`/app/projects/${projectId}/api-keys`, async screen => {
    await screen.waitForText('No API keys')
    await screen.expectAccessible()
    await screen.click('New API key')
    await screen.fill('Name', 'backend')
    await screen.choose('Expires', '90')
    await screen.expectAccessible()
    await screen.click('Create API key')
    const first = await readPlaintext(screen)
    expect(await mints(first)).toBe(true)
    await screen.expectAccessible()
    // Escape must not lose the key.
    await screen.page.keyboard.press('Escape')
    await screen.page.keyboard.press('Escape')
    expect(await readPlaintext(screen)).toBe(first)
    await screen.click('Copy API key')
    await screen.page.waitForFunction(() => /Copied|Selected/.test(document.body.innerText))
    await screen.click('I have stored the key')
    expect(await screen.page.content()).not.toContain(first)

    await screen.waitForText(`…${first.slice(-4)}`)
    await screen.click('Rotate backend')
    await screen.waitForText('Stops working at once')
    expect(await screen.valueOf('The old key')).toBe('3600')
    await screen.choose('The old key', '0')
    await screen.expectAccessible()
    expect(await mints(first)).toBe(true)
    await screen.submitDialog()
    const second = await readPlaintext(screen)
    expect([await mints(first), await mints(second)]).toEqual([false, true])
    await screen.click('I have stored the key')

    // The old key can stay until the servers have the new one.
    await screen.click('Rotate backend')
    await screen.choose('The old key', '86400')
    await screen.expectAccessible()
    await screen.submitDialog()
    const third = await readPlaintext(screen)
    expect([await mints(second), await mints(third)]).toEqual([true, true])
    await screen.click('I have stored the key')
    await screen.waitForText(`Replaced by …${third.slice(-4)}; works until`)
    await screen.waitForText(`Replaces …${second.slice(-4)}; that one works until`)
    await screen.clickOn(`tbody tr:first-child [aria-label="Revoke backend"]`)
    await screen.submitDialog()
    await screen.page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1)
    expect([await mints(second), await mints(third)]).toEqual([false, true])

    await screen.click('Revoke backend')
    await screen.waitForText('stops working at once, for good')
    await screen.click('Cancel')
    expect(await mints(third)).toBe(true)
    await screen.click('Revoke backend')
    await screen.submitDialog()
    await screen.waitForText('No API keys')
    // The button that opened the dialog is gone with its row.
    await screen.page.waitForSelector('h1:focus ::-p-text(API keys)')
    expect(await mints(third)).toBe(false)
  })
})

test('names of any kind are shown as text, and confirmed as text', async () => {
  await dashboard.visit(`/app/projects/${projectId}/api-keys`, async screen => {
    for (const [index, hostile] of hostileTexts.entries()) {
      await screen.click('New API key')
      await screen.fill('Name', hostile)
      await screen.click('Create API key')
      await screen.click('I have stored the key')
      await screen.page.waitForFunction(count => document.querySelectorAll('tbody tr').length === count, {}, index + 1)
    }
    await screen.expectAccessible()
    await screen.clickOn('tbody tr:first-child button')
    await screen.waitForText('Rotate the API key?')
    expect(await screen.text()).toContain(`“${hostileTexts[0]}”`)
  })
})
