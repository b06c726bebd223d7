// The meter of a tenant: set up with a secret that is shown once, tested, changed, its customers, and its end; what
// viewers see of it.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ScriptedUpstream, startUpstream } from '../../../../server/test/support/simulated/scripted-upstream.ts'
import { type Dashboard, hostileTexts, startDashboard } from '../../support/dashboard.ts'
import { adminSecret, createStage, createViewer, type Stage } from '../../support/stage.ts'

let receiver: ScriptedUpstream
let dashboard: Dashboard
let stage: Stage
let path: string
beforeAll(async () => {
  receiver = await startUpstream()
  receiver.on('*', { status: 204, body: '' })
  dashboard = await startDashboard({ ADMIN_SECRET: adminSecret, OUTBOUND_ALLOW: receiver.host, SYNC_INTERVAL: '1' })
  stage = await createStage(dashboard, hostileTexts[0])
  path = `/app/tenants/${stage.tenantId}/meter`
})
afterAll(async () => {
  await dashboard?.stop()
  await receiver?.close()
})

const read = () => dashboard.call('GET', `/auth/v1/tenants/${stage.tenantId}/meter`)

test('a meter is set up, tested, changed and deleted, and its customers are named', async () => {
  await dashboard.visit(path, async screen => {
    await screen.waitForText('Set it up')
    await screen.expectAccessible()
    await screen.fill('URL', 'https://127.0.0.1/events')
    await screen.click('Set up')
    await screen.waitForText('The address is not allowed')
    await screen.fill('URL', `${receiver.url}/events`)
    await screen.click('Set up')
    await screen.waitForText('The secret of the meter')
    const secret = /whsec_[\w+/]{43}=/.exec(await screen.text())?.[0] ?? ''
    expect(secret).not.toBe('')
    await screen.expectAccessible()
    await screen.click('I have stored the secret')
    await screen.waitForText('No error so far.')
    expect(await screen.page.content()).not.toContain(secret)
    expect(await read()).toMatchObject({ format: 'cloudevents', value: 'cost_usd', subject: 'uid', signs: true })

    await screen.click('Send a test')
    await screen.waitForText('The receiver took the test.')
    expect(receiver.requests.at(-1)?.body).toContain('sallyport.meter_test')
    receiver.on('*', { status: 503, body: '' })
    await screen.click('Send a test')
    await screen.waitForText('The receiver did not take the test: status 503.')
    receiver.on('*', { status: 204, body: '' })

    await screen.fill('End user (uid)', 'user-1')
    await screen.fill('Customer', 'cus_NciAYcXfLnqBoz')
    await screen.click('Set customer')
    await screen.waitForText('cus_NciAYcXfLnqBoz')
    await screen.expectAccessible()
    await screen.click('Remove the customer of user-1')
    await screen.waitForText('No customers')

    await screen.choose('What is counted', 'requests')
    await screen.click('Save')
    await screen.waitForText('The meter is saved.')
    // The first meter was saved with the same words, which may still be there.
    await expect.poll(read).toMatchObject({ value: 'requests' })

    await screen.click('Delete the meter')
    await screen.waitForText('Events that were not sent yet are deleted')
    await screen.click('Delete it now')
    await screen.waitForText('Set it up')
  })
})

test('a viewer sees how far it is, and cannot change it', async () => {
  const body = { format: 'cloudevents', url: `${receiver.url}/events`, value: 'requests', subject: 'tier' }
  await dashboard.call('PUT', `/auth/v1/tenants/${stage.tenantId}/meter`, body)
  const viewer = await createViewer(dashboard, stage.tenantId)
  await dashboard.visit(
    path,
    async screen => {
      await screen.waitForText('Waiting')
      await screen.waitForText('No customers')
      await screen.expectAccessible()
      expect(await screen.page.$$('main button')).toEqual([])
    },
    viewer,
  )
})
