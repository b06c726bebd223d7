// Tests restored values in answers, through the real product: in streams of all forms and both wire formats, in
// arguments and reasoning, in broken answers, in memory, and with many concurrent requests of the same text.

import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { eventStream, openaiEvents, say } from '../../support/simulated/provider-answers.ts'
import { type Asked, eventsOf, openStage, type Stage, type TestProject, textOf } from '../inference-stage.ts'
import { contentOf, everything, mail, maskAll, piecesOf, repeatLast, ssn, tokens, user, values } from './guard-stage.ts'

interface Chunk {
  choices: {
    index: number
    delta: {
      content?: string
      refusal?: string
      reasoning_content?: string
      reasoning_details?: { text?: string }[]
      tool_calls?: { index: number; function: { arguments: string } }[]
    }
    logprobs: unknown
    finish_reason: string | null
  }[]
}

let stage: Stage
let project: TestProject
beforeAll(async () => {
  stage = await openStage('sqlite')
  project = await stage.makeProject({ settings: { ...maskAll, store_tool_calls: true } })
})
afterAll(() => stage.stop())
beforeEach(() => repeatLast(stage))

/** Returns the last message as the provider got it. */
const maskedIn = (body: string) => String((JSON.parse(body) as Asked).messages.at(-1)?.content)
const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
const frame = { id: 'c1', object: 'chat.completion.chunk', created: 1_790_000_000, model: 'gpt-4o-mini' }
const chunk = (delta: object, index = 0, finish: string | null = null, more = {}) =>
  data({ ...frame, choices: [{ index, delta, finish_reason: finish, ...more }] })

async function stream(own: TestProject, body: Record<string, unknown>, options = {}) {
  const answer = await own.open(body, options)
  const isWhole = await answer.ended
  const events = eventsOf(answer.text())
  const chunks = events.filter(
    (event): event is Chunk => typeof event === 'object' && event !== null && 'choices' in event,
  )
  const deltas = (index: number) =>
    chunks.flatMap(({ choices }) => choices.filter(choice => choice.index === index)).map(({ delta }) => delta)
  return { answer, isWhole, events, chunks, deltas }
}

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

describe('an answer in JSON', () => {
  test.each([false, true])('is JSON whatever the masked value holds (stream: %s)', async isStream => {
    const asking = 'Ship it to 123 Main Street\nSpringfield, IL 62704, please.'
    const own = await stage.makeProject({ settings: { pii_mode: 'enforce', pii_entities: { LOCATION: 'MASK' } } })
    stage.script(({ body }) => {
      const masked = maskedIn(body)
      return say('openai', { text: piecesOf(JSON.stringify({ note: masked }), isStream ? 7 : 1_000) }, isStream)
    })
    const asked = { ...user(asking), response_format: { type: 'json_object' } }
    const content = isStream
      ? (await stream(own, asked)).deltas(0).map(delta => delta.content ?? '')
      : [contentOf(await own.complete(asked))]
    expect(JSON.parse(content.join(''))).toEqual({ note: asking })
    expect(stage.asked().at(-1)?.messages.at(-1)?.content).toMatch(/<LOCATION_[0-9a-f]{12}>/)
  })
})

describe('what an answer cost', () => {
  test('is counted on what the provider read and said, not on what the user did', async () => {
    const counts = async (settings: Record<string, unknown>) => {
      const own = await stage.makeProject({ settings })
      stage.script(({ body }) =>
        eventStream([
          chunk({ role: 'assistant', content: '' }),
          chunk({ content: maskedIn(body) }),
          chunk({}, 0, 'stop'),
          'data: [DONE]\n\n',
        ]),
      )
      await stream(own, user(everything))
      return await own.usage()
    }
    const masked = await counts(maskAll)
    expect(masked.requests).toBe(1)
    // Mask tokens are longer than the values they replace.
    expect(masked.total_tokens).toBeGreaterThan((await counts({})).total_tokens)
  })
})

