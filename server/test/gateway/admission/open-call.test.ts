// Tests which costs an admitted call reports to the store, regardless of how often the handler reports them, and that a
// config that cannot be read does not keep other calls from ending.
import { expect, test, vi } from 'vitest'
import type { AdmittedCall } from '../../../src/call/admitted-call.ts'
import { replyJson } from '../../../src/http/reply.ts'
import { endingOf } from '../../support/calls.ts'
import { openStage } from '../gateway-stage.ts'

test('one that reserved nothing settles nothing', async () => {
  const stage = await openStage()
  const project = await stage.makeProject()
  // The handler settles although nothing was reserved.
  const answer = await stage.call(project, 'GET', '/v1/models', { token: stage.tokenFor(project) })
  expect(answer.status).toBe(200)
  const settlements = stage.copies[0]?.gateway.counters.settlements
  expect(settlements).toEqual({ settled: 0, unknown: 0, retried: 0, dropped: 0 })
})

test('checkpoints are told of what goes on for long, every five seconds and never behind a settlement', async () => {
  let time = Date.now()
  const told: number[] = []
  const stage = await openStage({
    now: () => time,
    answer: async (call: AdmittedCall) => {
      for (const tokens of [1, 2, 3, 4, 5]) {
        call.checkpoint(() => tokens)
        time += 2_500
      }
      told.push(...checkpoint.mock.calls.map(([, , tokens]) => tokens))
      call.settle(9)
      time += 5_000
      call.checkpoint(() => 10)
      replyJson(call.response, 200, {})
    },
  })
  const checkpoint = vi.spyOn(stage.kv, 'checkpoint')
  const answer = await stage.complete(await stage.makeProject())
  expect(answer.status).toBe(200)
  expect(told).toEqual([3, 5])
  expect(checkpoint).toHaveBeenCalledTimes(2)
})

test('a project that cannot be read anew keeps no call of another from its end', async () => {
  const ended: string[] = []
  const stage = await openStage({
    answer: async call => {
      await endingOf(call)
      ended.push(call.verified.projectId)
      replyJson(call.response, 200, {})
    },
  })
  const [unread, suspended] = [await stage.makeProject(), await stage.makeProject()]
  const answers = [stage.complete(unread), stage.complete(suspended)]
  await expect.poll(() => stage.calls.length).toBe(2)
  const find = stage.kv.findConfig
  vi.spyOn(stage.kv, 'findConfig').mockImplementation(projectId =>
    projectId === unread.projectId ? Promise.reject(new Error('fault')) : find(projectId),
  )
  await stage.deploy(unread, {})
  await stage.deploy(suspended, { status: 'suspended' })
  await expect.poll(() => ended).toEqual([suspended.projectId])
  const told = stage.lines.filter(({ event }) => event === 'calls in flight could not be checked')
  expect(told[0]?.fields).toMatchObject({ count: 1, error: { message: 'fault' } })
  vi.restoreAllMocks()
  await stage.deploy(unread, { status: 'suspended' })
  await Promise.all(answers)
})
