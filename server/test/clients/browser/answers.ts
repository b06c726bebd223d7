// What a page on another origin may ask for and read, by the browser's own rules: preflights and their cache, headers,
// errors.
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { ClientProject } from '../client-stage.ts'
import type { BrowserStage } from './browser-stage.ts'

interface Sent {
  headers?: Record<string, string>
  body?: string
  credentials?: 'include'
}

const uuid = /^[0-9a-f]{8}-[0-9a-f-]{27}$/
const completion = JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }] })

export function describeAnswers(getStage: () => BrowserStage): void {
  test('a page uses every route and reads the id and the limits of each answer', async () => {
    const stage = getStage()
    const send = senderTo(stage, stage.project)
    stage.says('openai', { text: ['Hello'] })
    const thread = randomUUID()
    const answers = [
      await send('POST', '/chat/completions', { headers: { 'x-thread-id': thread }, body: completion }),
      await send('GET', '/models'),
      await send('HEAD', '/models'),
      await send('GET', '/threads'),
      await send('GET', `/threads/${thread}`),
      await send('GET', `/threads/${thread}/messages`),
      await send('DELETE', `/threads/${thread}`),
      await send('GET', '/billing/usage'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 204, 200])
    for (const { headers } of answers) {
      expect(headers['x-request-id']).toMatch(uuid)
      for (const unit of ['requests', 'tokens'])
        expect(Number(headers[`x-ratelimit-remaining-${unit}`])).toBeGreaterThan(0)
    }
    expect(stage.page.takeErrors()).toEqual([])
  })

  test('a page reads errors, with their id', async () => {
    const stage = getStage()
    const send = senderTo(stage, stage.project)
    const answers = [
      await send('POST', '/chat/completions', { body: '{' }),
      await send('GET', '/models', { headers: { authorization: 'Bearer wrong' } }),
      await send('GET', '/nothing'),
      await send('DELETE', `/threads/${randomUUID()}`),
      await send('POST', '/models', { body: completion }),
      await send('POST', '/chat/completions', { body: JSON.stringify({ messages: 'x'.repeat(1_100_000) }) }),
      await send('POST', '/chat/completions', { headers: { 'content-type': 'text/plain' }, body: completion }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([400, 401, 404, 404, 405, 413, 415])
    for (const { headers, text } of answers) {
      expect(headers['x-request-id']).toMatch(uuid)
      expect(JSON.parse(text)).toHaveProperty('error')
    }
  })

  test('a page reads a limit with its Retry-After, and a kill switch', async () => {
    const stage = getStage()
    const project = await stage.makeBrowserProject({ rpm_limit: 1 })
    const send = senderTo(stage, project)
    const answers = [await send('GET', '/models'), await send('GET', '/models')]
    // The window may have ended between the two.
    if (answers[1]?.status === 200) answers[1] = await send('GET', '/models')
    await stage.stop(project)
    const stopped = await send('GET', '/models')
    expect([...answers, stopped].map(({ status }) => status)).toEqual([200, 429, 403])
    expect(Number(answers[1]?.headers['retry-after'])).toBeGreaterThan(0)
    expect(JSON.parse(stopped.text).message).toBe('Service disabled by kill switch')
  })

  describe('a preflight', () => {
    test('is sent once for repeated requests, and what it allowed covers the families of names', async () => {
      const stage = getStage()
      const project = await stage.makeBrowserProject()
      const send = senderTo(stage, project)
      const headers = { 'X-Sallyport-Anything': 'a', 'X-Stainless-New-Name': 'b', 'OpenAI-Beta': 'c' }
      stage.says('openai', { text: ['Hello'] })
      for (let i = 0; i < 3; i++)
        expect((await send('POST', '/chat/completions', { headers, body: completion })).status).toBe(200)
      const methods = stage.requestsTo(project).map(({ method }) => method)
      expect(methods).toEqual(['OPTIONS', 'POST', 'POST', 'POST'])
    })

    test('is refused for an internal header and for a method that no route has', async () => {
      const stage = getStage()
      const project = await stage.makeBrowserProject()
      const send = outcomesOf(stage, project)
      for (const name of ['X-Tenant-Id', 'X-Internal-Secret', 'X-Admin-Secret'])
        expect(await send('GET', '/models', { headers: { [name]: 'a' } })).toHaveProperty('error')
      expect(await send('PUT', '/models')).toHaveProperty('error')
      expect(stage.requestsTo(project).every(({ method }) => method === 'OPTIONS')).toBe(true)
    })
  })

  test('a page sends credentials only where the project allows it', async () => {
    const stage = getStage()
    const allowing = outcomesOf(stage, await stage.makeBrowserProject({ cors_allow_credentials: true }))
    const credentials = 'include'
    expect(await allowing('GET', '/models', { credentials })).toMatchObject({ value: { status: 200 } })
    expect(await outcomesOf(stage, stage.project)('GET', '/models', { credentials })).toHaveProperty('error')
    const forAll = outcomesOf(stage, await stage.makeBrowserProject({ cors_origins: ['*'] }))
    expect(await forAll('GET', '/models')).toMatchObject({ value: { status: 200 } })
    expect(await forAll('GET', '/models', { credentials })).toHaveProperty('error')
  })

  test('a page reaches a project by its own host name', async () => {
    const stage = getStage()
    const { baseURL, token } = stage.project
    const [, port, slug] = /:(\d+)\/p\/([^/]+)/.exec(baseURL) ?? []
    const headers = { authorization: `Bearer ${token}` }
    const outcome = await stage.page.call('fetch', `http://${slug}.localhost:${port}/v1/models`, { headers })
    expect(outcome).toMatchObject({ value: { status: 200 } })
  })
}

/** Answers with what the page could read; throws where it could read nothing. */
function senderTo(stage: BrowserStage, project: ClientProject) {
  const send = outcomesOf(stage, project)
  return async (...args: Parameters<typeof send>) => {
    const outcome = await send(...args)
    if ('error' in outcome) throw new Error(`${args.slice(0, 2).join(' ')}: ${outcome.error.message}`)
    return outcome.value
  }
}

function outcomesOf({ page, targetOf }: BrowserStage, project: ClientProject) {
  const { baseURL, token } = targetOf(project)
  return (method: string, path: string, { headers = {}, ...rest }: Sent = {}) => {
    const type = rest.body === undefined ? {} : { 'content-type': 'application/json' }
    const sent = { authorization: `Bearer ${token}`, ...type, ...headers }
    return page.call('fetch', `${baseURL}${path}`, { method, headers: sent, ...rest })
  }
}
