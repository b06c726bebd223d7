// An external recogniser through the real product, on both stores: its matches join those of PII Shield, and what
// happens to requests if it does not answer.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { describeEachBackend } from '../../support/management-harness.ts'
import { type Script, type ScriptedUpstream, startUpstream } from '../../support/simulated/scripted-upstream.ts'
import { oneConnection, openStage, type Stage, type TestProject } from '../inference-stage.ts'
import { contentOf, eventsOfRequest, mail, repeatLast, user } from './guard-stage.ts'

/** No name that PII Shield knows. */
const name = 'qillo-vash'
const text = `👋 ${name} wrote from ${mail}, desk 0042-7`
const enforced = { pii_mode: 'enforce', pii_entities: { PERSON: 'MASK', EMAIL_ADDRESS: 'MASK' } }

/** Finds all occurrences, with offsets in code points, as Presidio has them. */
function recognise(values: Record<string, [value: string, score: number]>): Script {
  return ({ body }) => {
    const { text: asked } = JSON.parse(body) as { text: string }
    const finds = Object.entries(values).flatMap(([entity_type, [value, score]]) => {
      const at = asked.indexOf(value)
      const start = [...asked.slice(0, at)].length
      return at < 0 ? [] : [{ entity_type, start, end: start + [...value].length, score }]
    })
    return { body: finds }
  }
}

