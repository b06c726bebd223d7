// Types of data beyond the usual ones through the real product, on both stores: credentials, and types that a project
// defines itself. What they detect in all detail is tested without a server.
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { describeEachBackend } from '../../support/management-harness.ts'
import { openaiEvents } from '../../support/simulated/provider-answers.ts'
import { eventsOf, openStage, type Stage, textOf } from '../inference-stage.ts'
import { contentOf, eventsOfRequest, lastAsked, piecesOf, repeatLast, user } from './guard-stage.ts'

const line = 'Qm9yZWFsLTQ3aGFyYm91ci1tZWFkb3ctMTk4Mi1jb3BwZXItc2t5bGFyay05'
/** Longer than a scanner's slice may overlap. */
const privateKey = [
  `-----BEGIN ${'PRIVATE KEY'}-----`,
  ...Array.from({ length: 25 }, (_, index) => `${index}${line}`),
  `-----END ${'PRIVATE KEY'}-----`,
].join('\n')
const token = `gh${'p_'}4fK9sLq2ZxT7bVw1NcR8yHd3Jm6PaE5uGoQi`
const credentials = `Deploy with ${token} and\n${privateKey}\nplease.`

describeEachBackend('types beyond the usual ones', (_start, backend) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage(backend, { LOG_LEVEL: 'debug' })
  })
  afterAll(() => stage.stop())
  beforeEach(() => repeatLast(stage))

  test('credentials are masked and restored, redacted or blocked, and not looked for unless named', async () => {
    const project = await stage.makeProject({
      settings: { pii_mode: 'enforce', pii_entities: { CREDENTIAL: 'MASK' } },
    })
    const answer = await project.complete(user(credentials))
    expect(contentOf(answer)).toBe(credentials)
    expect(stage.asked().at(-1)?.messages.at(-1)?.content).toMatch(
      /^Deploy with <CREDENTIAL_[0-9a-f]{12}> and\n<CREDENTIAL_[0-9a-f]{12}>\nplease\.$/,
    )
    const stream = await project.open(user(credentials))
    expect(await stream.ended).toBe(true)
    expect(textOf(eventsOf(stream.text()))).toBe(credentials)
    const events = await eventsOfRequest(stage, project, answer, 1)
    expect(events).toMatchObject([{ action_taken: 'masked', entity_types: ['CREDENTIAL'], entity_count: '2' }])

    const makeOther = (pii_entities: Record<string, string>) =>
      stage.makeProject({ tenantId: project.tenantId, settings: { pii_mode: 'enforce', pii_entities } })
    await (await makeOther({ CREDENTIAL: 'REDACT' })).complete(user(credentials))
    expect(lastAsked(stage)).toContain('Deploy with <CREDENTIAL> and\\n<CREDENTIAL>\\nplease.')
    expect(await (await makeOther({ CREDENTIAL: 'BLOCK' })).complete(user(credentials))).toMatchObject({
      status: 403,
      body: { error: { message: 'Request blocked: detected PII types [CREDENTIAL]' } },
    })
    await (await makeOther({ EMAIL_ADDRESS: 'BLOCK' })).complete(user(credentials))
    expect(lastAsked(stage)).toContain(token)
    expect(stage.harness.product.stdout() + stage.harness.product.stderr()).not.toContain(token)
  })

  const custom = {
    pii_mode: 'enforce',
    pii_entities: { EMPLOYEE_ID: 'MASK', CODE_NAME: 'REDACT', EMAIL_ADDRESS: 'MASK' },
    custom_entities: [
      { name: 'EMPLOYEE_ID', patterns: ['(?i)\\bemp-\\d{6}\\b'] },
      { name: 'CODE_NAME', words: ['Blue Heron'], context: ['project'] },
      { name: 'UNUSED', patterns: ['.'] },
    ],
  }
  const text = 'Ask EMP-004217 (zoe@example.com) about project blue heron.'

  const manage = async (method: string, path: string, body?: unknown) => {
    const answer = await stage.harness.call(method, path, { session: stage.harness.owner.session, body })
    expect(answer.status, answer.text).toBeLessThan(300)
    return answer.body as Record<string, unknown>
  }
  const lastText = () => stage.asked().at(-1)?.messages.at(-1)?.content

  test("a project's own types are masked and restored, redacted, and named in events", async () => {
    const project = await stage.makeProject({ settings: custom })
    const answer = await project.complete(user(text))
    expect(contentOf(answer)).toBe('Ask EMP-004217 (zoe@example.com) about project <CODE_NAME>.')
    const masked = /^Ask <EMPLOYEE_ID_[0-9a-f]{12}> \(<EMAIL_ADDRESS_[0-9a-f]{12}>\) about project <CODE_NAME>\.$/
    expect(lastText()).toMatch(masked)
    for (const pieceLength of [1, 5]) {
      repeatLast(stage, pieceLength)
      const stream = await project.open(user(text))
      expect(await stream.ended).toBe(true)
      expect(textOf(eventsOf(stream.text()))).toBe(contentOf(answer))
    }
    expect(await eventsOfRequest(stage, project, answer, 1)).toMatchObject([
      { action_taken: 'masked', entity_types: ['CODE_NAME', 'EMAIL_ADDRESS', 'EMPLOYEE_ID'], entity_count: '3' },
    ])
    // A token that a user typed is not restored, and keeps its text from being scanned.
    const [token = ''] = String(lastText()).match(/<EMPLOYEE_ID_[0-9a-f]{12}>/) ?? []
    expect(contentOf(await project.complete(user(`What is ${token}?`)))).toBe(`What is ${token}?`)
    const metrics = await fetch(`${stage.harness.baseUrl}/metrics`)
    expect(await metrics.text()).not.toContain('EMPLOYEE_ID')
  })

  test('in answers they are replaced, or end the answer, and named in events with direction output', async () => {
    const settings = {
      ...custom,
      pii_mode: 'disabled',
      pii_answer_mode: 'enforce',
      pii_entities: { EMPLOYEE_ID: 'MASK', CODE_NAME: 'MASK', CREDENTIAL: 'REDACT' },
    }
    const said = `${text} ${credentials}`
    const expected =
      'Ask <EMPLOYEE_ID> (zoe@example.com) about project <CODE_NAME>. ' +
      'Deploy with <CREDENTIAL> and\n<CREDENTIAL>\nplease.'
    const masking = await stage.makeProject({ settings })
    for (const pieceLength of [1, 7, 1_000]) {
      repeatLast(stage, pieceLength)
      const whole = await masking.complete(user(said))
      expect(contentOf(whole)).toBe(expected)
      const stream = await masking.open(user(said))
      expect(await stream.ended).toBe(true)
      expect(textOf(eventsOf(stream.text()))).toBe(expected)
      expect(await eventsOfRequest(stage, masking, whole, 1)).toMatchObject([
        {
          type: 'pii_detection',
          direction: 'output',
          action_taken: 'redacted',
          entity_types: ['CODE_NAME', 'CREDENTIAL', 'EMPLOYEE_ID'],
          entity_count: '4',
        },
      ])
    }

    const pii_entities = { CODE_NAME: 'BLOCK' }
    const blocking = await stage.makeProject({ settings: { ...settings, pii_entities } })
    const message = 'Answer blocked: detected PII types [CODE_NAME]'
    const blocked = await blocking.complete(user(said))
    expect(blocked).toMatchObject({ status: 403, body: { error: { message, code: 'SERVICE_PII_BLOCKED' } } })
    let goOn = (): void => undefined
    const [first = '', ...others] = openaiEvents({ text: piecesOf(said, 5) })
    stage.script({
      async write(response: ServerResponse) {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(first)
        await new Promise<void>(resolve => (goOn = resolve))
        response.end(others.join(''))
      },
    })
    const stream = await blocking.open(user('hi'))
    goOn()
    expect(await stream.ended).toBe(true)
    const events = eventsOf(stream.text())
    expect(events.at(-1)).toMatchObject({ error: { message, code: 'SERVICE_PII_BLOCKED', type: 'guardrail_error' } })
    expect('Ask EMP-004217 (zoe@example.com) about project '.startsWith(textOf(events.slice(0, -1)))).toBe(true)
    expect(await eventsOfRequest(stage, blocking, blocked, 1)).toMatchObject([
      { type: 'pii_block', direction: 'output', action_taken: 'blocked', entity_types: ['CODE_NAME'] },
    ])
  })

  test('a tier may act otherwise on them, and a try shows them', async () => {
    const project = await stage.makeProject({ settings: custom })
    const own = `/auth/v1/projects/${project.id}`
    const tier = { name: 'strict', overrides: { pii_entities: { EMPLOYEE_ID: 'BLOCK', CODE_NAME: 'BLOCK' } } }
    await manage('POST', `${own}/tiers`, tier)
    await manage('POST', `${own}/settings/deploy`)
    const token = await project.mint({ user_id: 'bob', tier: 'strict' })
    await expect
      .poll(async () => await project.complete(user(text), { token }))
      .toMatchObject({
        status: 403,
        body: { error: { message: 'Request blocked: detected PII types [CODE_NAME, EMPLOYEE_ID]' } },
      })
    const tried = await manage('POST', `${own}/guardrails/try`, { text })
    expect(tried).toMatchObject({
      pii: [
        { type: 'EMPLOYEE_ID', start: 4, end: 14, score: 1, action: 'MASK' },
        { type: 'EMAIL_ADDRESS', start: 16, end: 31 },
        { type: 'CODE_NAME', start: 47, end: 57, score: 1, action: 'REDACT' },
      ],
      would: 'mask',
    })
  })

  test('a new definition takes effect with its deploy, and the old one with a rollback', async () => {
    const project = await stage.makeProject({ settings: custom })
    const own = `/auth/v1/projects/${project.id}/settings`
    const said = async () => {
      await project.complete(user(text))
      return String(lastText())
    }
    // With the model, which was chosen after the first deploy.
    await manage('POST', `${own}/deploy`)
    expect(await said()).toContain('<EMPLOYEE_ID_')
    const [type, ...others] = custom.custom_entities
    await manage('PUT', own, { custom_entities: [{ ...type, patterns: ['no-\\d'] }, ...others] })
    expect(await manage('GET', `${own}/changes`)).toMatchObject([{ field: 'custom_entities' }])
    expect(await said()).toContain('<EMPLOYEE_ID_')
    await manage('POST', `${own}/deploy`)
    await expect.poll(said).toContain('Ask EMP-004217 (<EMAIL_ADDRESS_')
    await manage('POST', `${own}/deployments/2/rollback`)
    await expect.poll(said).toContain('<EMPLOYEE_ID_')
  })

  test('what the settings and tiers refuse', async () => {
    const project = await stage.makeProject({ settings: custom })
    const own = `/auth/v1/projects/${project.id}`
    const { session } = stage.harness.owner
    const refuse = async (method: string, path: string, body: unknown, error: string) => {
      expect(await stage.harness.call(method, path, { session, body })).toMatchObject({ status: 400, body: { error } })
    }
    const unknown = 'pii_entities must map known entity types to MASK, REDACT or BLOCK'
    const pattern = 'custom_entities[0].patterns[0] is not a supported pattern: backreferences are not supported'
    const backreference = { custom_entities: [{ name: 'TWICE', patterns: ['(a)\\1'] }] }
    await refuse('PUT', `${own}/settings`, backreference, pattern)
    await refuse('POST', `${own}/tiers`, { name: 'a', overrides: backreference }, pattern)
    await refuse('PUT', `${own}/settings`, { pii_entities: { NOBODY: 'MASK' } }, unknown)
    await refuse('PUT', `${own}/settings`, { custom_entities: [] }, unknown)
    await refuse('POST', `${own}/tiers`, { name: 'a', overrides: { pii_entities: { NOBODY: 'MASK' } } }, unknown)
    await refuse('POST', `${own}/tiers`, { name: 'a', overrides: { custom_entities: [] } }, unknown)
    const tier = { name: 'a', overrides: { pii_entities: { UNUSED: 'MASK' } } }
    const { id } = await manage('POST', `${own}/tiers`, tier)
    await refuse('PUT', `${own}/tiers/${id}`, { overrides: { pii_entities: { NOBODY: 'MASK' } } }, unknown)
    const used = "custom_entities must define the types that pii_entities of the tier 'a' names"
    const fewer = custom.custom_entities.slice(0, 2)
    await refuse('PUT', `${own}/settings`, { custom_entities: fewer }, used)
    await manage('DELETE', `${own}/tiers/${id}`)
    await manage('PUT', `${own}/settings`, { custom_entities: fewer })
  })
})
