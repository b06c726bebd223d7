// The first run: from an empty installation to the first answer in the page, and to an origin that may call the
// project.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type SimulatedProvider, startSimulatedProvider } from '../../server/src/demo/simulated-provider.ts'
import { type Dashboard, hostileTexts, type Screen, startDashboard } from './support/dashboard.ts'

const email = 'owner@example.com'
const password = 'correct horse battery staple'
const adminSecret = 'an admin secret for this test, long enough'

let provider: SimulatedProvider
beforeAll(async () => {
  provider = await startSimulatedProvider()
})
afterAll(() => provider?.close())

async function createFirstProject(screen: Screen): Promise<void> {
  await screen.waitForText('Sign in')
  await screen.fill('Email', email)
  await screen.fill('Password', password)
  await screen.click('Sign in')
  await screen.waitForPath('/app/start')
  await screen.fill('Name of the tenant', hostileTexts[0] ?? '')
  await screen.fill('Name of the project', hostileTexts[1] ?? '')
  await screen.expectAccessible()
  await screen.click('Create project')
  await screen.waitForText('1. The model')
}

/** The example, with the addresses of the installation and of the project. */
async function allowAnonymousUsers(dashboard: Dashboard, screen: Screen): Promise<void> {
  const { origin } = dashboard
  const projectPath = screen.path().replace('/app', '').replace('/first-steps', '')
  await screen.click('Allow anonymous users and deploy')
  await screen.waitForText('The draft has anonymous users.')
  const shown = await screen.page.$eval('[aria-label="page without a server"] pre', pre => pre.textContent ?? '')
  const [address = ''] = /http\S+\/p\/[a-z0-9-]+/.exec(shown) ?? []
  expect(address.startsWith(`${origin}/p/`)).toBe(true)
  const example = readFileSync(join(import.meta.dirname, '../../examples/page/index.html'), 'utf8')
  const own = example.replace('http://localhost:8080/p/amber-falcon-4821', address)
  expect(shown).toBe(own.replace('http://localhost:8080/sdk.js', `${origin}/sdk.js`))
  // The tier of these users decides, not the project: what the user's own server asks for stays as it was.
  const { client_prompts } = await dashboard.call('GET', `/auth/v1${projectPath}/settings`)
  const tiers = await dashboard.call<{ overrides: object }[]>('GET', `/auth/v1${projectPath}/tiers`)
  expect([client_prompts, tiers.map(({ overrides }) => overrides)]).toEqual(['allow', [{ client_prompts: 'required' }]])
  const headers = { origin: 'http://localhost:3000' }
  const ask = () => fetch(`${address}/v1/auth/anonymous/challenge`, { headers })
  await expect.poll(async () => (await ask()).status).toBe(200)
  expect((await ask()).headers.get('access-control-allow-origin')).toBe(headers.origin)
}

/** The tabs are gone through by the keyboard. */
async function readCommands(screen: Screen, slug: string): Promise<void> {
  await screen.page.focus('[role=tab][aria-selected=true]')
  await screen.page.keyboard.press('ArrowRight')
  await screen.page.waitForSelector('[aria-label="Python code"]')
  await screen.page.keyboard.press('End')
  await screen.page.waitForSelector('[aria-label="command that mints"]')
  expect(await screen.page.$eval(':focus', tab => tab.textContent)).toBe('curl')
  expect(await screen.page.$eval('[aria-label="command that asks"] pre', pre => pre.textContent)).toContain(
    `/p/${slug}/`,
  )
  await screen.page.keyboard.press('ArrowRight')
  await screen.page.waitForSelector('[aria-label="server code"]')
}

