// From a completion over the wire to the receiver of the tenant's meter: one event by the request's id, with what the
// usage says that it cost; none for a request that is refused.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answerBody, answerUsd } from '../../inference/budget/budget-stage.ts'
import { openStage, type Stage } from '../../inference/inference-stage.ts'
import { describeEachBackend } from '../../support/management-harness.ts'
import { startReceiver } from '../webhooks/deliver-webhooks-stage.ts'
import { byId, eventsIn } from './meters-stage.ts'

describeEachBackend('a meter', (_start, backend) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage(backend)
  })
  afterAll(() => stage.stop())

  test('sends one event for each answer, by the id of its request', async () => {
    const receiver = await startReceiver()
    const project = await stage.makeProject()
    const { session } = stage.harness.owner
    const meter = { format: 'cloudevents', url: receiver.url(), value: 'cost_usd', subject: 'uid' }
    const put = await stage.harness.call('PUT', `/auth/v1/tenants/${project.tenantId}/meter`, { session, body: meter })
    expect(put.status).toBe(200)

    stage.script({ body: answerBody() })
    const answers = [await project.complete({}), await project.complete({})]
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect((await project.complete({ messages: [] })).status).toBe(400)
    const ids = answers.map(({ headers }) => String(headers['x-request-id']))

    const events = () => byId(eventsIn(receiver.received))
    await expect.poll(() => [...events().keys()].sort(), { timeout: 60_000 }).toEqual(ids.sort())
    for (const { subject, data } of events().values()) {
      expect(subject).toBe('alice')
      expect(Number(data['value'])).toBeCloseTo(answerUsd, 12)
    }
  })
})
