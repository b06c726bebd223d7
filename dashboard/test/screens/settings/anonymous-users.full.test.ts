// Anonymous users: the setting as a draft, and the secrets of attestations, which are in force at once.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Dashboard, hostileTexts, type Screen, startDashboard } from '../../support/dashboard.ts'
import { adminSecret, createStage, createViewer, type Stage } from '../../support/stage.ts'

let dashboard: Dashboard
let stage: Stage
let path: string
beforeAll(async () => {
  dashboard = await startDashboard({ ADMIN_SECRET: adminSecret })
  stage = await createStage(dashboard)
  path = `/app/projects/${stage.projectId}/settings`
})
afterAll(() => dashboard?.stop())

const own = (rest: string) => `/auth/v1/projects/${stage.projectId}/${rest}`
const readSetting = async () => (await dashboard.call<{ anonymous: object | null }>('GET', own('settings'))).anonymous
const readKinds = async () =>
  (await dashboard.call<{ secrets: { kind: string }[] }>('GET', own('attestation'))).secrets.map(({ kind }) => kind)
const proofOfWork = 'Proof of work, without another service'
const save = (screen: Screen) => screen.click('Save draft')

test('a ticked attestation opens the project in the draft, and none closes it', async () => {
  await dashboard.visit(path, async screen => {
    await screen.waitForText('Users without an account')
    expect(await screen.page.$('[name="anonymous.ttl"]')).toBeNull()
    await screen.click(proofOfWork, 'checkbox')
    await screen.fill('Token lifetime (seconds)', '30')
    await save(screen)
    await screen.waitForText('Token lifetime must be between 60 and 3,600')
    expect(await screen.page.$eval('[aria-invalid]', field => field.getAttribute('name'))).toBe('anonymous.ttl')
    await screen.fill('Token lifetime (seconds)', '900')
    await screen.fill('Tier of the tokens', 'guest')
    await screen.expectAccessible()
    await save(screen)
    await screen.click('Review')
    await screen.waitForText('Tier: guest')
    await screen.waitForText('Tokens last 900 seconds, 30 an hour and address')
    await screen.click('Close')
    // The last attestation is unticked by mistake.
    await screen.click(proofOfWork, 'checkbox')
    await screen.page.waitForSelector('[name="anonymous.ttl"]', { hidden: true })
    await screen.click(proofOfWork, 'checkbox')
    expect(await screen.valueOf('Token lifetime (seconds)')).toBe('900')
    expect(await screen.valueOf('Tier of the tokens')).toBe('guest')
    const rules = { attestation: ['proof_of_work'], tier: 'guest', ttl: 900, per_address_per_hour: 30 }
    expect(await readSetting()).toEqual(rules)
    await screen.click('Deploy')
    await screen.waitForText('The draft is the same as what is live.')
    await screen.click(proofOfWork, 'checkbox')
    await save(screen)
    await screen.click('Review')
    await screen.waitForText('None: only your server mints tokens')
    await screen.click('Close')
    expect(await readSetting()).toBeNull()
  })
})

test('secrets are stored, listed without their value, and removed', async () => {
  await dashboard.visit(path, async screen => {
    await screen.waitForText('None is stored.')
    const store = async (kind: string, secret: string): Promise<void> => {
      await screen.choose('Service', kind)
      await screen.fill('Secret', secret)
      await screen.click('Store the secret')
    }
    await store('turnstile', hostileTexts[0] ?? '')
    await screen.waitForText('Secret of turnstile must be 10 to 512 printable ASCII characters without white space')
    await store('turnstile', 'secret-of-a-captcha-0123456789')
    await screen.waitForText('The secret of Cloudflare Turnstile is stored.')
    expect(await screen.valueOf('Secret')).toBe('')
    await store('app_check', '123456789012')
    await screen.waitForText('The secret of Firebase App Check is stored.')
    expect(await readKinds()).toEqual(['app_check', 'turnstile'])
    expect(await screen.page.content()).not.toContain('secret-of-a-captcha')
    await screen.expectAccessible()
    await screen.click('Remove the secret of Cloudflare Turnstile')
    await screen.waitForText('clients that show this attestation get no new token')
    await screen.submitDialog()
    await expect.poll(readKinds).toEqual(['app_check'])
    await screen.page.waitForSelector('aria/Remove the secret of Cloudflare Turnstile', { hidden: true })
  })
})

test('a viewer reads which secrets are stored, and changes none', async () => {
  await dashboard.visit(
    path,
    async screen => {
      await screen.waitForText('Firebase App Check')
      expect(await screen.page.$$('main button, main input, main select')).toEqual([])
    },
    await createViewer(dashboard, stage.tenantId),
  )
})
