// Tests the gateway with an emptied store, without its database, with damaged documents, and when the answer of an
// admission was lost.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from 'redis'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createKillSwitchState } from '../../../src/gateway/kill-switches.ts'
import { nameKeys } from '../../../src/kv/redis/keys.ts'
import { createMemoryLog } from '../../kv/stores.ts'
import { startRedis } from '../../support/redis.ts'
import { startProxy } from '../../support/simulated/breakable-proxy.ts'
import { openStage } from '../gateway-stage.ts'
import { ask, openOutage, statusOf, within } from './outages-stage.ts'

test('an admission whose answer was lost is taken back: what it reserved, and its request', async () => {
  const redis = await startRedis()
  onTestFinished(() => redis.stop())
  const proxy = await startProxy(redis.port)
  const redisUrls = [`redis://127.0.0.1:${proxy.port}`]
  const stage = await openStage({ redisUrl: redis.url, redisUrls, commandTimeoutMs: 1_000 })
  const project = await stage.makeProject()
  const client = createClient({ url: redis.url })
  await client.connect()
  onTestFinished(() => client.destroy())
  const keys = nameKeys(stage.keyPrefix)
  const charged = async () => ({
    held: await client.hLen(keys.reservations(project.projectId)),
    reserved: await client.hGet(`${keys.spend(project.projectId)}${Math.floor(Date.now() / 86_400_000)}`, 'reserved'),
    requests: (await client.get(keys.projectRequests(project.projectId)))?.split(' ')[0],
  })
  // Caches the project, so that the admission is the first call to the store.
  expect((await stage.call(project, 'GET', '/v1/none')).status).toBe(404)
  proxy.loseAnswers()
  const answer = stage.complete(project)
  await expect.poll(charged, within(5_000)).toEqual({ held: 1, reserved: String(6 + 1_024), requests: '1' })
  // Without the store's reply, the request is admitted by this process.
  expect((await answer).status).toBe(200)
  proxy.cut()
  proxy.mend()
  await expect.poll(charged, within(20_000)).toEqual({ held: 0, reserved: '0', requests: '1' })
})

describe('with an emptied store', () => {
  test('enforced settings stay, a kill switch stays on, limits are counted, until it is filled again', async () => {
    const { redis, stage } = await openOutage()
    const strict = { pii_mode: 'enforce', sentinel_mode: 'enforce', rpm_limit: 5 } as const
    const [project, killed] = [await stage.makeProject(strict), await stage.makeProject()]
    await stage.setSwitch('project', killed.projectId, true)
    expect([await statusOf(stage, project), await statusOf(stage, killed)]).toEqual([200, 403])
    await redis.restart()
    const statuses: number[] = []
    for (let i = 0; i < 12; i++) {
      statuses.push(await statusOf(stage, project))
      expect(await statusOf(stage, killed)).toBe(403)
      await sleep(50)
    }
    expect(statuses.filter(status => status === 200).length).toBeLessThanOrEqual(5)
    for (const { resolved } of stage.calls) {
      expect(resolved.settings).toMatchObject({ pii_mode: 'enforce', sentinel_mode: 'enforce' })
    }
    await stage.push(project)
    await stage.push(killed)
    await stage.setSwitch('project', randomUUID(), true)
    await stage.kv.markSeeded(await stage.kv.startFilling())
    const other = await stage.makeProject()
    await expect.poll(() => statusOf(stage, other), within(5_000)).toBe(200)
    expect(await statusOf(stage, project)).toBe(429)
    expect(await statusOf(stage, killed)).toBe(403)
  })

  test('a copy that never saw the project reads it from the database', async () => {
    const { stage } = await openOutage({ isEmpty: true })
    const project = await stage.makeProject({ pii_mode: 'enforce' }, { isPushed: false })
    expect(await statusOf(stage, project)).toBe(200)
    expect(stage.calls[0]?.resolved.settings.pii_mode).toBe('enforce')
  })
})

