// The operator's screens: the secret, tenants and plans, kill switches, the catalog, and the usage of all tenants.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SimulatedProvider, startSimulatedProvider } from '../../../server/src/demo/simulated-provider.ts'
import { type Dashboard, hostileTexts, type Screen, startDashboard } from '../support/dashboard.ts'
import { createViewer } from '../support/stage.ts'

const adminSecret = 'an admin secret for this test, long enough'
const hostileName = hostileTexts[0] ?? ''

let provider: SimulatedProvider
let dashboard: Dashboard
let tenantId: string
let projectId: string
let ask: () => Promise<number>
beforeAll(async () => {
  provider = await startSimulatedProvider()
  dashboard = await startDashboard({
    ADMIN_SECRET: adminSecret,
    OPENAI_BASE_URL: provider.baseUrl,
    PLATFORM_OPENAI_API_KEY: 'sk-simulated-key-of-this-test',
    PLATFORM_DEFAULT_MODEL: 'openai/gpt-4o-mini',
  })
  const { call } = dashboard
  tenantId = (await call('POST', '/auth/v1/tenants', { name: hostileName }))['id'] ?? ''
  const project = await call('POST', `/auth/v1/tenants/${tenantId}/projects`, { name: 'Chat' })
  projectId = project['id'] ?? ''
  const apiKey = await call('POST', `/auth/v1/projects/${projectId}/api-keys`, { name: 'backend' })
  const minted = await call('POST', '/auth/v1/auth/mint', { user_id: 'user-1' }, apiKey['api_key'])
  ask = async () => {
    const response = await fetch(`${dashboard.product.baseUrl}/p/${project['slug']}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${minted['access_token']}`, 'content-type': 'application/json' },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }] }),
    })
    await response.text()
    return response.status
  }
  expect(await ask()).toBe(200)
})
afterAll(async () => {
  await dashboard?.stop()
  await provider?.close()
})

const planOf = async () => (await dashboard.call('GET', `/auth/v1/tenants/${tenantId}`))['plan']

/** The bar has the names of the user's own tenants. */
const mainText = (screen: Screen) => screen.page.$eval('main', main => main.innerText)

async function enterSecret(screen: Screen): Promise<void> {
  await screen.fill('Admin secret', adminSecret)
  await screen.click('Continue')
}

test('the secret is asked for, kept in memory only, and gone once the operator leaves', async () => {
  await dashboard.visit('/app/operator', async screen => {
    for (const hostile of hostileTexts) {
      await screen.fill('Admin secret', hostile)
      await screen.click('Continue')
      await screen.page.waitForSelector('form [role=alert]:not(:empty), form [aria-invalid]')
      await screen.page.waitForFunction(
        () =>
          !document.querySelector('button[aria-busy=true]') &&
          /Invalid admin secret|Latin-1/.test(document.body.innerText),
      )
    }
    await screen.expectAccessible()
    await enterSecret(screen)
    await screen.waitForText(tenantId)
    const stored = await screen.page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state])',
    )
    expect([String(stored).includes(adminSecret), screen.page.url().includes('secret')]).toEqual([false, false])
    await screen.clickOn('summary ::-p-text(owner@example.com)')
    await screen.click('Security', 'link')
    await screen.waitForText('You are signed in as')
    await screen.page.goBack()
    await screen.waitForText('It stays in the memory of this page')
    expect(await mainText(screen)).not.toContain(tenantId)
  })
})

