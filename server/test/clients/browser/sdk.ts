// What the SDK adds for pages: tokens that renew themselves, and API keys that are refused.
import { describe, expect, test } from 'vitest'
import type { BrowserStage } from './browser-stage.ts'

/** A worker that loads the script of the page. */
const useApiKeyInWorker = `new Promise((resolve, reject) => {
  const code = "import '" + location.origin + "/page.js'; pageFunctions.useApiKey().then(({ error }) => postMessage(error.message))"
  const worker = new Worker(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })), { type: 'module' })
  worker.onmessage = ({ data }) => resolve(data)
  worker.onerror = ({ message }) => reject(new Error(message))
})`

export function describeSdk(getStage: () => BrowserStage): void {
  describe('the SDK in a page', () => {
    test('replaces a token that the gateway rejects, and names the session', async () => {
      const stage = getStage()
      stage.says('openai', { text: ['Hello'] })
      const project = await stage.makeBrowserProject()
      const tokens = [stage.expiredToken(project), project.token]
      expect(await stage.page.call('askWithTokens', stage.targetOf(project), tokens)).toEqual({ value: 1 })
      const posts = stage.requestsTo(project).filter(({ method }) => method === 'POST')
      expect(posts.map(({ headers }) => headers['x-session-id'])).toEqual(['from-a-page', 'from-a-page'])
      expect(posts[1]?.headers['authorization']).toBe(`Bearer ${project.token}`)
    })

    test('refuses an API key, in the page and in its workers', async () => {
      const { page } = getStage()
      const refused = expect.stringMatching(/must not run in a browser/)
      expect(await page.call('useApiKey')).toMatchObject({ error: { message: refused } })
      expect(await page.evaluate(useApiKeyInWorker)).toEqual(refused)
    })
  })
}
