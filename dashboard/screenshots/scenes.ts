// The screens that are pictured, and what a person does on each before the picture is taken.
import type { Page } from 'puppeteer-core'
import { clickOn } from '../test/support/click-on.ts'
import type { Seeded } from './seed.ts'

export interface Scene {
  /** Of the file, without `.png`. */
  name: string
  path(seeded: Seeded): string
  scheme?: 'dark'
  isPhone?: true
  /** Resolves when the screen shows what the picture is about. */
  prepare(page: Page): Promise<void>
}

async function waitForText(page: Page, text: string): Promise<void> {
  await page.waitForFunction(wanted => document.body.innerText.includes(wanted), {}, text)
}

async function fill(page: Page, label: string, text: string): Promise<void> {
  const field = await page.waitForSelector(`aria/${label}`)
  if (field === null) throw new Error(`no field “${label}”`)
  await field.evaluate(element => (element as HTMLInputElement).select())
  await page.keyboard.sendCharacter(text)
}

const click = (page: Page, name: string): Promise<void> => clickOn(page, `aria/${name}[role="button"]`)

/** The bar of the page, that of the draft, and some space. */
const belowBars = 130

/** Scrolls so that the heading or the label of a field stands at the top of the picture. */
async function scrollTo(page: Page, title: string): Promise<void> {
  const found = await page.waitForSelector(`xpath/.//main//*[self::h2 or self::label][normalize-space()='${title}']`)
  await found?.evaluate((element, bars) => {
    window.scrollTo(0, element.getBoundingClientRect().top + window.scrollY - bars)
  }, belowBars)
}

const ofProject =
  (screen: string) =>
  ({ projectId }: Seeded): string =>
    `/app/projects/${projectId}/${screen}`

const ofTenant =
  (screen: string) =>
  ({ tenantId }: Seeded): string =>
    `/app/tenants/${tenantId}/${screen}`

export const scenes: Scene[] = [
  {
    name: 'first-steps',
    path: ({ newProjectId }) => `/app/projects/${newProjectId}/first-steps`,
    async prepare(page) {
      await fill(page, 'Question', 'Where is my order?')
      await click(page, 'Ask')
      await waitForText(page, 'It went through the whole gateway and back.')
    },
  },
  {
    name: 'overview',
    path: ofProject('?range=7d'),
    prepare: page => waitForText(page, 'Top end users'),
  },
  {
    name: 'activity',
    path: ofProject('activity'),
    prepare: page => waitForText(page, 'Rejected and failed requests by reason'),
  },
  {
    name: 'settings',
    path: ofProject('settings'),
    async prepare(page) {
      await click(page, 'Review')
      await waitForText(page, 'kids.books.example.com')
    },
  },
  {
    name: 'guardrails',
    path: ofProject('guardrails'),
    async prepare(page) {
      const text = 'Please send the reading list to Clara Whitfield, clara@example.com, or call +44 20 7946 0958.'
      await fill(page, 'Text', text)
      await click(page, 'Try')
      await waitForText(page, 'What the provider gets')
      await scrollTo(page, 'Try a text')
    },
  },
  {
    name: 'guardrail-events',
    path: ofProject('guardrail-events'),
    async prepare(page) {
      await page.waitForSelector('[aria-label=Events] tbody tr')
      await scrollTo(page, 'What')
    },
  },
  {
    name: 'usage',
    path: ofProject('usage'),
    scheme: 'dark',
    prepare: page => waitForText(page, 'openai/gpt-4.1-mini'),
  },
  {
    name: 'playground',
    path: ofProject('playground'),
    async prepare(page) {
      await fill(page, 'Message', 'Write to Clara Whitfield at clara@example.com that her atlas has arrived.')
      await click(page, 'Run')
      await page.waitForFunction(() => (document.body.innerText.match(/Answered\./g) ?? []).length === 2)
      await page.waitForFunction(() => (document.body.innerText.match(/Personal data:/g) ?? []).length === 2)
      await scrollTo(page, 'Message')
    },
  },
  {
    name: 'end-users',
    path: ofProject('end-users'),
    isPhone: true,
    prepare: page => waitForText(page, 'reader-2041'),
  },
  {
    name: 'tiers',
    path: ofProject('tiers'),
    prepare: page => waitForText(page, 'Resolved settings'),
  },
  {
    name: 'routes',
    path: ({ newProjectId }) => `/app/projects/${newProjectId}/settings`,
    async prepare(page) {
      await page.waitForSelector('[name="routes.targets[1].model"]')
      await scrollTo(page, 'Routes and cache')
    },
  },
  {
    name: 'budgets',
    path: ofTenant('budgets'),
    prepare: page => waitForText(page, ' left'),
  },
  {
    name: 'prices',
    path: ofTenant('prices'),
    prepare: page => waitForText(page, 'mistral/mistral-large-latest'),
  },
  {
    name: 'service-accounts',
    path: ofTenant('service-accounts'),
    scheme: 'dark',
    prepare: page => waitForText(page, 'deploy pipeline'),
  },
  {
    name: 'audit',
    path: ofTenant('audit'),
    async prepare(page) {
      await click(page, 'Verify chain')
      await waitForText(page, 'The chain is whole')
    },
  },
  {
    name: 'webhooks',
    path: ofTenant('webhooks'),
    prepare: page => waitForText(page, 'alerts.books.example.com'),
  },
]
