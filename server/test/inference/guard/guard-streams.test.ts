// Tests restored values in streams, through the real product: in all forms and both wire formats, in arguments and
// reasoning, and in broken answers.
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { eventStream, openaiEvents, say } from '../../support/simulated/provider-answers.ts'
import { type Asked, eventsOf, openStage, type Stage, type TestProject, textOf } from '../inference-stage.ts'
import { everything, mail, maskAll, piecesOf, repeatLast, ssn, user } from './guard-stage.ts'
import { type Chunk, chunk, maskedIn, stream } from './guarded-stream.ts'

let stage: Stage
let project: TestProject
beforeAll(async () => {
  stage = await openStage('sqlite')
  project = await stage.makeProject({ settings: { ...maskAll, store_tool_calls: true } })
})
afterAll(() => stage.stop())
beforeEach(() => repeatLast(stage))

describe('a stream', () => {
  test('restores each choice, channel and call by itself, whatever is between the pieces', async () => {
    stage.script(({ body }) => {
      const said = piecesOf(maskedIn(body), 5)
      const json = piecesOf(JSON.stringify({ note: maskedIn(body), n: 1 }), 4)
      const detail = (text: string) => ({ type: 'reasoning.text', text, index: 0 })
      const begun = (index: number, name: string) => ({
        index,
        id: `call_${name}`,
        type: 'function',
        function: { name, arguments: '' },
      })
      const rounds = Array.from({ length: Math.max(said.length, json.length) }, (_, at) => {
        const piece = said[at] ?? ''
        return [0, 1].map(index =>
          [
            chunk({ content: piece }, index),
            chunk({ refusal: piece }, index),
            chunk({ reasoning: piece, reasoning_details: [detail(piece)] }, index),
            ...[0, 1].map(call =>
              chunk({ tool_calls: [{ index: call, function: { arguments: json[at] ?? '' } }] }, index),
            ),
          ].join(''),
        )
      })
      return eventStream([
        ...[0, 1].map(index =>
          chunk({ role: 'assistant', content: '', tool_calls: [begun(0, 'a'), begun(1, 'b')] }, index),
        ),
        ...rounds.flat(),
        chunk({}, 0, 'tool_calls'),
        chunk({}, 1, 'stop'),
        'data: [DONE]\n\n',
      ])
    })
    const text = everything.replace('card', 'card "of\\mine"\n')
    const { isWhole, deltas } = await stream(project, { ...user(text), n: 2 })
    expect(isWhole).toBe(true)
    for (const index of [0, 1]) {
      const own = deltas(index)
      const join = (read: (delta: Chunk['choices'][0]['delta']) => string | undefined) =>
        own.map(delta => read(delta) ?? '').join('')
      expect(join(delta => delta.content)).toBe(text)
      expect(join(delta => delta.refusal)).toBe(text)
      expect(join(delta => delta.reasoning_content)).toBe(text)
      expect(join(delta => delta.reasoning_details?.[0]?.text)).toBe(text)
      for (const call of [0, 1]) {
        const json = join(delta =>
          delta.tool_calls
            ?.filter(({ index: at }) => at === call)
            .map(({ function: { arguments: piece } }) => piece)
            .join(''),
        )
        expect(JSON.parse(json)).toEqual({ note: text, n: 1 })
      }
    }
  })

  test('of one provider or another, with calls, plain or streamed, says the same', async () => {
    const { session } = stage.harness.owner
    const path = `/auth/v1/tenants/${project.tenantId}/providers/anthropic`
    await stage.harness.call('PUT', path, { session, body: { api_key: 'sk-ant-0123456789abcdef0123' } })
    const claude = await stage.makeProject({
      tenantId: project.tenantId,
      settings: maskAll,
      model: 'anthropic/claude-sonnet-4-5',
    })
    const text = `${mail} says "${ssn}"`
    for (const [shape, own, call] of [
      ['openai', project, 'POST /v1/chat/completions'],
      ['anthropic', claude, 'POST /v1/messages'],
    ] as const) {
      stage.upstream.on(call, ({ body }) => {
        const { messages, stream: isStream } = JSON.parse(body) as Asked
        const { content } = messages.at(-1) ?? {}
        const said = typeof content === 'string' ? content : ((content as { text: string }[])[0]?.text ?? '')
        const calls = [{ id: 'call_1', name: 'send', pieces: piecesOf(JSON.stringify({ to: said }), 3) }]
        return say(shape, { text: piecesOf(said, 3), calls }, isStream === true)
      })
      const answer = await own.complete(user(text))
      const { message } =
        (
          answer.body as {
            choices: { message: { content: string; tool_calls: { function: { arguments: string } }[] } }[]
          }
        ).choices[0] ?? {}
      expect(message?.content, shape).toBe(text)
      expect(JSON.parse(message?.tool_calls[0]?.function.arguments ?? '')).toEqual({ to: text })
      const { events, deltas, isWhole } = await stream(own, user(text))
      expect(isWhole).toBe(true)
      expect(textOf(events)).toBe(text)
      const json = deltas(0)
        .map(delta => delta.tool_calls?.[0]?.function.arguments ?? '')
        .join('')
      expect(JSON.parse(json)).toEqual({ to: text })
      expect(JSON.stringify(stage.upstream.requests.at(-1)?.body)).not.toContain(mail)
    }
  })

  test('is late by one piece at most, and only where a token may follow', async () => {
    let goOn = (): void => undefined
    const wait = () => new Promise<void>(resolve => (goOn = resolve))
    stage.script({
      async write(response: ServerResponse) {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(chunk({ role: 'assistant', content: '' }))
        for (const piece of ['Hello', ' wor', 'ld <', 'b> an', 'd <EMAIL_ADD', 'ITION']) {
          response.write(chunk({ content: piece }))
          await wait()
        }
        response.end(`${chunk({}, 0, 'stop')}data: [DONE]\n\n`)
      },
    })
    const answer = await project.open(user(mail))
    for (const told of [
      'Hello',
      'Hello wor',
      'Hello world ',
      'Hello world <b> an',
      'Hello world <b> and ',
      'Hello world <b> and <EMAIL_ADDITION',
    ]) {
      await expect.poll(() => textOf(eventsOf(answer.text())), { interval: 2 }).toBe(told)
      goOn()
    }
    expect(await answer.ended).toBe(true)
  })

  test('that breaks tells what was held back, then why', async () => {
    stage.script(({ body }) => {
      const token = maskedIn(body)
      return eventStream([chunk({ role: 'assistant', content: '' }), chunk({ content: `${token} <EMAIL_ADD` })])
    })
    const { events, isWhole } = await stream(project, user(mail))
    expect(isWhole).toBe(true)
    expect(textOf(events.slice(0, -1))).toBe(`${mail} <EMAIL_ADD`)
    expect(events.at(-1)).toMatchObject({ error: { code: 'provider_unavailable' } })
  })

  test('that is ended from here tells what was held back, then why', async () => {
    const own = await stage.makeProject({ settings: maskAll })
    stage.script({
      async write(response: ServerResponse) {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(chunk({ role: 'assistant', content: '' }) + chunk({ content: 'a <EMAIL_ADD' }))
        while (!response.destroyed) await sleep(10)
      },
    })
    const answer = await own.open(user(mail))
    await expect.poll(() => textOf(eventsOf(answer.text()))).toBe('a ')
    const { adminSecret } = stage.harness
    await stage.harness.call('POST', `/v1/admin/killswitch/project/${own.id}`, { adminSecret, body: { enabled: true } })
    expect(await answer.ended).toBe(true)
    const events = eventsOf(answer.text())
    expect(textOf(events.slice(0, -1))).toBe('a <EMAIL_ADD')
    expect(events.at(-1)).toMatchObject({ error: { code: 'service_disabled' } })
  })

  test('passes as it came where nothing was masked, and never where something was', async () => {
    const odd = openaiEvents({ text: ['Hel', 'lo'] }).map(event => event.replace('"choices":', '"choices" : '))
    stage.script(eventStream(odd))
    const untouched = await stream(project, user('hi'))
    expect(untouched.answer.text()).toContain('"choices" : ')
    expect((await stream(project, user(mail))).answer.text()).not.toContain('"choices" : ')
    const redacting = await stage.makeProject({
      settings: { pii_mode: 'enforce', pii_entities: { EMAIL_ADDRESS: 'REDACT' } },
    })
    expect((await stream(redacting, user(mail))).answer.text()).toContain('"choices" : ')
  })

  test('says nothing of the single tokens of a restored text', async () => {
    const logprobs = (token: string) => ({
      content: [{ token, logprob: -0.1, bytes: null, top_logprobs: [] }],
      refusal: null,
    })
    stage.script(({ body }) => {
      const pieces = ['Hi ', maskedIn(body).slice(0, 9), maskedIn(body).slice(9), '.']
      return eventStream([
        chunk({ role: 'assistant', content: '' }),
        ...pieces.map(piece => chunk({ content: piece }, 0, null, { logprobs: logprobs(piece) })),
        chunk({}, 0, 'stop'),
        'data: [DONE]\n\n',
      ])
    })
    const { answer, events, chunks } = await stream(project, { ...user(mail), logprobs: true })
    expect(textOf(events)).toBe(`Hi ${mail}.`)
    expect(answer.text()).not.toContain('EMAIL_ADD')
    expect(chunks.filter(({ choices }) => choices[0]?.logprobs !== null)).toHaveLength(2)
  })
})