async function allowOrigin(dashboard: Dashboard, screen: Screen): Promise<void> {
  for (const hostile of hostileTexts) {
    await screen.fill('Origin', hostile)
    await screen.click('Allow and deploy')
    await screen.waitForText(`Invalid origin '${hostile.slice(0, 20)}`)
  }
  // Somebody else allows another origin meanwhile.
  const projectPath = `/auth/v1${screen.path().replace('/app', '').replace('/first-steps', '')}/settings`
  await dashboard.call('PUT', projectPath, { cors_origins: ['https://other.example.com'] })
  await screen.fill('Origin', 'http://localhost:3000')
  await screen.click('Allow and deploy')
  await screen.waitForText('The origin is allowed')
  await screen.waitForText('https://other.example.com')
  await screen.click('Create an API key')
  await screen.waitForText('Store the API key now')
  const environment = await screen.page.$eval('[aria-label=environment] pre', pre => pre.textContent ?? '')
  const [, slug = ''] = /\/p\/(\S+)/.exec(environment) ?? []
  expect(environment).toMatch(/SALLYPORT_API_KEY=service_sk_\S+/)
  await readCommands(screen, slug)
  // The steps are resumed with the same key.
  await screen.click('Overview', 'link')
  await screen.waitForText('Live configuration')
  await screen.click('First steps', 'link')
  await screen.page.waitForFunction(
    shown => document.querySelector('[aria-label=environment] pre')?.textContent === shown,
    {},
    environment,
  )
  const preflight = await fetch(`${dashboard.origin}/p/${slug}/v1/chat/completions`, {
    method: 'OPTIONS',
    headers: { origin: 'http://localhost:3000', 'access-control-request-method': 'POST' },
  })
  expect(preflight.headers.get('access-control-allow-origin')).toBe('http://localhost:3000')
}

describe('with a default model of the installation', () => {
  let dashboard: Dashboard
  beforeAll(async () => {
    dashboard = await startDashboard({
      OPENAI_BASE_URL: provider.baseUrl,
      PLATFORM_OPENAI_API_KEY: 'sk-simulated-key-of-this-test',
      PLATFORM_DEFAULT_MODEL: 'openai/gpt-4o-mini',
    })
  })
  afterAll(() => dashboard?.stop())

  test('signing in, naming a tenant and a project, and asking lead to an answer', async () => {
    const startedAt = performance.now()
    await dashboard.visit(
      '/',
      async screen => {
        await createFirstProject(screen)
        await screen.waitForText('it is the default model of this installation')
        await screen.click('Ask')
        await screen.waitForText('(simulated answer)')
        await screen.waitForText('It went through the whole gateway and back.')
        expect(performance.now() - startedAt).toBeLessThan(120_000)
        for (const hostile of hostileTexts.slice(0, 3)) {
          await screen.fill('Question', hostile)
          await screen.click('Ask')
          await screen.waitForText(`You said: “${hostile}”`)
        }
        await screen.expectAccessible()
        await allowOrigin(dashboard, screen)
        await allowAnonymousUsers(dashboard, screen)
      },
      { isSignedIn: false },
    )
  })
})

describe('without a model', () => {
  let dashboard: Dashboard
  beforeAll(async () => {
    dashboard = await startDashboard({ OPENAI_BASE_URL: provider.baseUrl, ADMIN_SECRET: adminSecret })
  })
  afterAll(() => dashboard?.stop())

  test('the operator sets the plan, a key is checked and stored, a model chosen', async () => {
    await dashboard.visit(
      '/',
      async screen => {
        await createFirstProject(screen)
        await screen.waitForText('No model can answer yet')
        await screen.click('Ask')
        await screen.page.waitForSelector('form [role=alert] p')
        await screen.clickOn('summary ::-p-text(Use the admin secret instead)')
        for (const hostile of hostileTexts.slice(0, 2)) {
          await screen.fill('Admin secret', hostile)
          await screen.click('Set the plan with the secret')
          await screen.waitForText('Invalid admin secret')
        }
        await screen.fill('Admin secret', adminSecret)
        await screen.click('Set the plan with the secret')
        await screen.waitForText('is on the pro plan now.')
        await screen.waitForText('Check and store the key')
        await screen.expectAccessible()
        await screen.fill('Provider key', hostileTexts[0] ?? '')
        await screen.click('Check and store the key')
        await screen.waitForText('Provider key must be')
        await screen.fill('Provider key', 'sk-a-key-that-is-long-enough')
        await screen.click('Check and store the key')
        await screen.waitForText('The key is stored.')
        await screen.choose('Model', 'openai/gpt-4o-mini')
        await screen.click('Use this model')
        await screen.waitForText('The model is live.')
        await screen.click('Ask')
        await screen.waitForText('It went through the whole gateway and back.')
        await screen.expectAccessible()
        await screen.open(screen.path())
        expect(await screen.valueOf('Model')).toBe('openai/gpt-4o-mini')
      },
      { isSignedIn: false },
    )
  })
})