test('tenants are searched and given another plan, and an owner is let back in', async () => {
  await dashboard.call('POST', '/auth/v1/tenants', { name: 'Somebody else' })
  await dashboard.visit('/app/operator?q=SOMEBODY', async screen => {
    await enterSecret(screen)
    await screen.waitForText('Somebody else')
    expect(await mainText(screen)).not.toContain(hostileName)
    for (const hostile of hostileTexts.slice(1)) {
      await screen.fill('Id, or part of a name or of a member’s email', hostile)
      await screen.click('Search')
      await screen.page.waitForFunction(q => new URLSearchParams(location.search).get('q') === q, {}, hostile)
      await screen.waitForText('No tenant found')
    }
    await screen.fill('Id, or part of a name or of a member’s email', tenantId)
    await screen.click('Search')
    await screen.click(`Set the pro plan for ${hostileName}`)
    await screen.waitForText('is on the pro plan now')
    expect(await planOf()).toBe('pro')
    await screen.expectAccessible()
    await screen.click(`Set the free plan for ${hostileName}`)
    await screen.waitForText('Nothing stops')
    await screen.click('Cancel')
    expect(await planOf()).toBe('pro')
    await screen.click(`Set the free plan for ${hostileName}`)
    await screen.submitDialog()
    await screen.waitForText('is on the free plan now')
    expect(await planOf()).toBe('free')
    await screen.click('Reset link for owner@example.com')
    await screen.waitForText('only once')
    expect(await screen.page.$eval('dialog pre', pre => pre.textContent)).toMatch(/\/reset#token=\S+$/)
  })
})

test('a project is found by its host and stopped', async () => {
  const { slug = '', fqdn_prod = '' } = await dashboard.call('GET', `/auth/v1/projects/${projectId}`)
  await dashboard.visit('/app/operator', async screen => {
    await enterSecret(screen)
    await screen.click(`1 active project of ${hostileName}`, 'link')
    await screen.waitForText(projectId)
    for (const hostile of hostileTexts) {
      await screen.fill('Host, id of a project or tenant, or part of a name', hostile)
      await screen.click('Search')
      await screen.waitForText('No project found')
    }
    await screen.fill('Host, id of a project or tenant, or part of a name', fqdn_prod)
    await screen.click('Search')
    await screen.waitForText(projectId)
    await screen.expectAccessible()
    await screen.click('Stop Chat')
    await screen.waitForText(`Chat (${slug})`)
    expect(await ask()).toBe(200)
    await screen.submitDialog()
    await screen.waitForText('The kill switch is on.')
    expect(await ask()).toBe(403)
    await screen.click('Kill switches', 'link')
    await screen.click(`Lift the kill switch of the project ${projectId}`)
    await screen.waitForText('No kill switch is on')
    expect(await ask()).toBe(200)
  })
})

test('kill switches say what they stop, are set, listed and lifted', async () => {
  await dashboard.visit('/app/operator/kill-switches', async screen => {
    await enterSecret(screen)
    await screen.waitForText('No kill switch is on')
    for (const hostile of hostileTexts) {
      await screen.fill('Id of the project', hostile)
      await screen.click('Set a kill switch…')
      await screen.waitForText(' must be the id of a project')
    }
    await screen.fill('Id of the project', projectId)
    await screen.click('Set a kill switch…')
    await screen.waitForText('All requests of the project’s end users')
    expect(await ask()).toBe(200)
    await screen.submitDialog()
    await screen.waitForText('The kill switch is on.')
    expect(await ask()).toBe(403)
    await screen.choose('What to stop', 'tenant')
    await screen.fill('Id of the tenant', tenantId)
    await screen.click('Set a kill switch…')
    await screen.submitDialog()
    await screen.page.waitForSelector(`aria/Lift the kill switch of the tenant ${tenantId}`)
    await screen.choose('What to stop', 'global')
    await screen.click('Set a kill switch…')
    await screen.waitForText('of all tenants')
    expect(await screen.page.$eval('dialog button[type=submit]', button => button.hasAttribute('aria-disabled'))).toBe(
      true,
    )
    await screen.expectAccessible()
    await screen.fill('Type “stop everything” to confirm', 'stop everything')
    await screen.submitDialog()
    await screen.page.waitForSelector('aria/Lift the kill switch of everything')
    await screen.expectAccessible()
    for (const target of ['everything', `the tenant ${tenantId}`, `the project ${projectId}`]) {
      expect(await ask()).toBe(403)
      await screen.click(`Lift the kill switch of ${target}`)
      await screen.page.waitForFunction(
        name => !document.querySelector(`[aria-label="Lift the kill switch of ${name}"]`),
        {},
        target,
      )
    }
    expect(await ask()).toBe(200)
  })
})

test('the catalog is synced and extended, and the usage is summed up', async () => {
  await dashboard.visit('/app/operator/catalog', async screen => {
    await enterSecret(screen)
    await screen.click('Sync models of OpenAI')
    await screen.waitForText('models listed')
    await screen.click('Add a provider')
    await screen.fill('Name', hostileTexts[2] ?? '')
    await screen.fill('Display name', hostileName)
    for (const hostile of hostileTexts) {
      await screen.fill('Slug', hostile)
      await screen.submitDialog()
      await screen.waitForText(' must be 1-63')
    }
    await screen.fill('Slug', 'internal')
    for (const hostile of hostileTexts) {
      await screen.fill('URL of its list of models', hostile)
      await screen.submitDialog()
      await screen.page.waitForSelector('dialog form [role=alert]:not(:empty)')
    }
    await screen.fill('URL of its list of models', '')
    await screen.submitDialog()
    await screen.waitForText('is in the catalog.')
    await screen.expectAccessible()
    await screen.click('Usage', 'link')
    await screen.waitForText('Usage of all tenants')
    await expect.poll(() => mainText(screen), { timeout: 60_000 }).toContain(hostileName)
    await screen.choose('For each', 'model')
    await screen.click('Show')
    await screen.waitForText('openai/gpt-4o-mini')
    expect(new URL(screen.page.url()).search).toBe('?group_by=model')
    await screen.choose('For each', 'endpoint')
    await screen.click('Show')
    await screen.waitForText('Chat completions')
    expect(new URL(screen.page.url()).search).toBe('?group_by=endpoint')
    await screen.expectAccessible()
    await screen.click('Sign out as operator')
    await screen.waitForText('It stays in the memory of this page')
  })
})

test('an operator adds others, and gives programs credentials, by the own sign-in; the audit has it', async () => {
  const viewer = await createViewer(dashboard, tenantId)
  const statusWith = async (secret: string) => {
    const headers = { 'x-admin-secret': secret }
    return (await fetch(`${dashboard.product.baseUrl}/v1/admin/tenants`, { headers })).status
  }
  await dashboard.visit('/app/operator/access', async screen => {
    await screen.click('Continue as yourself')
    await screen.page.waitForSelector('aria/Remove owner@example.com')
    await screen.fill('Email of the account', 'nobody@example.com')
    await screen.click('Add operator')
    await screen.page.waitForSelector('form [role=alert]:not(:empty)')
    await screen.fill('Email of the account', viewer.email)
    await screen.click('Add operator')
    await screen.page.waitForSelector(`aria/Remove ${viewer.email}`)
    await screen.expectAccessible()
    await screen.click(`Remove ${viewer.email}`)
    await screen.submitDialog()
    await screen.waitForText('is no longer an operator')
    await screen.click('New credential')
    await screen.fill('Name', hostileName)
    await screen.submitDialog()
    await screen.waitForText('only once')
    const secret = (await screen.page.$eval('dialog pre', pre => pre.textContent)) ?? ''
    expect([secret.startsWith('op_'), await statusWith(secret)]).toEqual([true, 200])
    await screen.expectAccessible()
    await screen.click('I have stored the secret')
    await screen.click(`Delete ${hostileName}`)
    await screen.submitDialog()
    await screen.waitForText('The credential is deleted.')
    expect(await statusWith(secret)).toBe(401)
    await screen.clickOn('nav[aria-label=Operator] a[href="/app/operator/audit"]')
    await screen.waitForText('operator_credential.delete')
    await screen.waitForText('Download NDJSON')
    await screen.click('Verify chain')
    await screen.waitForText('The chain is whole')
    await screen.expectAccessible()
    await screen.fill('Action', 'operator.add')
    await screen.page.waitForFunction(() => !document.querySelector('main table')?.textContent.includes('credential'))
    expect(await mainText(screen)).toContain(viewer.email)
  })
  await dashboard.visit(
    '/app/operator',
    async screen => {
      await screen.click('Continue as yourself')
      await screen.waitForText('Your account is not an operator')
      expect(await mainText(screen)).toContain('Admin secret')
    },
    viewer,
  )
})

// Last, since the first page has no place for other credentials any more.
test('credentials that do not fit on one page are shown page by page', async () => {
  const headers = { 'x-admin-secret': adminSecret, 'content-type': 'application/json' }
  const create = async (number: number): Promise<number> => {
    const body = JSON.stringify({ name: `program-${number}`, scope: 'read' })
    return (await fetch(`${dashboard.product.baseUrl}/v1/admin/credentials`, { method: 'POST', headers, body })).status
  }
  for (let first = 0; first <= 200; first += 67) {
    const made = await Promise.all(Array.from({ length: 67 }, (_, index) => create(first + index)))
    expect(new Set(made)).toEqual(new Set([201]))
  }
  await dashboard.visit('/app/operator/access', async screen => {
    const shown = () => screen.page.$$eval('main td code', hints => hints.length)
    await enterSecret(screen)
    await expect.poll(shown).toBe(200)
    await screen.click('More credentials')
    await expect.poll(shown).toBe(201)
    await screen.page.waitForSelector('aria/More credentials', { hidden: true })
  })
})
