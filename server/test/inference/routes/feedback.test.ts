// Feedback of end users, through the whole product: for own requests, once or again, and never for those of others.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectOk } from '../../management/requests.ts'
import { describeEachBackend } from '../../support/management-harness.ts'
import { say } from '../../support/simulated/provider-answers.ts'
import { openStage, type Stage } from '../inference-stage.ts'

describeEachBackend('feedback', (_start, backend) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage(backend)
  })
  afterAll(() => stage.stop())

  test('is kept with the request, and replaced; not of the requests of others, nor with wrong fields', async () => {
    const project = await stage.makeProject()
    stage.script(say('openai', { text: ['Hello'] }, false))
    const request_id = String((await project.complete()).headers['x-request-id'])
    const give = (body: unknown, token?: string) =>
      project.ask('POST', '/v1/feedback', { body, ...(token === undefined ? {} : { token }) })
    await expect.poll(async () => (await give({ request_id, score: -1, comment: 'Late' })).status).toBe(204)
    const path = `/auth/v1/projects/${project.id}/requests`
    const { session } = stage.harness.owner
    const viewer = await stage.harness.makePerson({ tenantId: project.tenantId, role: 'viewer' })
    for (const [reader, comment] of [
      [session, 'Late'],
      [viewer.session, null],
    ] as const) {
      const { data } = expectOk<{ data: unknown[] }>(await stage.harness.call('GET', path, { session: reader }))
      expect(data.at(-1)).toMatchObject({ feedback: { score: -1, comment } })
    }
    expect((await give({ request_id, score: 1 })).status).toBe(204)
    const one = expectOk<object>(await stage.harness.call('GET', `${path}/${request_id}`, { session }))
    expect(one).toMatchObject({ feedback: { score: 1, comment: null } })
    const found = expectOk<{ data: { id: string }[] }>(
      await stage.harness.call('GET', `${path}?feedback=positive`, { session }),
    )
    expect(found.data.map(({ id }) => id)).toEqual([request_id])
    const other = await project.mint({ user_id: 'somebody-else' })
    expect(await give({ request_id, score: 1 }, other)).toMatchObject({ status: 404 })
    expect((await give({ request_id: '00000000-0000-4000-8000-000000000000', score: 1 })).status).toBe(404)
    for (const body of [{ request_id }, { request_id, score: 2 }, { request_id: 'x', score: 1 }, [], { score: 1 }]) {
      expect((await give(body)).status, JSON.stringify(body)).toBe(400)
    }
    expect((await give({ request_id, score: 0, comment: 'x'.repeat(1_001) })).status).toBe(400)
  })
})
