// What an application in a browser does with the official clients, from a page on another origin than the product's.
import { describe, expect, test } from 'vitest'
import type { TestPage } from '../../support/programs/browsers.ts'
import { errorResponse } from '../../support/simulated/provider-answers.ts'
import { writeInTwo } from '../../support/simulated/write-in-two.ts'
import { weatherCalls } from '../client-stage.ts'
import type { BrowserStage } from './browser-stage.ts'
import type { ClientName, ClientPage } from './page.ts'

const clientNames: readonly ClientName[] = ['openai', 'openaiWithSdk', 'aiSdk', 'aiSdkWithSdk', 'langchain']
const patience = { timeout: 30_000 }

export function describeClients(getStage: () => BrowserStage): void {
  describe.each(clientNames)('the client %s', client => {
    test('gets a plain answer', async () => {
      const stage = getStage()
      const { page } = stage
      stage.says('openai', { text: ['Grüße, ', '世界'] })
      expect(await page.call('ask', client, stage.targetOf(stage.project))).toEqual({ value: 'Grüße, 世界' })
      expect(page.takeErrors()).toEqual([])
    })

    test('shows each piece of a stream while the provider still writes', async () => {
      const stage = getStage()
      const { page } = stage
      const { answer, goOn } = writeInTwo(['Grüße, '], ['世', '界'])
      stage.answers('openai', answer)
      const whole = page.call('stream', client, stage.targetOf(stage.project))
      await expectShown(page, ['Grüße, '], whole)
      goOn()
      expect(await whole).toEqual({ value: ['Grüße, ', '世', '界'] })
      expect(page.takeErrors()).toEqual([])
    })

    test('gets tool calls in a stream', async () => {
      const stage = getStage()
      const { page } = stage
      stage.says('openai', weatherCalls)
      const calls = ['Zürich', 'Łódź'].map(city => ({ name: 'get_weather', arguments: { city } }))
      expect(await page.call('askForTools', client, stage.targetOf(stage.project))).toEqual({ value: calls })
      expect(page.takeErrors()).toEqual([])
    })

    test('shows errors: an expired token, a used-up day, a key that the provider refused', async () => {
      const stage = getStage()
      const { page } = stage
      const project = await stage.makeBrowserProject({ tokens_per_day: 1000 })
      const target = stage.targetOf(project)
      const expired = { ...target, token: stage.expiredToken(project) }
      stage.answers('openai', errorResponse('openai', 401, 'Incorrect API key'))
      const outcomes = [
        await page.call('ask', client, expired),
        await page.call('ask', client, target, 'word '.repeat(5_000)),
        await page.call('ask', client, target),
      ]
      expect(outcomes.map(outcome => ('error' in outcome ? outcome.error.status : outcome.value))).toEqual([
        401, 429, 502,
      ])
      const [unauthorized, limited, refused] = outcomes.map(outcome =>
        'error' in outcome ? outcome.error.message : '',
      )
      // Only with the SDK's options do clients show the gateway's own words.
      expect(unauthorized).toMatch(client.endsWith('WithSdk') ? /Token has expired/ : /unauthorized/i)
      expect(limited).toMatch(/rate limit exceeded|too many requests/i)
      expect(refused).toContain('The provider refused the key')
    })

    test('is refused on an origin that is not on the list', async () => {
      const stage = getStage()
      const page = stage.foreignPage
      const sent = stage.sent('openai').length
      const outcome = await page.call('ask', client, stage.targetOf(stage.project))
      // The SDK's fetch answers in place of the network error, and says what to look at.
      const error = client.endsWith('WithSdk')
        ? { status: 503, message: expect.stringContaining('cors_origins') }
        : { status: null }
      expect(outcome).toMatchObject({ error })
      await expect.poll(() => page.takeErrors().join(), patience).toMatch(/Access-Control-Allow-Origin/)
      expect(stage.sent('openai')).toHaveLength(sent)
    })

    test('ends the call of the provider when it aborts a stream', async () => {
      const stage = getStage()
      const { page } = stage
      const { answer, goOn, isClosed } = writeInTwo(['Grüße, '], ['世'], { ends: false })
      stage.answers('openai', answer)
      const aborted = page.call('stream', client, stage.targetOf(stage.project))
      await expectShown(page, ['Grüße, '], aborted)
      await page.call('abort')
      // A client that has gone is noticed when something is written to it.
      goOn()
      await isClosed
      // The clients throw, but the one of OpenAI ends the stream as if it were whole.
      const outcome = await aborted
      expect('error' in outcome ? outcome.error.message : outcome.value).toEqual(
        client.startsWith('openai') ? ['Grüße, '] : expect.stringMatching(/abort/i),
      )
    })
  })
}

/** Waits until the page shows these pieces; a stream that ends before is the failure. */
async function expectShown(page: TestPage<ClientPage>, pieces: string[], whole: Promise<unknown>): Promise<void> {
  const tooEarly = whole.then(outcome => {
    throw new Error(`the stream ended: ${JSON.stringify(outcome)}`)
  })
  await Promise.race([expect.poll(() => page.call('shownPieces'), patience).toEqual(pieces), tooEarly])
}
