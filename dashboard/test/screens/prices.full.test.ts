// Prices of a tenant: set at once and from a time on, changed, and deleted after a warning.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Dashboard, hostileTexts, type Screen, startDashboard } from '../support/dashboard.ts'
import { adminSecret, createStage, createViewer, type Stage } from '../support/stage.ts'

let dashboard: Dashboard
let stage: Stage
let path: string
beforeAll(async () => {
  dashboard = await startDashboard({ ADMIN_SECRET: adminSecret })
  stage = await createStage(dashboard)
  path = `/app/tenants/${stage.tenantId}/prices`
})
afterAll(() => dashboard?.stop())

const list = async () => {
  const { data } = await dashboard.call<{ data: object[] }>('GET', `/auth/v1/tenants/${stage.tenantId}/prices`)
  return data
}

/** Sets a price after each fault that the form shows. */
async function setFirstPrice(screen: Screen, model: string): Promise<void> {
  await screen.click('Set a price')
  await screen.fill('Model', hostileTexts[0] ?? '')
  await screen.fill('Input price', '0.1')
  await screen.click('Set the price')
  await screen.waitForText(' must be given')
  await screen.fill('Output price', '0,4')
  await screen.click('Set the price')
  await screen.waitForText(' must be a price in USD')
  await screen.fill('Output price', '0.4')
  await screen.click('Set the price')
  await screen.waitForText(' must be a model ID')
  await screen.expectAccessible()
  await screen.fill('Model', model)
  await screen.fill('Reasoning price', '0.5')
  await screen.click('Set the price')
  await screen.waitForText('The price is set.')
  await screen.waitForText('$0.40')
}

test('a price is set at once and from a time on, changed and deleted', async () => {
  const model = 'openai/gpt-4o-mini'
  await dashboard.visit(path, async screen => {
    await screen.waitForText('No prices of your own')
    await screen.expectAccessible()
    await setFirstPrice(screen, model)

    await screen.click('Set a price')
    await screen.fill('Model', model)
    await screen.fill('Input price', '0.2')
    await screen.fill('Output price', '0.8')
    await screen.fill('In force from', '2199-01-01')
    await screen.click('Set the price')
    await screen.waitForText('2199')
    const from = '2199-01-01T00:00:00.000Z'
    const first = { model, input: 0.1, output: 0.4, reasoning: 0.5, cached_input: null, effective_from: null }
    expect(await list()).toMatchObject([first, { model, input: 0.2, output: 0.8, effective_from: from }])

    // The table fits a desktop, with buttons of one line.
    const heights = await screen.page.$$eval('td button', all => all.map(button => button.clientHeight))
    expect(heights.filter(height => height > 45)).toEqual([])
    expect(
      await screen.page.$eval('table', ({ scrollWidth, parentElement }) => [
        scrollWidth <= (parentElement?.clientWidth ?? 0),
        scrollWidth,
      ]),
    ).toEqual([true, expect.any(Number)])

    // The time of a price stays: with another one it would be a second price.
    await screen.click(`Change the price of ${model} from ${from}`)
    expect(await screen.page.$('input[name=effective_from]')).toBeNull()
    await screen.fill('Output price', '0.9')
    await screen.click('Set the price')
    await screen.waitForText('$0.90')
    expect(await list()).toMatchObject([first, { output: 0.9, effective_from: from }])

    await screen.click(`Delete the price of ${model} from ${from}`)
    await screen.waitForText('it costs what it cost before')
    await screen.expectAccessible()
    await screen.click('Delete price')
    await screen.page.waitForFunction(() => !document.body.innerText.includes('$0.90'))
    expect(await list()).toMatchObject([first])
    await screen.click(`Delete the price of ${model}`)
    await screen.waitForText('All prices that you have set')
    await screen.click('Delete price')
    await screen.waitForText('No prices of your own')
  })
  expect(await list()).toEqual([])
})

test('a viewer reads the prices', async () => {
  const body = { model: 'openai/gpt-4o', input: 1, output: 2 }
  await dashboard.call('PUT', `/auth/v1/tenants/${stage.tenantId}/prices`, body)
  await dashboard.visit(
    path,
    async screen => {
      await screen.waitForText('openai/gpt-4o')
      for (const action of ['Set a price', 'Change', 'Delete']) expect(await screen.text()).not.toContain(action)
    },
    await createViewer(dashboard, stage.tenantId),
  )
})
