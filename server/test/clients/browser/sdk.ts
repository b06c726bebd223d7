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

/** From now on the page counts the workers that it starts and ends, and calls `leave` if there is one. */
const countWorkers = `{
  globalThis.Worker = globalThis.workers ? Worker : class extends Worker {
    constructor(...settings) {
      super(...settings)
      workers.started++
      // Before a proof can arrive.
      queueMicrotask(() => globalThis.leave?.())
    }
    terminate() {
      workers.ended++
      super.terminate()
    }
  }
  globalThis.workers = { started: 0, ended: 0 }
  delete globalThis.leave
}`

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

    describe('of a user without an account', () => {
      const anonymous = { attestation: ['proof_of_work'] }

      test('proves work in a worker, which ends, and gets a token', async () => {
        const stage = getStage()
        const project = await stage.makeBrowserProject({ anonymous })
        await stage.page.evaluate(countWorkers)
        const proven = await stage.page.call('proveWork', stage.targetOf(project))
        expect(proven).toEqual({ value: expect.stringMatching(/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/) })
        expect(await stage.page.evaluate('workers')).toEqual({ started: 1, ended: 1 })
        const sent = stage.requestsTo(project).filter(({ method }) => method !== 'OPTIONS')
        expect(sent.map(({ method, path }) => `${method} ${path.replace(/^.*\/v1/, '')}`)).toEqual([
          'GET /auth/anonymous/challenge',
          'POST /auth/anonymous',
        ])
      })

      test('ends the work when the user leaves', async () => {
        const stage = getStage()
        const project = await stage.makeBrowserProject({ anonymous })
        await stage.page.evaluate(countWorkers)
        const left = await stage.page.call('giveUpWork', stage.targetOf(project))
        expect(left).toMatchObject({ error: { message: 'The user left' } })
        expect(await stage.page.evaluate('workers')).toEqual({ started: 1, ended: 1 })
        expect(stage.requestsTo(project).filter(({ method }) => method === 'POST')).toEqual([])
      })

      test('gets nothing from a page whose origin is not allowed', async () => {
        const stage = getStage()
        const project = await stage.makeBrowserProject({ anonymous })
        const refused = await stage.foreignPage.call('proveWork', stage.targetOf(project))
        expect(refused).toMatchObject({ error: { message: expect.any(String) } })
      })
    })
  })
}
