// Second factors as a person uses them, with Chromium's virtual authenticator: a passkey is added, signs in without an
// email and confirms an act; copies and other sites are refused; an authenticator app is set up by the key beside its QR
// code.
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { totpCode } from '../../server/test/support/simulated/totp-code.ts'
import { makeWorld, type World } from '../../server/test/support/worlds.ts'
import { type Dashboard, type Screen, startDashboard } from './support/dashboard.ts'
import { addMember } from './support/stage.ts'

const email = 'owner@example.com'
const password = 'correct horse battery staple'

let world: World
let dashboard: Dashboard
let tenantId: string
beforeAll(async () => {
  world = await makeWorld('sqlite', { own: true })
  dashboard = await startDashboard(world.env)
  tenantId = (await dashboard.call('POST', '/auth/v1/tenants', { name: 'Acme' }))['id'] ?? ''
})
afterAll(async () => {
  await dashboard?.stop()
  await world?.end()
})

async function addAuthenticator({ page }: Screen) {
  const tools = await page.createCDPSession()
  await tools.send('WebAuthn.enable')
  const { authenticatorId } = await tools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    /**
     * Leaves a copy of this site's passkey alone on the authenticator, with a counter that has signed so often. The
     * authenticator lists passkeys by their ids, which are random.
     */
    async copyPasskey(signCount: number): Promise<void> {
      const { credentials } = await tools.send('WebAuthn.getCredentials', { authenticatorId })
      const credential = credentials.find(({ rpId }) => rpId === 'localhost')
      if (credential === undefined) throw new Error('the authenticator has no passkey')
      await tools.send('WebAuthn.clearCredentials', { authenticatorId })
      await tools.send('WebAuthn.addCredential', { authenticatorId, credential: { ...credential, signCount } })
    },
  }
}

/** A site that serves an empty page, under each name of this machine. */
async function startOtherSite(): Promise<{ port: number; stop(): void }> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Another site</title>')
  })
  await new Promise<void>(resolve => server.listen(0, 'localhost', resolve))
  return { port: (server.address() as AddressInfo).port, stop: () => void server.close() }
}

const post = (path: string, body: object = {}) =>
  fetch(dashboard.product.baseUrl + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

/** Has the authenticator sign the product's challenge on the page that is open; answers what the product says to that. */
async function signInOn({ page }: Screen): Promise<number> {
  const options = await (await post('/auth/v1/sessions/passkey/options')).json()
  const response = await page.evaluate(async given => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(given)
    return ((await navigator.credentials.get({ publicKey })) as PublicKeyCredential).toJSON()
  }, options as PublicKeyCredentialRequestOptionsJSON)
  return (await post('/auth/v1/sessions/passkey', { response })).status
}

const passkeysPath = '/auth/v1/users/current/passkeys'

/** As the dashboard does, for the session of the page. */
const askAsPage = ({ page }: Screen, path: string, body: object = {}) =>
  page.evaluate(
    async (to, text) => {
      const headers = { 'content-type': 'application/json', 'x-sallyport': '1' }
      const response = await fetch(to, { method: 'POST', headers, body: text })
      return { status: response.status, body: await response.json() }
    },
    path,
    JSON.stringify(body),
  )

/** Makes a passkey for the product's challenge on the page that is open, which belongs to that relying party. */
const createOn = ({ page }: Screen, options: PublicKeyCredentialCreationOptionsJSON, id: string) =>
  page.evaluate(
    async given => {
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(given)
      return ((await navigator.credentials.create({ publicKey })) as PublicKeyCredential).toJSON()
    },
    { ...options, rp: { ...options.rp, id }, excludeCredentials: [] },
  )

test('a copy of a passkey, and what is signed for other sites, opens nothing', async () => {
  const site = await startOtherSite()
  onTestFinished(site.stop)
  const member = await addMember(dashboard, tenantId, 'member')
  await dashboard.visit(
    '/app/account',
    async screen => {
      const authenticator = await addAuthenticator(screen)
      await screen.fill('Name of the device', 'Laptop')
      await screen.click('Add a passkey')
      await screen.waitForText('The passkey is added.')
      expect(await signInOn(screen)).toBe(200)

      // Another origin of the same relying party.
      await screen.page.goto(`http://localhost:${site.port}/`)
      expect(await signInOn(screen)).toBe(401)

      // Another relying party.
      await screen.open('/app/account')
      const { body: options } = await askAsPage(screen, `${passkeysPath}/options`)
      await screen.page.goto(`http://other.localhost:${site.port}/`)
      const response = await createOn(screen, options, 'other.localhost')
      await screen.open('/app/account')
      const refused = await askAsPage(screen, passkeysPath, { name: 'Of another site', response })
      expect(refused).toMatchObject({ status: 401, body: { code: 'passkey_refused' } })

      await authenticator.copyPasskey(0)
      expect(await signInOn(screen)).toBe(401)
      await authenticator.copyPasskey(100)
      expect(await signInOn(screen)).toBe(200)
    },
    member,
  )
})

/** As if everybody had signed in eleven minutes ago. */
const makeStale = () => world.query('update sessions set authenticated_at = ?', [Date.now() - 11 * 60_000])