describe('with the database gone', () => {
  test('what the store knows goes on', async () => {
    const stage = await openStage()
    const project = await stage.makeProject({ memory_window: 7 })
    await stage.database.close()
    expect(await statusOf(stage, project)).toBe(200)
    expect(stage.calls[0]?.resolved.settings.memory_window).toBe(7)
  })

  test('with the store gone too the last known goes on, and what was never known is 503', async () => {
    const { redis, stage } = await openOutage()
    const [known, unknown] = [await stage.makeProject(), await stage.makeProject()]
    const killed = await stage.makeProject()
    await stage.setSwitch('project', killed.projectId, true)
    expect([await statusOf(stage, known), await statusOf(stage, killed)]).toEqual([200, 403])
    await redis.kill()
    await stage.database.close()
    expect(await statusOf(stage, known)).toBe(200)
    expect(await statusOf(stage, killed)).toBe(403)
    expect(await ask(stage, unknown)).toMatchObject({ status: 503, json: { error: 'service unavailable' } })
    // Data older than a second is read again. The read fails, and the old data stays in use.
    await sleep(1_200)
    expect([await statusOf(stage, known), await statusOf(stage, killed)]).toEqual([200, 403])
  })

  test('where no switch was ever read, nobody is told that none is on', async () => {
    const { redis, stage } = await openOutage()
    await redis.kill()
    await stage.database.close()
    const { log } = createMemoryLog()
    const switches = createKillSwitchState({ kv: stage.kv, sql: stage.database.sql, now: Date.now, log })
    onTestFinished(() => switches.stop())
    await expect(switches.refresh(1_000)).rejects.toMatchObject({ code: 'config_unavailable' })
  })
})

describe('a damaged document', () => {
  const damaged = ['', '{', '{}', JSON.stringify({ settings: {} })]

  test.each(damaged)('%j in store and database: the last good one goes on, and the log says so', async body => {
    const stage = await openStage()
    const project = await stage.makeProject({ pii_mode: 'enforce' })
    expect(await statusOf(stage, project)).toBe(200)
    await stage.deploy(project, { body })
    for (let i = 0; i < 3; i++) {
      await sleep(30)
      expect(await statusOf(stage, project)).toBe(200)
      expect(stage.calls.at(-1)?.resolved.settings.pii_mode).toBe('enforce')
    }
    expect(stage.lines.some(({ event }) => event === 'config of a project is corrupt')).toBe(true)
    await stage.deploy(project, { body: '{"damaged":again}', status: 'suspended' })
    await expect.poll(() => statusOf(stage, project), within(2_000)).toBe(401)
  })

  test('that Redis holds in part: the database has the config and the kill switches', async () => {
    const { redis, stage } = await openOutage()
    const project = await stage.makeProject({ memory_window: 7 })
    await stage.setSwitch('tenant', 'other', true)
    const client = createClient({ url: redis.url })
    await client.connect()
    onTestFinished(() => client.destroy())
    const keys = nameKeys(stage.keyPrefix)
    await client.hDel(keys.config(project.projectId), 'body')
    expect(await statusOf(stage, project)).toBe(200)
    expect(stage.calls[0]?.resolved.settings.memory_window).toBe(7)

    await client.hSet(keys.killSwitches, 'body', '{"glob')
    const { kv, database } = stage
    const { log, lines } = createMemoryLog()
    const switches = createKillSwitchState({ kv, sql: database.sql, now: Date.now, log })
    onTestFinished(() => switches.stop())
    const told: string[][] = []
    switches.onChange(({ tenants }) => void told.push([...tenants]))
    await switches.refresh(0)
    expect(switches.find({ projectId: 'any', tenantId: 'other' })).toBe('tenant')
    expect(told).toEqual([['other']])
    expect(lines).toEqual([])
  })

  test('in the store alone: the database has the good one', async () => {
    const stage = await openStage()
    const project = await stage.makeProject({ memory_window: 7 })
    await stage.kv.putConfig(project.projectId, { revision: 1, status: 'active', body: '{' })
    expect(await statusOf(stage, project)).toBe(200)
    expect(stage.calls[0]?.resolved.settings.memory_window).toBe(7)
  })

  test('never known otherwise: 503, never the defaults', async () => {
    const stage = await openStage()
    const project = await stage.makeProject()
    await stage.deploy(project, { body: '{' })
    expect(await ask(stage, project)).toMatchObject({ status: 503, json: { error: 'service unavailable' } })
    expect(stage.calls).toHaveLength(0)
  })
})
