// Types of data beyond the usual ones through the real product, on both stores: credentials. What they
// detect in all detail is tested without a server.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { describeEachBackend } from '../support/management-harness.ts'
import { contentOf, eventsOfRequest, lastAsked, repeatLast, user } from './guard-stage.ts'
import { eventsOf, openStage, type Stage, textOf } from './inference-stage.ts'

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
})