describe('memory', () => {
  const thread = (id: string) => ({ headers: { 'x-thread-id': id } })
  const kept = async (own: TestProject, id: string) => {
    const page = (await own.ask('GET', `/v1/threads/${id}/messages`)).body as {
      data: { content: string; tool_calls?: unknown }[]
    }
    return page.data
  }

  test('keeps what the user sees of what is masked, which is masked again each time', async () => {
    for (const named of [thread('m'), { headers: { 'x-session-id': 'm' } }]) {
      await project.complete(user(everything), named)
      await project.complete(user('And now?'), named)
      const asked = stage.asked().at(-1)?.messages ?? []
      expect(asked.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
      expect(asked[0]?.content).toMatch(new RegExp(`^Write to ${tokens.mail}, `))
      expect(asked[1]?.content).toBe(asked[0]?.content)
      for (const value of values) expect(JSON.stringify(asked)).not.toContain(value)
    }
    expect((await kept(project, 'm')).map(({ content }) => content)).toEqual([
      everything,
      everything,
      'And now?',
      'And now?',
    ])
    expect(await project.ask('GET', '/v1/threads/m')).toMatchObject({ body: { title: everything.slice(0, 80) } })
    // A token of an earlier turn is restored, because the same value of the history gives the same token.
    stage.script(({ body }) =>
      say('openai', { text: [String((JSON.parse(body) as Asked).messages[0]?.content)] }, false),
    )
    expect(contentOf(await project.complete(user('Again?'), thread('m')))).toBe(everything)
  })

  test('keeps restored calls, and masks them anew', async () => {
    stage.script(({ body }) => {
      const calls = [{ id: 'call_1', name: 'send', pieces: [JSON.stringify({ to: maskedIn(body) })] }]
      return say('openai', { calls }, false)
    })
    await project.complete(user(mail), thread('calls'))
    repeatLast(stage)
    const answer = await project.complete(
      { messages: [{ role: 'tool', tool_call_id: 'call_1', content: `sent to ${mail}` }] },
      thread('calls'),
    )
    expect(contentOf(answer)).toBe(`sent to ${mail}`)
    expect(JSON.stringify(stage.asked().at(-1))).not.toContain(mail)
    expect(JSON.stringify((await kept(project, 'calls'))[1]?.tool_calls)).toContain(mail)
  })

  test('keeps the placeholder of what is redacted, and the answer as it was', async () => {
    const own = await stage.makeProject({
      settings: { pii_mode: 'enforce', pii_entities: { EMAIL_ADDRESS: 'REDACT', US_SSN: 'MASK' } },
    })
    await own.complete(user(`${mail}, SSN ${ssn}`), thread('r'))
    const said = `<EMAIL_ADDRESS>, SSN ${ssn}`
    expect((await kept(own, 'r')).map(({ content }) => content)).toEqual([said, said])
  })

  test('in shadow keeps everything as it is; what was stored before a guardrail came is guarded by it', async () => {
    const own = await stage.makeProject({
      settings: { ...maskAll, pii_mode: 'shadow' },
      tiers: [{ name: 'strict', overrides: { pii_mode: 'enforce', pii_entities: { EMAIL_ADDRESS: 'BLOCK' } } }],
    })
    await own.complete(user(mail), thread('s'))
    expect((await kept(own, 's')).map(({ content }) => content)).toEqual([mail, mail])
    const strict = await own.mint({ tier: 'strict' })
    expect((await own.complete(user('hi'), { ...thread('s'), token: strict })).status).toBe(403)
    expect(await kept(own, 's')).toHaveLength(2)
  })
})

test('the playground goes the same way', async () => {
  const own = await stage.makeProject({ settings: maskAll })
  const { session } = stage.harness.owner
  const path = `/auth/v1/projects/${own.id}`
  await stage.harness.call('PUT', `${path}/settings/model/draft`, {
    session,
    body: { provider_model: 'openai/gpt-4o' },
  })
  const answer = await stage.harness.call('POST', `${path}/playground`, { session, body: user(everything) })
  expect(textOf(eventsOf(answer.text))).toBe(everything)
  expect(stage.asked().at(-1)?.messages.at(-1)?.content).toMatch(new RegExp(tokens.ssn))
  await stage.harness.call('PUT', `${path}/settings`, { session, body: { pii_entities: { US_SSN: 'BLOCK' } } })
  const refused = await stage.harness.call('POST', `${path}/playground`, { session, body: user(everything) })
  expect(refused).toMatchObject({
    status: 403,
    body: { error: 'Request blocked: detected PII types [US_SSN]', code: 'SERVICE_PII_BLOCKED' },
  })
})

test('of many at once who say the same, nobody is told what another has said', async () => {
  const count = inject('prove') ? 1_000 : 150
  const projects = [
    project,
    await stage.makeProject({ tenantId: project.tenantId, settings: maskAll }),
    await stage.makeProject({ settings: maskAll }),
  ]
  const users = await Promise.all(
    projects.map(own => Promise.all(['ann', 'ben', 'cem'].map(user_id => own.mint({ user_id })))),
  )
  // The provider sends each client all tokens that it has seen so far.
  const heard = new Set<string>()
  stage.script(({ body }) => {
    const own = maskedIn(body)
    for (const token of own.match(/<[A-Z_]+_[0-9a-f]{12}>/g) ?? []) heard.add(token)
    const others = [...heard].filter(token => !own.includes(token)).slice(-40)
    const isStream = (JSON.parse(body) as Asked).stream === true
    return say('openai', { text: piecesOf(`${own} | ${others.join(' ')}`, isStream ? 11 : 1_000_000) }, isStream)
  })
  // A few values that many requests share, and one that is unique to each.
  const said = Array.from({ length: count }, (_, index) => `shared${index % 5}@example.com and own${index}@example.com`)
  const ask = async (text: string, index: number): Promise<string> => {
    const own = projects[index % projects.length] ?? project
    const token = users[index % projects.length]?.[index % 2] ?? ''
    if (index % 2 === 0) return contentOf(await own.complete(user(text), { token }))
    return textOf((await stream(own, user(text), { token })).events)
  }
  const told: string[] = []
  for (let from = 0; from < count; from += 250) {
    told.push(...(await Promise.all(said.slice(from, from + 250).map((text, index) => ask(text, from + index)))))
  }
  let foreign = 0
  for (const [index, text] of told.entries()) {
    const [own = '', others = ''] = text.split(' | ')
    expect(own).toBe(said[index])
    expect(others).not.toContain('@')
    foreign += others.split('<').length - 1
  }
  // Each client really got tokens of other requests.
  expect(foreign).toBeGreaterThan(20 * count)
})