describeEachBackend('an external recogniser', (_start, backend) => {
  let stage: Stage
  /** The operator's, and one that a project names. */
  let [analyzer, own]: ScriptedUpstream[] = []
  beforeAll(async () => {
    ;[analyzer, own] = [await startUpstream(), await startUpstream()]
    stage = await openStage(
      backend,
      {
        LOG_LEVEL: 'debug',
        EXTERNAL_RECOGNISER_URL: `${analyzer.url}/presidio`,
        OUTBOUND_ALLOW: own.host,
      },
      { own: true },
    )
  })
  afterAll(async () => {
    await stage.stop()
    await Promise.all([analyzer?.close(), own?.close()])
  })
  beforeEach(() => {
    repeatLast(stage)
    analyzer?.reset()
    own?.reset()
  })
  const script = (answer: Script) => analyzer!.on('POST /presidio/analyze', answer)
  const lastText = () => String(stage.asked().at(-1)?.messages.at(-1)?.content)
  const manage = (method: string, path: string, body?: unknown) =>
    stage.harness.call(method, path, { session: stage.harness.owner.session, body })
  const countOf = async (outcome: string) => {
    const metrics = await (await fetch(`${stage.harness.baseUrl}/metrics`)).text()
    const [, count = '0'] = metrics.match(`sallyport_recogniser_calls_total{outcome="${outcome}"} (\\d+)`) ?? []
    return Number(count)
  }
  /** Again while the machine is too busy for an answer within the time that a recogniser has. */
  const complete = async (project: TestProject, body: Record<string, unknown>, options = {}) => {
    let answer = await project.complete(body, options)
    const read = async () => {
      if (answer.status === 503) answer = await project.complete(body, options)
      return answer.status
    }
    await expect.poll(read).not.toBe(503)
    return answer
  }

  test('finds what PII Shield does not, which is masked and restored, and named in events', async () => {
    script(recognise({ PERSON: [name, 0.85], PHONE_NUMBER: ['0042-7', 1] }))
    const project = await stage.makeProject({ settings: enforced })
    const agent = oneConnection()
    const answer = await complete(project, user(text), { agent })
    expect(contentOf(answer)).toBe(text)
    // A telephone number is not wanted.
    expect(lastText()).toMatch(/^👋 <PERSON_[0-9a-f]{12}> wrote from <EMAIL_ADDRESS_[0-9a-f]{12}>, desk 0042-7$/)
    expect(await eventsOfRequest(stage, project, answer, 1)).toMatchObject([
      { direction: 'input', action_taken: 'masked', entity_types: ['EMAIL_ADDRESS', 'PERSON'], entity_count: '2' },
    ])
    expect(analyzer!.requests.every(({ body }) => body === JSON.stringify({ text, language: 'en' }))).toBe(true)
    const calls = analyzer!.requests.length
    // A text that this process knows is not sent again, nor is the answer.
    await project.complete({ messages: [...user(text).messages, { role: 'user', content: ' ' }] }, { agent })
    expect(analyzer!.requests).toHaveLength(calls)
    expect(await countOf('answered')).toBeGreaterThan(0)
    expect(stage.harness.product.stdout() + stage.harness.product.stderr()).not.toContain(name)
  })

  test('reads what PII Shield reads: names, tool calls and their results', async () => {
    script(recognise({ PERSON: [name, 0.85] }))
    const project = await stage.makeProject({ settings: enforced })
    const call = { id: 'call_1', type: 'function', function: { name: 'find', arguments: `{"who":"${name}"}` } }
    const messages = [
      { role: 'user', content: 'Who?' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: `It is ${name}.` },
    ]
    await complete(project, { messages })
    expect(JSON.stringify(stage.asked().at(-1))).not.toContain(name)
    expect(stage.asked().at(-1)?.messages.at(-1)?.content).toMatch(/^It is <PERSON_[0-9a-f]{12}>\.$/)
    const texts = analyzer!.requests.map(({ body }) => (JSON.parse(body) as { text: string }).text)
    expect(texts).toEqual(expect.arrayContaining(['Who?', `who: ${name}\n`, `It is ${name}.`, 'call_1\nfind']))
  })

  test('wins over PII Shield with a higher score, and loses with a lower one', async () => {
    const settings = {
      pii_mode: 'enforce',
      pii_entities: { EMAIL_ADDRESS: 'REDACT', BADGE: 'REDACT', PERSON: 'REDACT' },
      custom_entities: [{ name: 'BADGE', words: ['never written'] }],
    }
    const project = await stage.makeProject({ settings })
    const asked = (count: number) => `Mail ${mail} and more ${count}`
    script(recognise({ BADGE: [mail, 0.71] }))
    await complete(project, user(asked(1)))
    expect(lastText()).toBe('Mail <EMAIL_ADDRESS> and more 1')
    script(recognise({ BADGE: [`Mail ${mail}`, 1] }))
    await complete(project, user(asked(2)))
    expect(lastText()).toBe('<BADGE> and more 2')
    script(recognise({ PERSON: [mail, 0.69] }))
    await complete(project, user(asked(3)))
    expect(lastText()).toBe('Mail <EMAIL_ADDRESS> and more 3')
  })

  test('finds nothing inside a token that a user typed', async () => {
    const typed = '<PERSON_0123456789ab>'
    script(recognise({ PERSON: ['0123456789ab', 1] }))
    const project = await stage.makeProject({ settings: enforced })
    await complete(project, user(`What is ${typed}?`))
    expect(lastText()).toBe(`What is ${typed}?`)
  })

  const failures: [string, Script][] = [
    ['status', { status: 500, body: { error: name } }],
    ['malformed', { body: { finds: [name] } }],
    ['timeout', { write: () => undefined }],
    ['network', { hangUp: true }],
  ]

  test.each(failures)('that fails (%s): enforce rejects, shadow counts it and goes on', async (problem, answer) => {
    script(answer)
    const enforcing = await stage.makeProject({ settings: enforced })
    const before = stage.asked().length
    expect(await enforcing.complete(user(text))).toMatchObject({
      status: 503,
      body: { error: { code: 'guardrail_unavailable', message: 'A guardrail of this project cannot run' } },
    })
    expect(stage.asked()).toHaveLength(before)
    const blocking = await stage.makeProject({
      tenantId: enforcing.tenantId,
      settings: { ...enforced, pii_entities: { EMAIL_ADDRESS: 'BLOCK' } },
    })
    expect(await blocking.complete(user(text))).toMatchObject({ status: 403 })
    const counted = await countOf(problem)
    const shadow = await stage.makeProject({
      tenantId: enforcing.tenantId,
      settings: { ...enforced, pii_mode: 'shadow' },
    })
    const passed = await shadow.complete(user(text))
    expect(contentOf(passed)).toBe(text)
    expect(await eventsOfRequest(stage, shadow, passed, 1)).toMatchObject([
      { mode: 'shadow', action_taken: 'detected', entity_types: ['EMAIL_ADDRESS'] },
    ])
    expect(await countOf(problem)).toBe(counted + 1)
    const log = stage.harness.product.stderr()
    expect(log).toContain('external recogniser failed')
    expect(log).not.toContain(name)
    const own = `/auth/v1/projects/${enforcing.id}/guardrails/try`
    expect(await manage('POST', own, { text })).toMatchObject({ status: 503, body: { code: 'guardrail_unavailable' } })
  })

  test('is not asked by a project whose PII Shield is off or wants no type, nor about answers', async () => {
    script(recognise({ PERSON: [name, 1] }))
    const types = { pii_entities: { PERSON: 'MASK' } }
    const offs: Record<string, unknown>[] = [
      { ...types, pii_mode: 'disabled' },
      { pii_mode: 'enforce', pii_entities: {} },
      { ...types, pii_mode: 'disabled', pii_answer_mode: 'enforce', sentinel_mode: 'enforce' },
    ]
    for (const settings of offs) {
      const project = await stage.makeProject({ settings })
      expect(contentOf(await project.complete(user(`I am ${name}`)))).toContain(name)
    }
    expect(analyzer!.requests).toEqual([])
  })

  test('of a project replaces that of the operator, in a tier and in a try, too', async () => {
    script({ status: 500 })
    own!.on('POST /analyze', recognise({ PERSON: [name, 0.9] }))
    const settings = { ...enforced, recogniser_url: `${own!.url}/` }
    const project = await stage.makeProject({
      settings,
      tiers: [{ name: 'operator', overrides: { recogniser_url: null } }],
    })
    await complete(project, user(text))
    expect(lastText()).not.toContain(name)
    expect(analyzer!.requests).toEqual([])
    const path = `/auth/v1/projects/${project.id}`
    const token = await project.mint({ user_id: 'bob', tier: 'operator' })
    expect(await project.complete(user(text), { token })).toMatchObject({ status: 503 })
    const tried = async () => (await manage('POST', `${path}/guardrails/try`, { text })).body
    await expect.poll(tried).toMatchObject({
      pii: [{ type: 'PERSON', start: 3, end: 3 + name.length, score: 0.9, action: 'MASK' }, { type: 'EMAIL_ADDRESS' }],
      would: 'mask',
    })
    expect((await manage('GET', `${path}/settings`)).body).toMatchObject({ recogniser_url: own!.url })
  })

  test('of a project at a private address is rejected', async () => {
    const project = await stage.makeProject({ settings: enforced })
    const path = `/auth/v1/projects/${project.id}`
    // Not listed, though the operator's own is there.
    const overrides = { recogniser_url: analyzer!.url }
    const refusal = { status: 400, body: { error: 'The address is not allowed', code: 'INVALID_BASE_URL' } }
    expect(await manage('PUT', `${path}/settings`, overrides)).toMatchObject(refusal)
    expect(await manage('POST', `${path}/tiers`, { name: 'pro', overrides })).toMatchObject(refusal)
    expect(await manage('POST', `${path}/tiers`, { name: 'pro', overrides: {} })).toMatchObject({ status: 201 })
    const [tier] = (await manage('GET', `${path}/tiers`)).body as { id: string }[]
    expect(await manage('PUT', `${path}/tiers/${tier?.id}`, { overrides })).toMatchObject(refusal)
  })
})
