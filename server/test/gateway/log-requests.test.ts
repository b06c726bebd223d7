// Each request of a known project has one row in the request log: those that were answered, and those that were
// refused, at most twenty a second.
import { expect, test } from 'vitest'
import { openStage } from './gateway-stage.ts'

test('an answered request has one row with its caller, route and times', async () => {
  const stage = await openStage()
  const project = await stage.makeProject()
  await stage.complete(project, { headers: { 'user-agent': 'OpenAI/JS 4.2', 'x-thread-id': 't-1' } })
  await expect.poll(() => stage.records.length).toBe(1)
  expect(stage.records[0]).toMatchObject({
    id: stage.calls[0]?.verified.requestId,
    projectId: project.projectId,
    userId: stage.calls[0]?.verified.userId,
    endpoint: 'chat_completions',
    status: 200,
    errorCode: null,
    threadId: 't-1',
    client: 'OpenAI/JS 4.2',
    isPlayground: false,
    promptName: null,
    promptVersion: null,
  })
  expect(stage.records[0]?.timeline.map(({ name }) => name)).toEqual(['body', 'admission', 'end'])
})

test('a refused request has a row with its code, before and after its caller is known', async () => {
  const stage = await openStage()
  const project = await stage.makeProject()
  await stage.complete(project, { token: 'no token' })
  await stage.complete(project, { body: { messages: 5 } })
  await stage.call(project, 'GET', '/v1/nothing', { token: stage.tokenFor(project) })
  const answers = () => stage.records.map(({ status, endpoint }) => [status, endpoint])
  await expect.poll(answers).toEqual([
    [401, 'chat_completions'],
    [400, 'chat_completions'],
    [404, null],
  ])
  expect(stage.records[0]).toMatchObject({ userId: null, errorCode: expect.any(String), timeline: [] })
  expect(stage.records[1]?.userId).not.toBeNull()
})

test('a project without the log has no rows, and its calls note nothing', async () => {
  const stage = await openStage()
  const project = await stage.makeProject({ request_log: 'off' })
  await stage.complete(project)
  await stage.complete(project, { token: 'no token' })
  expect(stage.calls[0]?.notes).toBeUndefined()
  expect(stage.records).toEqual([])
})

test('twenty refusals of a project in a second have rows, whatever comes after', async () => {
  const stage = await openStage({ now: () => 1_800_000_000_000 })
  const project = await stage.makeProject()
  for (let at = 0; at < 25; at++) await stage.complete(project, { token: 'no token' })
  await stage.complete(project)
  const countOf = (wanted: number) => stage.records.filter(({ status }) => status === wanted).length
  await expect.poll(() => countOf(200)).toBe(1)
  expect(countOf(401)).toBe(20)
})