async function signOut(screen: Screen): Promise<void> {
  await screen.clickOn(`summary ::-p-text(${email})`)
  await screen.click('Sign out')
  await screen.waitForText('No password yet, or forgot it?')
}

test('a passkey is added, signs in without an email, and confirms an act', async () => {
  await dashboard.visit('/app/account', async screen => {
    await addAuthenticator(screen)
    await screen.waitForText('You have no passkeys yet.')
    await screen.expectAccessible()
    await screen.fill('Name of the device', 'My <laptop>')
    await screen.click('Add a passkey')
    await screen.waitForText('The passkey is added.')
    await screen.waitForText('My <laptop>')
    await signOut(screen)
    await screen.expectAccessible()
    await screen.click('Use a passkey')
    await screen.page.waitForSelector(`summary ::-p-text(${email})`)
    await screen.open(`/app/tenants/${tenantId}/settings`)
    await screen.waitForText('Require a second factor of all members')
    await makeStale()
    await screen.click('Require a second factor of all members', 'checkbox')
    await screen.click('Save')
    await screen.waitForText('Confirm that it is you')
    await screen.waitForText('Confirm with the password')
    await screen.expectAccessible()
    await screen.click('Use a passkey')
    await screen.waitForText('The rules for signing in are saved.')
    await makeStale()
    await screen.click('Require a second factor of all members', 'checkbox')
    await screen.click('Save')
    await screen.fill('Password', password)
    await screen.click('Confirm with the password')
    await screen.page.waitForSelector('dialog', { hidden: true })
    await expect.poll(() => readTenant(screen)).toMatchObject({ require_second_factor: false })
    await exportTenant(screen)
    await approveProgram(screen)
    await screen.open('/app/account')
    await screen.click('Remove')
    await screen.waitForText('You can no longer sign in with')
    await screen.submitDialog()
    await screen.waitForText('You have no passkeys yet.')
  })
})

/** What the browser stores is the export, and not the error that asks for a recent sign-in. */
async function exportTenant(screen: Screen): Promise<void> {
  const downloadPath = mkdtempSync(join(dashboard.browser.folder, 'downloads-'))
  const browser = await screen.page.createCDPSession()
  await browser.send('Page.setDownloadBehavior', { behavior: 'allow', downloadPath })
  await makeStale()
  await screen.click('Export the tenant')
  await screen.waitForText('Confirm that it is you')
  expect(readdirSync(downloadPath)).toEqual([])
  await screen.click('Use a passkey')
  const file = join(downloadPath, 'tenant.ndjson')
  await vi.waitFor(() => expect(existsSync(file)).toBe(true), { timeout: 30_000 })
  expect(JSON.parse(readFileSync(file, 'utf8').split('\n')[0] ?? '')).toMatchObject({ type: 'tenant' })
  const entries = await world.query("select outcome from audit_entries where action = 'tenant.export' order by seq")
  expect(entries.map(({ outcome }) => outcome)).toEqual(['refused', 'done'])
}

/** On a page of its own, beside the screens. */
async function approveProgram(screen: Screen): Promise<void> {
  const asked = await dashboard.call('POST', '/auth/v1/device/code', { client_name: 'sallyport on build-7' })
  await makeStale()
  await screen.open(`/device#code=${asked['user_code']}`)
  await screen.click('Continue')
  await screen.click('Approve')
  await screen.waitForText('Confirm that it is you')
  await screen.expectAccessible()
  await screen.click('Use a passkey')
  await screen.waitForText('The program is signed in')
}

async function readTenant(screen: Screen): Promise<{ require_second_factor: boolean }> {
  const path = `/auth/v1/tenants/${tenantId}`
  return (await screen.page.evaluate(`fetch('${path}').then(response => response.json())`)) as never
}

test('an authenticator app is set up, and asked for after the password', async () => {
  await dashboard.visit('/app/account', async screen => {
    await screen.click('Set up an authenticator app')
    await screen.waitForText('Scan this code with the app')
    await screen.expectAccessible()
    const secret = String(await screen.page.$eval('dialog pre', shown => shown.textContent))
    expect(secret).toMatch(/^[A-Z2-7]{32}$/)
    await screen.fill('Code of your authenticator app', totpCode(secret))
    await screen.click('Confirm')
    await screen.waitForText('Your backup codes')
    const codes = String(await screen.page.$eval('dialog pre', shown => shown.textContent)).split('\n')
    expect(codes).toHaveLength(10)
    await screen.click('I have stored the codes')
    await screen.waitForText('An authenticator app is set up.')
    await world.query('update totp_secrets set last_step = 0')
    await signOut(screen)
    await screen.fill('Email', email)
    await screen.fill('Password', password)
    await screen.click('Sign in')
    await screen.fill('Code of your authenticator app', '000000')
    await screen.click('Continue')
    await screen.waitForText('The code is wrong or was used before')
    await screen.expectAccessible()
    await screen.click('Use a backup code')
    await screen.fill('Backup code', codes[0] ?? '')
    await screen.click('Continue')
    await screen.page.waitForSelector(`summary ::-p-text(${email})`)
    await screen.open('/app/account')
    await screen.waitForText('Backup codes left: 9')
    await screen.click('Remove the authenticator app')
    await screen.fill('Code of your authenticator app', totpCode(secret))
    await screen.click('Remove')
    await screen.waitForText('You have no authenticator app.')
  })
})
