// Settings: the draft side by side with what is live, deployed, discarded and rolled back; two browsers at once.
import type { HTTPRequest } from 'puppeteer-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SimulatedProvider, startSimulatedProvider } from '../../../../server/src/demo/simulated-provider.ts'
import { roomFor } from '../../../../server/test/support/slowness.ts'
import { type Dashboard, hostileTexts, type Screen, startDashboard } from '../../support/dashboard.ts'
import { holdRequests } from '../../support/hold-requests.ts'

type Body = Record<string, unknown>
const adminSecret = 'an admin secret for this test, long enough'
let provider: SimulatedProvider
let dashboard: Dashboard
let tenantId: string
let projectId: string
beforeAll(async () => {
  provider = await startSimulatedProvider()
  dashboard = await startDashboard({ OPENAI_BASE_URL: provider.baseUrl, ADMIN_SECRET: adminSecret })
})
afterAll(async () => {
  await dashboard?.stop()
  await provider?.close()
})

async function makeProject(): Promise<void> {
  tenantId = (await dashboard.call('POST', '/auth/v1/tenants', { name: 'Acme' }))['id'] ?? ''
  projectId = (await dashboard.call('POST', `/auth/v1/tenants/${tenantId}/projects`, { name: 'Chat' }))['id'] ?? ''
}

const readDraft = () => dashboard.call<Body>('GET', `/auth/v1/projects/${projectId}/settings`)
const readChanges = () => dashboard.call<Body[]>('GET', `/auth/v1/projects/${projectId}/settings/changes`)
const put = (body: Body) => dashboard.call('PUT', `/auth/v1/projects/${projectId}/settings`, body)
const deploy = () => dashboard.call('POST', `/auth/v1/projects/${projectId}/settings/deploy`)
/** Label, deployed value and draft value of each change. */
const shownChanges = (screen: Screen) =>
  screen.page.$$eval(':is(main, dialog) li:has(> .grid)', items =>
    items.map(item => [...item.querySelectorAll('bdi')].map(part => part.textContent)),
  )
const noChanges = 'The draft is the same as what is live.'

test('an edit is a draft, shown beside what is live, until it is deployed', async () => {
  await makeProject()
  await dashboard.visit(`/app/projects/${projectId}/settings`, async screen => {
    await screen.waitForText(noChanges)
    await screen.fill('Requests per minute', 'many')
    await screen.click('Save draft')
    await screen.waitForText('Requests per minute must be between 1 and 10,000')
    expect(await screen.page.$eval('[aria-invalid]', field => field.getAttribute('name'))).toBe('rpm_limit')
    await screen.fill('Requests per minute', '7')
    await screen.fill('Requests per minute per user', '3')
    await screen.click('Save draft')
    await screen.waitForText('2 changes are not live')
    await screen.click('Review')
    expect(await shownChanges(screen)).toEqual([
      ['Requests per minute', '60', '7'],
      ['Requests per minute per user', 'No limit', '3'],
    ])
    await screen.expectAccessible()
    await screen.click('Close')
    await screen.waitForText('Deployed: 60')
    await screen.fill('Allowed origins', 'https://a.example.com\nhttps://b.example.com')
    // What is typed but not saved would not be deployed.
    await screen.waitForText('Not saved: Origins')
    expect(await screen.page.$$('aria/Deploy[role="button"]')).toEqual([])
    await screen.click('Save draft')
    await screen.waitForText('3 changes are not live')
    await screen.expectAccessible()
    expect(await readDraft()).toMatchObject({ rpm_limit: 7, user_rpm_limit: 3, deployed_at: null })
    await screen.click('Deploy')
    await screen.waitForText(noChanges)
    expect(await readChanges()).toEqual([])
    expect((await readDraft())['deployed_at']).not.toBeNull()
  })
})

test('one save is for the edits of all areas, by the bar or by Enter, and one undo, too', async () => {
  await makeProject()
  await dashboard.visit(`/app/projects/${projectId}/settings`, async screen => {
    await screen.waitForText(noChanges)
    const saves: unknown[] = []
    screen.page.on('request', sent => {
      if (sent.method() === 'PUT') saves.push(JSON.parse(sent.postData() ?? ''))
    })
    const edit = async () => {
      await screen.fill('Requests per minute', '7')
      await screen.fill('Allowed origins', 'https://a.example.com')
      await screen.waitForText('Not saved: Origins, Limits')
    }
    await edit()
    await screen.click('Undo edits')
    await screen.waitForText(noChanges)
    expect(await screen.valueOf('Requests per minute')).toBe('60')
    await edit()
    await screen.click('Save draft')
    await screen.waitForText('2 changes are not live')
    const both = { rpm_limit: 7, cors_origins: ['https://a.example.com'] }
    expect(saves).toEqual([both])
    await screen.fill('Requests per minute', '8')
    await screen.page.keyboard.press('Enter')
    await expect.poll(readDraft).toMatchObject({ ...both, rpm_limit: 8 })
    expect(saves).toEqual([both, { rpm_limit: 8 }])
  })
})

