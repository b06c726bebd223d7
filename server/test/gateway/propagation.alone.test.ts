// Tests that a change at one replica is in force on all replicas within a second (kill switches, suspensions, settings,
// models), and that affected calls in flight end within two seconds.
import { createClient } from 'redis'
import { expect, inject, onTestFinished, test } from 'vitest'
import type { AdmittedCall } from '../../src/call/admitted-call.ts'
import { openRequest } from '../http/resetting-client.ts'
import { endingOf } from '../support/calls.ts'
import { roomFor } from '../support/slowness.ts'
import { openStage, type Stage, type TestProject } from './gateway-stage.ts'

const redisUrl = inject('redisUrl')
const copies = [0, 1, 2]
const rounds = inject('prove') ? 20 : 2
const soon = () => ({ timeout: roomFor(1_000), interval: 20 })

const statuses = (stage: Stage, project: TestProject) =>
  Promise.all(
    copies.map(async copy => {
      return (await stage.call(project, 'GET', '/v1/models', { token: stage.tokenFor(project), copy })).status
    }),
  )

test.each(['global', 'tenant', 'project'] as const)('the %s kill switch, on and off', async scope => {
  const stage = await openStage({ redisUrl, copies: 3 })
  const project = await stage.makeProject({ rpm_limit: 10_000 })
  const target = { global: '', tenant: project.tenantId, project: project.projectId }[scope]
  expect(await statuses(stage, project)).toEqual([200, 200, 200])
  for (let round = 0; round < rounds; round++) {
    await stage.setSwitch(scope, target, true)
    // The admission itself checks the switch, so it holds as soon as management has responded.
    expect(await statuses(stage, project)).toEqual([403, 403, 403])
    await stage.setSwitch(scope, target, false)
    await expect.poll(() => statuses(stage, project), soon()).toEqual([200, 200, 200])
  }
})

test('a suspension', async () => {
  const stage = await openStage({ redisUrl, copies: 3 })
  const project = await stage.makeProject()
  expect(await statuses(stage, project)).toEqual([200, 200, 200])
  await stage.deploy(project, { status: 'suspended' })
  expect(await statuses(stage, project)).toEqual([401, 401, 401])
})

test('a model and settings', async () => {
  const stage = await openStage({ redisUrl, copies: 3 })
  const project = await stage.makeProject({ rpm_limit: 10_000 })
  const models = async () => {
    await Promise.all(copies.map(copy => stage.complete(project, { copy })))
    return stage.copies.map(({ calls }) => calls.at(-1)?.resolved.settings.provider_model)
  }
  expect(await models()).toEqual([null, null, null])
  for (const model of ['openai/gpt-4o-mini', 'openai/gpt-4o']) {
    await stage.deploy(project, { settings: { provider_model: model } })
    // The admission rejects a config that is older than the store's.
    expect(await models()).toEqual([model, model, model])
  }
})

test('a config whose change nobody was told of is found at the admission', async () => {
  const stage = await openStage({ redisUrl })
  const project = await stage.makeProject({ memory_window: 7 })
  await stage.complete(project)
  const client = createClient({ url: redisUrl })
  onTestFinished(() => client.destroy())
  await client.connect()
  const key = `${stage.keyPrefix}config:{${project.projectId}}`
  const body = await client.hGet(key, 'body')
  const changed = body?.replace('"memory_window":7', '"memory_window":8') ?? ''
  await client.hSet(key, { revision: '2', body: changed })
  await stage.complete(project)
  expect(stage.calls.map(({ resolved }) => resolved.settings.memory_window)).toEqual([7, 8])
})

test('a config that no change was heard of is read again after the cache time', async () => {
  const stage = await openStage({ settings: { configCacheTtlMs: 300 } })
  const project = await stage.makeProject({ memory_window: 7 }, { isPushed: false })
  const window = async () => {
    await stage.complete(project)
    return stage.calls.at(-1)?.resolved.settings.memory_window
  }
  expect(await window()).toBe(7)
  await stage.deploy(project, { settings: { memory_window: 8 } }, { isPushed: false })
  await expect.poll(window).toBe(8)
})

async function holdOpen(call: AdmittedCall, reasons: unknown[]): Promise<void> {
  const { response } = call
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(': open\n\n')
  reasons.push(await endingOf(call))
  response.end()
}

test.each([
  ['global switch', (stage: Stage) => stage.setSwitch('global', '', true)],
  ['tenant switch', (stage: Stage, project: TestProject) => stage.setSwitch('tenant', project.tenantId, true)],
  ['project switch', (stage: Stage, project: TestProject) => stage.setSwitch('project', project.projectId, true)],
  ['suspension', (stage: Stage, project: TestProject) => stage.deploy(project, { status: 'suspended' })],
] as const)('a %s ends the calls in flight of its scope on all copies', async (name, act) => {
  const reasons: unknown[] = []
  const stage = await openStage({ redisUrl, copies: 3, answer: call => holdOpen(call, reasons) })
  const [project, other] = [await stage.makeProject(), await stage.makeProject()]
  const held = copies.map(copy => stage.complete(project, { copy }))
  const others = stage.complete(other)
  await expect.poll(() => stage.copies.flatMap(({ calls }) => calls).length).toBe(4)
  const isGlobal = name === 'global switch'
  await act(stage, project)
  const timeout = roomFor(2_000)
  await expect.poll(() => reasons.length, { timeout }).toBe(isGlobal ? 4 : 3)
  expect(new Set(reasons)).toEqual(new Set(['service_disabled']))
  await Promise.all(held)
  if (!isGlobal) await stage.setSwitch('global', '', true)
  await others
})

test('a client that resets its connection ends its call', async () => {
  const reasons: unknown[] = []
  const stage = await openStage({ answer: call => holdOpen(call, reasons) })
  const project = await stage.makeProject()
  const held = openRequest({
    port: stage.port,
    path: `/p/${project.slug}/v1/models`,
    headers: { authorization: `Bearer ${stage.tokenFor(project)}` },
  })
  await expect.poll(() => stage.calls.length).toBe(1)
  held.reset()
  await expect.poll(() => reasons).toEqual(['client_gone'])
})
