// What the request log keeps of requests where a project wants content: what the provider got, and the answer before
// masked values are restored; encrypted, and only for owners.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectOk } from '../../management/requests.ts'
import { describeEachBackend } from '../../support/management-harness.ts'
import { say } from '../../support/simulated/provider-answers.ts'
import { ssn, user } from '../guard/guard-stage.ts'
import { openStage, type Stage, type TestProject } from '../inference-stage.ts'

interface Shown {
  content?: { messages: { role: string; content: { text?: string }[] }[]; answer: { content: unknown } | null }
}

describeEachBackend('the content of requests', (_start, backend) => {
  let stage: Stage
  let tenantId: string
  beforeAll(async () => {
    stage = await openStage(backend)
    tenantId = (await stage.makeProject()).tenantId
  })
  afterAll(() => stage.stop())

  const makeProject = (settings: Record<string, unknown>) => stage.makeProject({ tenantId, settings })
  const read = async (project: TestProject, id: string, session = stage.harness.owner.session) => {
    const call = () => stage.harness.call('GET', `/auth/v1/projects/${project.id}/requests/${id}`, { session })
    await expect.poll(async () => (await call()).status).toBe(200)
    return expectOk<Shown>(await call())
  }
  const idOf = ({ headers }: { headers: Record<string, unknown> }) => String(headers['x-request-id'])

  test('is what the provider got, masked, and what it said, for owners alone', async () => {
    const masks = { pii_mode: 'enforce', pii_entities: { US_SSN: 'MASK' } }
    const project = await makeProject({ ...masks, request_log: 'content', system_prompt: 'Be brief.' })
    stage.script(({ body }) => say('openai', { text: [JSON.parse(body).messages.at(-1).content] }, false))
    const answer = await project.complete(user(`SSN ${ssn}`))
    expect(answer.text).toContain(ssn)
    const { content } = await read(project, idOf(answer))
    expect(content?.messages.map(({ role }) => role)).toEqual(['system', 'user'])
    const asked = stage.asked().at(-1)?.messages.at(-1)?.content
    expect(content?.messages[1]?.content).toEqual([{ type: 'text', text: asked }])
    expect(content?.answer?.content).toEqual([{ type: 'text', text: asked }])
    expect(JSON.stringify(content)).not.toContain(ssn)
    for (const role of ['member', 'viewer'] as const) {
      const person = await stage.harness.makePerson({ tenantId, role })
      expect((await read(project, idOf(answer), person.session)).content).toBeUndefined()
    }
    const { session, id: owner } = stage.harness.owner
    const path = `/auth/v1/tenants/${tenantId}/audit?action=content.read&target=${idOf(answer)}`
    const { data } = expectOk<{ data: { actor: { id: string } }[] }>(await stage.harness.call('GET', path, { session }))
    // Read twice by the owner; who may not read content got none.
    expect(data.map(({ actor }) => actor.id)).toEqual([owner, owner])
  })

  test('is not kept of a request that a guardrail refuses, nor without the setting', async () => {
    const blocks = { pii_mode: 'enforce', pii_entities: { US_SSN: 'BLOCK' } }
    const project = await makeProject({ ...blocks, request_log: 'content' })
    const refused = await project.complete(user(`SSN ${ssn}`))
    expect(refused.status).toBe(403)
    expect((await read(project, idOf(refused))).content).toBeUndefined()
    const plain = await makeProject({})
    stage.script(say('openai', { text: ['Hello'] }, false))
    expect((await read(plain, idOf(await plain.complete()))).content).toBeUndefined()
  })
})