test('another browser’s draft and deploy show within two seconds, and what is typed here stays', async () => {
  await makeProject()
  await put({ rpm_limit: 7 })
  await dashboard.visit(`/app/projects/${projectId}/settings`, async first => {
    await dashboard.visit(`/app/projects/${projectId}/settings`, async second => {
      await first.waitForText('1 change is not live')
      await second.waitForText('1 change is not live')
      await first.fill('Tokens per day (UTC)', '5000')
      await first.waitForText('Undo edits')
      await second.fill('Requests per minute', '8')
      await second.click('Save draft')
      await first.page.waitForFunction('document.querySelector("[name=rpm_limit]").value === "8"')
      expect(await first.valueOf('Tokens per day (UTC)')).toBe('5000')
      // Only what was edited here is sent: the other's value stays.
      await first.click('Save draft')
      await first.waitForText('2 changes are not live')
      expect(await readDraft()).toMatchObject({ rpm_limit: 8, tokens_per_day: 5000 })
      expect(await first.valueOf('Requests per minute')).toBe('8')
      await second.waitForText('2 changes are not live')
      await second.page.waitForFunction('document.querySelector("[name=tokens_per_day]").value === "5000"')
      await second.click('Deploy')
      await second.waitForText('Deployed. The settings are live')
      const deployedAt = performance.now()
      await first.waitForText(noChanges)
      expect(performance.now() - deployedAt).toBeLessThan(roomFor(2000))
    })
    // A navigation would lose what is typed.
    await first.fill('Tokens per day (UTC)', '6000')
    await first.click('All deployments', 'link')
    await first.waitForText('Leave without saving?')
    await first.click('Stay')
    expect(await first.valueOf('Tokens per day (UTC)')).toBe('6000')
    await first.click('Undo edits')
    expect(await first.valueOf('Tokens per day (UTC)')).toBe('5000')
    await first.click('All deployments', 'link')
    await first.waitForText('Deployment 1')
  })
})

test('what is typed while a form is saved stays an edit', async () => {
  await makeProject()
  await dashboard.visit(`/app/projects/${projectId}/settings`, async screen => {
    await screen.waitForText(noChanges)
    await screen.fill('Requests per minute', '7')
    await screen.fill('Tokens per day (UTC)', '5000')
    const isSave = (sent: HTTPRequest) => sent.method() === 'PUT'
    await holdRequests(screen, isSave, async () => {
      await screen.click('Save draft')
      await screen.fill('Requests per minute', '8')
    })
    await screen.waitForText('2 changes are not live')
    expect(await readDraft()).toMatchObject({ rpm_limit: 7, tokens_per_day: 5000 })
    expect(await screen.valueOf('Requests per minute')).toBe('8')
    await screen.click('Undo edits')
    expect(await screen.valueOf('Requests per minute')).toBe('7')
  })
})

test('a draft is discarded, and a rollback shows first what it changes', async () => {
  await makeProject()
  await put({ rpm_limit: 7 })
  await deploy()
  await put({ rpm_limit: 8, cors_origins: ['https://new.example.com'] })
  await deploy()
  await put({ rpm_limit: 9 })
  await dashboard.visit(`/app/projects/${projectId}/settings`, async screen => {
    await screen.click('All deployments', 'link')
    await screen.waitForText('Deployment 2')
    await screen.page.goBack()
    await screen.click('Discard draft')
    await screen.waitForText('for everybody who works on it')
    await screen.page.goForward()
    await screen.waitForText('Deployment 2')
    expect(await screen.page.$('dialog')).toBeNull()
    await screen.page.goBack()
    await screen.click('Discard draft')
    await screen.waitForText('for everybody who works on it')
    await screen.submitDialog()
    await screen.waitForText(noChanges)
    expect(await readDraft()).toMatchObject({ rpm_limit: 8 })
    expect(await screen.valueOf('Requests per minute')).toBe('8')

    await screen.click('All deployments', 'link')
    await screen.waitForText('Deployment 2')
    await screen.expectAccessible()
    expect(await screen.text()).toContain('by owner@example.com')
    expect((await shownChanges(screen)).at(-1)).toEqual(['Requests per minute', '60', '7'])
    await screen.click('Roll back to deployment 1')
    await screen.waitForText('The draft and its tiers are replaced, too.')
    await screen.page.waitForSelector('dialog li ::-p-text(Allowed origins)')
    expect(await readDraft()).toMatchObject({ rpm_limit: 8 })
    await screen.submitDialog()
    await screen.waitForText('Deployment 3')
    await screen.waitForText('Rollback to deployment 1')
    await screen.waitForText('The settings of deployment 1 are live again.')
    expect(await readDraft()).toMatchObject({ rpm_limit: 7, cors_origins: [dashboard.origin] })
  })
})

