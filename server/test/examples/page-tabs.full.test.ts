// The page without a server in two tabs whose clocks are wrong: they are one user, and what they can cost is bounded.
import type { Page } from 'puppeteer-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, type TestBrowser } from '../support/programs/browsers.ts'
import { wholeUsage } from '../support/simulated/provider-answers.ts'
import { chat, type ExampleStage, openProjectTo, startExampleStage } from './example-stage.ts'
import { servePage } from './serve-page.ts'

let stage: ExampleStage
let browser: TestBrowser
beforeAll(async () => {
  stage = await startExampleStage()
  browser = await openBrowser('chromium')
})
afterAll(async () => {
  await browser?.close()
  await stage?.end()
})

const hour = 3_600_000
/** Dollars a million tokens. */
const price = { input: 1, output: 2 }
const costOfOne = wholeUsage.prompt_tokens * price.input + wholeUsage.completion_tokens * price.output
const budget = 1_000
const longestAnswer = 50
const micro = (usd: number) => Math.round(usd * 1e9) / 1e3

/** A tier with a budget for each of its end users, which the page's users have. */
async function boundSpending(origin: string): Promise<void> {
  const { management, project } = stage
  const path = { projectId: project.id }
  await management.request('PUT', '/auth/v1/tenants/{tenantId}/prices', {
    path: { tenantId: project.tenantId },
    body: { model: 'openai/gpt-4o-mini', ...price },
  })
  await management.request('POST', '/auth/v1/projects/{projectId}/tiers', {
    path,
    body: {
      name: 'visitor',
      overrides: {
        budgets: [{ usd: budget / 1e6, period: 'month' }],
        max_output_tokens: longestAnswer,
        rpm_limit: 1_000,
      },
    },
  })
  await management.request('PUT', '/auth/v1/projects/{projectId}/settings', { path, body: { rpm_limit: 1_000 } })
  await openProjectTo(stage, origin, { tier: 'visitor' })
}

async function openTab(first: Page, origin: string, clockIsWrongBy: number): Promise<Page> {
  const tab = await first.browserContext().newPage()
  await tab.evaluateOnNewDocument(by => {
    const { now } = Date
    Date.now = () => now() + by
  }, clockIsWrongBy)
  await tab.goto(origin)
  await tab.evaluate("document.querySelector('form').dataset.ready = 'true'")
  return tab
}

/** Sends so many requests at once, and resolves to what was said to each. */
const sendMany = (count: number, sallyport: string, baseUrl: string) => `(async () => {
  const { anonymousTokens, createGatewayFetch } = await import('${sallyport}/sdk.js')
  const baseUrl = '${baseUrl}'
  const send = createGatewayFetch({ baseUrl, tokenProvider: anonymousTokens({ baseUrl }) })
  const body = JSON.stringify({ prompt: { id: 'chat' }, messages: [{ role: 'user', content: 'Hello' }] })
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
  const ask = async () => {
    const response = await send(baseUrl + '/v1/chat/completions', request)
    const { error } = await response.json()
    return response.status + ' ' + (error?.message ?? '')
  }
  return await Promise.all(Array.from({ length: ${count} }, ask))
})()`

test('two tabs with wrong clocks are one user, who cannot spend more than the budget to the micro-dollar', async () => {
  const origin = await servePage(stage)
  await boundSpending(origin)
  stage.says('openai', { text: ['Hello'] })
  const opened = await browser.openPage(origin)
  const tabs = [await openTab(opened.page, origin, hour), await openTab(opened.page, origin, -hour)]
  for (const tab of tabs) expect(await chat(tab as never, 'Hello')).toBe('Hello')

  const sallyport = new URL(stage.projectUrl).origin
  let answered = tabs.length
  const said = new Set<string>()
  for (let more = 1; more > 0; answered += more) {
    const sent = await Promise.all(tabs.map(tab => tab.evaluate(sendMany(20, sallyport, stage.projectUrl))))
    const outcomes = sent.flat().map(String)
    more = outcomes.filter(outcome => outcome === '200 ').length
    for (const outcome of outcomes) said.add(outcome)
  }
  const refusals = [...said].filter(outcome => outcome !== '200 ')
  expect(refusals).toContain('429 The budget of the month is used up')
  for (const refusal of refusals) expect(refusal).toMatch(/^429 .*\bbudget of the month\b/)

  const { management, project } = stage
  const path = { projectId: project.id }
  const { data: users } = await management.request('GET', '/auth/v1/projects/{projectId}/users', { path })
  expect(users.map(({ uid }) => uid)).toEqual([expect.stringMatching(/^anon:[\w-]{22}$/)])
  const of = { path: { ...path, uid: users[0]?.uid ?? '' } }
  const spent = async () => {
    const read = await management.request('GET', '/auth/v1/projects/{projectId}/users/{uid}/budgets', of)
    return micro(read.spent_usd.month)
  }
  await expect.poll(spent).toBe(answered * costOfOne)
  expect(answered * costOfOne).toBeLessThanOrEqual(budget)
  // What is left is less than the longest answer could cost.
  expect(budget - answered * costOfOne).toBeLessThan(longestAnswer * price.output + 100 * price.input)
  await opened.close()
})
