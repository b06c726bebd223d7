// Tests restored values in plain answers, in memory and in the playground, and with many concurrent requests of the
// same text.
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { eventStream, say } from '../../support/simulated/provider-answers.ts'
import { type Asked, eventsOf, openStage, type Stage, type TestProject, textOf } from '../inference-stage.ts'
import { contentOf, everything, mail, maskAll, piecesOf, repeatLast, ssn, tokens, user, values } from './guard-stage.ts'
import { chunk, maskedIn, stream } from './guarded-stream.ts'

let stage: Stage
let project: TestProject
beforeAll(async () => {
  stage = await openStage('sqlite')
  project = await stage.makeProject({ settings: { ...maskAll, store_tool_calls: true } })
})
afterAll(() => stage.stop())
beforeEach(() => repeatLast(stage))

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