test('a model is drafted and deployed, a list of models filled from the menu, the default model used at once', async () => {
  await makeProject()
  const operator = { 'x-admin-secret': adminSecret, 'content-type': 'application/json' }
  const plan = { method: 'PUT', headers: operator, body: JSON.stringify({ plan: 'pro' }) }
  expect((await fetch(`${dashboard.product.baseUrl}/v1/admin/tenants/${tenantId}/plan`, plan)).status).toBe(200)
  const key = { api_key: 'sk-a-key-that-is-long-enough' }
  await dashboard.call('PUT', `/auth/v1/tenants/${tenantId}/providers/openai`, key)
  await dashboard.visit(`/app/projects/${projectId}/settings`, async screen => {
    await screen.page.waitForSelector('option[value="openai/gpt-4o"]')
    await screen.choose('Model', 'openai/gpt-4o')
    await screen.click('Save draft')
    await screen.waitForText('1 change is not live')
    for (const model of ['openai/gpt-4o', 'openai/gpt-4o-mini']) {
      await screen.choose('Add a model to the list', model)
      await screen.click('Add')
    }
    await screen.click('Save draft')
    await screen.waitForText('2 changes are not live')
    expect(await readDraft()).toMatchObject({
      provider_model: null,
      draft_provider_model: 'openai/gpt-4o',
      allowed_models: ['openai/gpt-4o', 'openai/gpt-4o-mini'],
    })
    await screen.click('Deploy')
    await screen.waitForText(noChanges)
    expect(await readDraft()).toMatchObject({ provider_model: 'openai/gpt-4o' })
    await screen.click('Use the default model now')
    await screen.waitForText('stops answering at once')
    expect(await readDraft()).toMatchObject({ provider_model: 'openai/gpt-4o' })
    await screen.submitDialog()
    await screen.waitForText('The default model of the installation answers.')
    expect(await readDraft()).toMatchObject({ provider_model: null })
    expect(await screen.valueOf('Model')).toBe('')
  })
})

test('hostile texts stay texts; a viewer reads all and changes nothing', async () => {
  await makeProject()
  await dashboard.visit(`/app/projects/${projectId}/settings`, async screen => {
    await screen.waitForText(noChanges)
    const prompt = hostileTexts.join('\n')
    await screen.fill('System prompt', prompt)
    await screen.click('Save draft')
    await screen.waitForText('1 change is not live')
    expect(await readDraft()).toMatchObject({ system_prompt: prompt })
    await screen.click('Review')
    expect(await shownChanges(screen)).toEqual([['System prompt', 'No prompt', ...hostileTexts]])
    await screen.expectAccessible()
    await screen.click('Close')
    for (const hostile of hostileTexts) {
      await screen.fill('Allowed origins', hostile)
      await screen.click('Save draft')
      await screen.waitForText(`Invalid origin '${hostile}'`)
      expect(await screen.page.$eval(':focus', field => field.getAttribute('name'))).toBe('cors_origins')
    }
  })
  const viewer = { email: 'viewer@example.com', password: 'a password of a viewer' }
  const invited = await dashboard.call('POST', `/auth/v1/tenants/${tenantId}/members`, {
    email: viewer.email,
    role: 'viewer',
  })
  const token = new URL(invited['invite_url'] ?? '').hash.slice('#token='.length)
  await dashboard.call('POST', '/auth/v1/invitations/accept', { token, password: viewer.password })
  await deploy()
  await put({ rpm_limit: 9 })
  await dashboard.visit(
    `/app/projects/${projectId}/settings`,
    async screen => {
      await screen.waitForText('1 change is not live')
      expect(await screen.page.$$('main button, main input, main select, main textarea')).toEqual([])
      expect(await screen.text()).toContain('Never deleted')
      await screen.open(`/app/projects/${projectId}/deployments`)
      await screen.waitForText('Deployment 1')
      expect(await screen.page.$$('main button')).toEqual([])
    },
    viewer,
  )
})
