// An error of a button stays until it is dismissed: it must not cover a control that the user cannot scroll free.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Dashboard, startDashboard } from './support/dashboard.ts'
import { adminSecret, createStage, type Stage } from './support/stage.ts'

let dashboard: Dashboard
let stage: Stage
beforeAll(async () => {
  dashboard = await startDashboard({ ADMIN_SECRET: adminSecret })
  stage = await createStage(dashboard)
  // It cannot be deployed: the tenant has no key of the provider.
  const draft = { provider_model: 'cohere/command-a-03-2025' }
  await dashboard.call('PUT', `/auth/v1/projects/${stage.projectId}/settings`, draft)
})
afterAll(() => dashboard?.stop())

test.each([360, 1280])('at the end of a page that is %i pixels wide, an error covers no control', async width => {
  await dashboard.visit(`/app/projects/${stage.projectId}/settings`, async screen => {
    const { page } = screen
    await page.setViewport({ width, height: 740 })
    await screen.waitForText('1 change is not live')
    await page.waitForSelector('[name=content_days]')
    await screen.click('Deploy')
    await screen.waitForText('The provider key for Cohere must be configured')
    await page.waitForSelector('[aria-label=Dismiss]')
    const covered = await page.evaluate(() => {
      window.scrollTo(0, document.documentElement.scrollHeight)
      const toast = document.querySelector('[aria-label=Dismiss]')?.parentElement
      return [...document.querySelectorAll('main :is(a, button, input, select, textarea)')]
        .filter(control => {
          const { left, top, width, height } = control.getBoundingClientRect()
          return toast?.contains(document.elementFromPoint(left + width / 2, top + height / 2))
        })
        .map(control => control.textContent || control.getAttribute('name'))
    })
    expect(covered).toEqual([])
    await screen.expectAccessible()
    await screen.click('Dismiss')
    await page.waitForFunction(() => document.querySelector('[aria-label=Dismiss]') === null)
  })
})

test('on a phone, a confirmation covers neither the button that was pressed nor what ends the page', async () => {
  await dashboard.visit(`/app/projects/${stage.projectId}/general`, async screen => {
    const { page } = screen
    const viewport = { width: 390, height: 844, isMobile: true, hasTouch: true }
    await page.setViewport(viewport)
    await screen.waitForText('Last change:')
    const button = await page.waitForSelector('aria/Rename[role="button"]')
    const bottom = await button?.evaluate(element => element.getBoundingClientRect().bottom)
    // The button stands where a toast appears.
    await page.setViewport({ ...viewport, height: Math.ceil(bottom ?? 0) + 24 })
    await screen.fill('Name', 'Renamed')
    await page.waitForFunction(element => element?.getAttribute('aria-disabled') === null, {}, button)
    await button?.evaluate(element => {
      ;(element as HTMLElement).focus({ preventScroll: true })
      window.scrollTo(0, 0)
    })
    const gap = await button?.evaluate(element => window.innerHeight - element.getBoundingClientRect().bottom)
    expect(Math.abs((gap ?? 0) - 24)).toBeLessThan(8)
    await page.keyboard.press('Enter')
    await screen.waitForText('The project is renamed.')
    const findCovered = () =>
      page.evaluate(() => {
        const toast = document.querySelector('[aria-label=Dismiss]')?.parentElement?.getBoundingClientRect()
        if (toast === undefined) return ['no toast']
        return [...document.querySelectorAll('main :is(a, button, input, select, textarea), header button')]
          .filter(control => {
            const { top, bottom, left, right } = control.getBoundingClientRect()
            return top < toast.bottom && bottom > toast.top && left < toast.right && right > toast.left
          })
          .map(control => control.textContent || control.getAttribute('name'))
      })
    expect(await findCovered()).not.toContain('Rename')
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight))
    expect(await findCovered()).toEqual([])
    await screen.click('Dismiss')
    await page.waitForFunction(() => document.querySelector('[aria-label=Dismiss]') === null)
  })
})

test('an error ends with the page that it belongs to', async () => {
  await dashboard.visit(`/app/projects/${stage.projectId}/settings`, async screen => {
    await screen.waitForText('1 change is not live')
    await screen.click('Deploy')
    await screen.waitForText('The provider key for Cohere must be configured')
    await screen.page.waitForSelector('[aria-label=Dismiss]')
    await screen.click('Deployments', 'link')
    await screen.waitForPath(`/app/projects/${stage.projectId}/deployments`)
    await screen.page.waitForFunction(() => document.querySelector('[aria-label=Dismiss]') === null)
  })
})
