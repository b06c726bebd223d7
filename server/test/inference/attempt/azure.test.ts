// Completions of Azure OpenAI through the product: whole, streamed, with errors, by key and by token.
import { describe, expect, test } from 'vitest'
import { errorResponse, eventStream, say, wholeUsage } from '../../support/simulated/provider-answers.ts'
import type { UpstreamRequest } from '../../support/simulated/scripted-upstream.ts'
import { eventsOf, oneConnection, textOf } from '../inference-stage.ts'
import { assumedSecret, awsSecret, azureKey, CloudStage, clientSecret } from './cloud-stage.ts'

const events = (data: readonly string[]) => eventStream(data.map(text => `data: ${text}\n\n`))

describe.each(['sqlite', 'postgres'] as const)('clouds on %s', backend => {
  const at = new CloudStage(backend)

  describe('azure', () => {
    const path = 'POST /openai/deployments/my-gpt/chat/completions'
    const answer = (request: UpstreamRequest, said = say('openai', { text: ['Hel', 'lo'] }, isStream(request))) =>
      at.issuers.isOfAzure(request) ? said : errorResponse('openai', 401, 'Access denied')
    const isStream = ({ body }: UpstreamRequest) => JSON.parse(body).stream === true

    test.each(['azure', 'entra'] as const)('%s answers, whole and streamed', async kind => {
      const project = await at.makeProject(kind, 'my-gpt')
      at.cloud.on(path, answer)
      const { status, body } = await project.complete({ max_tokens: 10 })
      expect(status).toBe(200)
      expect(body).toMatchObject({ choices: [{ message: { content: 'Hello' } }], usage: wholeUsage })
      expect(JSON.parse(at.asked()[0]?.body ?? '')).toMatchObject({ max_completion_tokens: 10 })
      const streamed = await at.textOfStream(project)
      expect(textOf(eventsOf(streamed))).toBe('Hello')
      expect(streamed).toContain('data: [DONE]')
    })

    test('a chunk about the prompt is not shown, and a filtered prompt is the client’s error', async () => {
      const project = await at.makeProject('azure', 'my-gpt')
      const chunk = (fields: object) =>
        JSON.stringify({ id: 'a', object: 'chat.completion.chunk', created: 1, model: 'm', ...fields })
      const choice = (delta: object, finish_reason: string | null = null) =>
        chunk({ choices: [{ index: 0, delta, finish_reason, content_filter_results: {} }] })
      at.cloud.on(
        path,
        events([
          JSON.stringify({ id: '', object: '', created: 0, model: '', choices: [], prompt_filter_results: [{}] }),
          choice({ role: 'assistant', content: 'Hi' }),
          choice({}, 'content_filter'),
          '[DONE]',
        ]),
      )
      const streamed = await at.textOfStream(project)
      expect(textOf(eventsOf(streamed))).toBe('Hi')
      expect(streamed).not.toContain('prompt_filter_results')
      expect(streamed).toContain('"finish_reason":"content_filter"')
      at.cloud.on(path, {
        status: 400,
        body: { error: { code: 'content_filter', message: 'Filtered', param: 'prompt' } },
      })
      expect(await project.complete()).toMatchObject({ status: 400, body: { error: { param: 'messages' } } })
    })

    test('a token that was revoked is fetched again, once', async () => {
      const agent = oneConnection()
      const project = await at.makeProject('entra', 'my-gpt')
      at.cloud.on(path, answer)
      await project.complete({}, { agent })
      const before = at.issuers.issued
      at.issuers.accepted.clear()
      expect((await project.complete({}, { agent })).status).toBe(200)
      expect(at.issuers.issued).toBe(before + 1)
      // A second token that is rejected too is an error.
      at.cloud.on(path, errorResponse('openai', 401, 'No'))
      const refused = await project.complete({}, { agent })
      expect(refused).toMatchObject({ status: 502, body: { error: { code: 'provider_auth_error' } } })
      expect(at.issuers.issued).toBe(before + 2)
      expect(at.asked()).toHaveLength(5)
    })

    test('a key that is rejected is not tried again', async () => {
      const project = await at.makeProject('azure', 'my-gpt')
      at.cloud.on(path, errorResponse('openai', 401, 'No'))
      expect((await project.complete()).status).toBe(502)
      expect(at.asked()).toHaveLength(1)
    })
  })

  test('no secret and no token is in the log', () => {
    const log = at.stage.harness.product.stdout() + at.stage.harness.product.stderr()
    for (const secret of [
      azureKey,
      clientSecret,
      awsSecret,
      assumedSecret,
      'PRIVATE KEY',
      'web-identity-token',
      'token-1',
      'session-',
    ]) {
      expect(log).not.toContain(secret)
    }
  })
})
