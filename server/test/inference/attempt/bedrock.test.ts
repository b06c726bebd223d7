// Completions of Amazon Bedrock through the product: whole, streamed, with tools and errors, by keys and by a role.
import { describe, expect, test } from 'vitest'
import { eventFrame, exceptionFrame } from '../../support/simulated/aws-event-stream.ts'
import { wholeUsage } from '../../support/simulated/provider-answers.ts'
import type { UpstreamAnswer, UpstreamRequest } from '../../support/simulated/scripted-upstream.ts'
import { eventsOf, oneConnection, textOf } from '../inference-stage.ts'
import { assumedSecret, awsSecret, azureKey, CloudStage, claude, clientSecret } from './cloud-stage.ts'

const weather = { type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } }

describe.each(['sqlite', 'postgres'] as const)('clouds on %s', backend => {
  const at = new CloudStage(backend)

  describe('bedrock', () => {
    const path = `/model/${encodeURIComponent(claude)}`
    const usage = { inputTokens: 11, outputTokens: 7, totalTokens: 18 }
    const whole = (content: unknown[], stopReason = 'end_turn'): UpstreamAnswer => ({
      body: { output: { message: { role: 'assistant', content } }, stopReason, usage },
    })
    const stream = (...frames: Buffer[]): UpstreamAnswer => ({
      write(response) {
        response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' })
        // A frame in two pieces, and two frames in one.
        const bytes = Buffer.concat(frames)
        response.write(bytes.subarray(0, 50))
        response.end(bytes.subarray(50))
      },
    })
    const signed = (answer: UpstreamAnswer) => (request: UpstreamRequest) =>
      at.issuers.isSigned(request)
        ? answer
        : { status: 403, headers: { 'x-amzn-errortype': 'ExpiredTokenException' }, body: { message: 'expired' } }
    const delta = (contentBlockIndex: number, value: object) =>
      eventFrame('contentBlockDelta', { contentBlockIndex, delta: value })
    const ending = (stopReason: string) => [
      eventFrame('messageStop', { stopReason }),
      eventFrame('metadata', { usage }),
    ]

    test.each(['bedrock', 'role'] as const)('%s answers, whole and streamed', async kind => {
      const project = await at.makeProject(kind, claude)
      at.cloud.on(`POST ${path}/converse`, signed(whole([{ text: 'Hello' }])))
      at.cloud.on(
        `POST ${path}/converse-stream`,
        signed(stream(delta(0, { text: 'Hel' }), delta(0, { text: 'lo' }), ...ending('end_turn'))),
      )
      const { status, body } = await project.complete()
      expect(status).toBe(200)
      expect(body).toMatchObject({
        choices: [{ message: { content: 'Hello' }, finish_reason: 'stop' }],
        usage: wholeUsage,
      })
      expect(JSON.parse(at.asked()[0]?.body ?? '')).toEqual({
        messages: [{ role: 'user', content: [{ text: 'Hello' }] }],
      })
      const streamed = await at.textOfStream(project)
      expect(textOf(eventsOf(streamed))).toBe('Hello')
      expect(streamed).toContain('data: [DONE]')
      expect((await project.usage()).total_tokens).toBe(36)
    })

    test('parallel tool calls, and their results', async () => {
      const project = await at.makeProject('bedrock', claude)
      const start = (contentBlockIndex: number, toolUseId: string) =>
        eventFrame('contentBlockStart', { contentBlockIndex, start: { toolUse: { toolUseId, name: 'weather' } } })
      at.cloud.on(
        `POST ${path}/converse-stream`,
        signed(
          stream(
            start(0, 'a'),
            delta(0, { toolUse: { input: '{"city":' } }),
            delta(0, { toolUse: { input: '"Rome"}' } }),
            start(1, 'b'),
            ...ending('tool_use'),
          ),
        ),
      )
      const streamed = await at.textOfStream(project, { tools: [weather], tool_choice: 'required' })
      expect(streamed).toContain('"finish_reason":"tool_calls"')
      expect(JSON.parse(at.asked()[0]?.body ?? '')).toMatchObject({ toolConfig: { toolChoice: { any: {} } } })
      const call = (id: string) => ({ id, type: 'function', function: { name: 'weather', arguments: '{}' } })
      at.cloud.on(`POST ${path}/converse`, signed(whole([{ text: 'Sunny' }])))
      const messages = [
        { role: 'user', content: 'Weather?' },
        { role: 'assistant', content: null, tool_calls: [call('a'), call('b')] },
        { role: 'tool', tool_call_id: 'a', content: '20' },
        { role: 'tool', tool_call_id: 'b', content: '30' },
      ]
      expect((await project.complete({ messages, tools: [weather] })).status).toBe(200)
      const sent = JSON.parse(at.asked().at(-1)?.body ?? '') as { messages: { content: unknown[] }[] }
      expect(sent.messages.at(-1)?.content).toMatchObject([
        { toolResult: { toolUseId: 'a', content: [{ text: '20' }] } },
        { toolResult: { toolUseId: 'b', content: [{ text: '30' }] } },
      ])
    })

    test('errors before the answer and in the stream', async () => {
      const project = await at.makeProject('bedrock', claude)
      at.cloud.on(`POST ${path}/converse`, {
        status: 400,
        headers: { 'x-amzn-errortype': 'ValidationException' },
        body: { message: 'Input is too long' },
      })
      expect(await project.complete()).toMatchObject({
        status: 400,
        body: { error: { code: 'context_length_exceeded' } },
      })
      at.cloud.on(`POST ${path}/converse-stream`, stream(exceptionFrame('throttlingException', 'Slow down')))
      expect((await project.open()).status).toBe(429)
      at.cloud.on(
        `POST ${path}/converse-stream`,
        stream(delta(0, { text: 'Hel' }), exceptionFrame('modelStreamErrorException', 'No')),
      )
      const broken = await at.textOfStream(project)
      expect(broken).toContain('provider_unavailable')
      expect(broken).not.toContain('[DONE]')
    })

    test('the credentials of a role that expired are replaced once; those of a tenant serve no other', async () => {
      const agent = oneConnection()
      const project = await at.makeProject('role', claude)
      at.cloud.on(`POST ${path}/converse`, signed(whole([{ text: 'Hello' }])))
      await project.complete({}, { agent })
      const other = await at.makeProject('role', claude)
      await other.complete({}, { agent })
      const sessions = at.asked().map(({ headers }) => String(headers['x-amz-security-token']))
      expect(sessions).toEqual([expect.stringContaining(project.tenantId), expect.stringContaining(other.tenantId)])
      at.issuers.accepted.clear()
      expect((await project.complete({}, { agent })).status).toBe(200)
      expect(at.asked()).toHaveLength(4)
    })

    test('access keys that are rejected are not tried again', async () => {
      const project = await at.makeProject('bedrock', claude)
      at.cloud.on(`POST ${path}/converse`, {
        status: 403,
        headers: { 'x-amzn-errortype': 'AccessDeniedException' },
        body: {},
      })
      expect(await project.complete()).toMatchObject({ status: 502, body: { error: { code: 'provider_auth_error' } } })
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
