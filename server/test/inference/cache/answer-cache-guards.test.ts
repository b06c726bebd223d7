// Tests the cache together with the guardrails on both topologies: answers are kept as the provider gave them and are
// guarded each time, requests are compared as the provider got them, and nothing crosses users, projects or tenants.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { say } from '../../support/simulated/provider-answers.ts'
import { contentOf, mail, maskAll, repeatLast, ssn, user } from '../guard/guard-stage.ts'
import { type Answer, openStage, type Stage, type TestProject } from '../inference-stage.ts'

const header = 'x-sallyport-cache'
const ofProject = { cache: { ttl_seconds: 3600, scope: 'project' } }
const fixed = { temperature: 0 }
const seen = (answer: Answer) => [answer.status, answer.headers[header]]

describe.each(['sqlite', 'postgres'] as const)('on %s', backend => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage(backend)
  })
  afterAll(() => stage.stop())

  const answerWith = (...text: string[]) =>
    stage.script(({ body }) => say('openai', { text }, JSON.parse(body).stream === true))
  const deploy = async ({ id }: TestProject, value: object) => {
    const { call, owner } = stage.harness
    const path = `/auth/v1/projects/${id}/settings`
    expect((await call('PUT', path, { session: owner.session, body: value })).status).toBe(200)
    expect((await call('POST', `${path}/deploy`, { session: owner.session })).status).toBe(200)
  }

  test.each([false, true])('a redacted answer is redacted again, stream: %s', async stream => {
    const redacting = { pii_answer_mode: 'enforce', pii_entities: { US_SSN: 'REDACT' } }
    const project = await stage.makeProject({ settings: { ...ofProject, ...redacting } })
    answerWith('Her number is 536-22', '-8145, and mine ', 'is not.')
    const body = { ...user('What is her number?'), ...fixed, stream }
    const asked = stage.asked().length
    const [first, second] = [await project.complete(body), await project.complete(body)]
    expect([first, second].map(seen)).toEqual([
      [200, 'miss'],
      [200, 'hit'],
    ])
    for (const { text } of [first, second])
      expect([text.includes('<US_SSN>'), text.includes(ssn)]).toEqual([true, false])
    expect(stage.asked()).toHaveLength(asked + 1)
    // From now on, the same kept answer must not reach anybody.
    await deploy(project, { pii_entities: { US_SSN: 'BLOCK' } })
    await expect.poll(async () => seen(await project.complete({ ...body, stream: false }))).toEqual([403, 'hit'])
    const blocked = await project.complete(body)
    expect([blocked.text.includes(ssn), blocked.text.includes('SERVICE_PII_BLOCKED')]).toEqual([false, true])
    expect(stage.asked()).toHaveLength(asked + 1)
  })

  test.each([false, true])('an answer that PII Shield blocks is not kept, stream: %s', async stream => {
    const blocking = { pii_answer_mode: 'enforce', pii_entities: { US_SSN: 'BLOCK' } }
    const project = await stage.makeProject({ settings: { ...ofProject, ...blocking } })
    // Words that a stream passes on before it is blocked.
    answerWith('Here is a long beginning of an answer that is certainly sent. ', 'The number is 536-22-8145.', ' Fine.')
    const body = { ...user('What is it?'), ...fixed, stream }
    const asked = stage.asked().length
    const both = [await project.complete(body), await project.complete(body)]
    expect(both.map(({ headers }) => headers[header])).toEqual(['miss', 'miss'])
    for (const { text } of both)
      expect([text.includes(ssn), text.includes('SERVICE_PII_BLOCKED')]).toEqual([false, true])
    expect(stage.asked()).toHaveLength(asked + 2)
  })

  test('a blocked prompt is not looked up', async () => {
    const project = await stage.makeProject({ settings: ofProject })
    answerWith('Fine.')
    const body = { ...user(`My number is ${ssn}.`), ...fixed }
    expect([await project.complete(body), await project.complete(body)].map(seen)).toEqual([
      [200, 'miss'],
      [200, 'hit'],
    ])
    await deploy(project, { pii_mode: 'enforce', pii_entities: { US_SSN: 'BLOCK' } })
    await expect.poll(async () => seen(await project.complete(body))).toEqual([403, undefined])
  })

  test('masking changes what is compared: an answer to the text itself is not given to its tokens, or back', async () => {
    repeatLast(stage)
    const project = await stage.makeProject({ settings: ofProject })
    const body = { ...user(`Greet ${mail}.`), ...fixed }
    expect([await project.complete(body), await project.complete(body)].map(seen)).toEqual([
      [200, 'miss'],
      [200, 'hit'],
    ])
    await deploy(project, maskAll)
    const asked = stage.asked().length
    await expect
      .poll(async () => {
        await project.complete(body)
        return stage.asked().length
      })
      .toBe(asked + 1)
    expect(JSON.stringify(stage.asked().at(-1))).not.toContain(mail)
    const masked = await project.complete(body)
    expect([...seen(masked), contentOf(masked)]).toEqual([200, 'hit', `Greet ${mail}.`])
    await deploy(project, { pii_mode: 'disabled' })
    // The first answer, which was kept before.
    await expect.poll(async () => seen(await project.complete({ ...body, stream: true }))).toEqual([200, 'hit'])
    expect(stage.asked()).toHaveLength(asked + 1)
  })

  test('equal requests of another user, project or tenant are others, in scope `user` and `project`', async () => {
    answerWith('Hello.')
    const body = { ...user('Hello?'), ...fixed }
    const ask = async (project: TestProject, user_id: string) =>
      (await project.complete(body, { token: await project.mint({ user_id }) })).headers[header]
    for (const [scope, ofBob] of [
      ['user', 'miss'],
      ['project', 'hit'],
    ]) {
      const settings = { cache: { ttl_seconds: 3600, scope } }
      const project = await stage.makeProject({ settings })
      const sibling = await stage.makeProject({ settings, tenantId: project.tenantId })
      const stranger = await stage.makeProject({ settings })
      expect([scope, await ask(project, 'alice'), await ask(project, 'alice')]).toEqual([scope, 'miss', 'hit'])
      expect([scope, await ask(project, 'bob'), await ask(sibling, 'alice'), await ask(stranger, 'alice')]).toEqual([
        scope,
        ofBob,
        'miss',
        'miss',
      ])
    }
  })

  test('a change of the scope gives nobody an answer that was kept for one user', async () => {
    let answers = 0
    stage.script(() => say('openai', { text: [`Answer ${++answers}`] }, false))
    const project = await stage.makeProject({ settings: { cache: { ttl_seconds: 3600, scope: 'user' } } })
    const body = { ...user('For whom?'), ...fixed }
    const ask = async (user_id: string) => await project.complete(body, { token: await project.mint({ user_id }) })
    expect([seen(await ask('alice')), seen(await ask('alice'))]).toEqual([
      [200, 'miss'],
      [200, 'hit'],
    ])
    await deploy(project, ofProject)
    // Until the deploy arrives, each of them gets an answer of the own.
    await expect.poll(async () => contentOf(await ask('bob')) === contentOf(await ask('carol'))).toBe(true)
    expect(contentOf(await ask('alice'))).toBe(contentOf(await ask('bob')))
    expect(contentOf(await ask('alice'))).not.toBe('Answer 1')
  })
})
