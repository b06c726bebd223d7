// Tests the gateway while the store is unavailable: it is never less strict than the last known state, never without
// limits, and every reservation is settled in the end.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { AdmittedCall } from '../../../src/call/admitted-call.ts'
import { replyJson } from '../../../src/http/reply.ts'
import { endingOf } from '../../support/calls.ts'
import { suspendProcess } from '../../support/suspend-process.ts'
import { completion, type Stage, type TestProject } from '../gateway-stage.ts'
import { ask, openOutage, statusOf, within } from './outages-stage.ts'

const today = () => new Date().toISOString().slice(0, 10)
/** Writes usage to the database only, not to the store. */
async function spend({ database }: Stage, { projectId }: TestProject, tokens: number): Promise<void> {
  const counts = { requests: 1, prompt_tokens: 0, completion_tokens: tokens, total_tokens: tokens, cost_nanousd: 0 }
  await database.sql
    .insertInto('usage_days')
    .values({ project_id: projectId, day: today(), user_id: 'alice', model: 'openai/gpt-4o-mini', ...counts })
    .execute()
}

const knowEachOther = ({ copies }: Stage) =>
  expect
    .poll(() => copies.map(({ gateway }) => gateway.replicas.count()), within(10_000))
    .toEqual(copies.map(() => copies.length))

describe('with the store gone', () => {
  test('the last known config goes on, limits are counted here, and log and answers say so', async () => {
    const { redis, stage } = await openOutage()
    const project = await stage.makeProject({ rpm_limit: 5, memory_window: 7 })
    expect(await statusOf(stage, project)).toBe(200)
    await redis.kill()
    const statuses: number[] = []
    for (let i = 0; i < 8; i++) statuses.push(await statusOf(stage, project))
    // The request before the outage counts too.
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429, 429, 429])
    expect((await stage.complete(project, { token: stage.tokenFor(project, { uid: 'b' }) })).headers).toMatchObject({
      'x-ratelimit-limit-requests': '5',
      'retry-after': expect.stringMatching(/^[0-9]+$/),
    })
    const told = stage.lines.filter(({ event }) => event === 'store cannot count limits, counting them in this process')
    expect(told.map(({ fields }) => fields)).toEqual([
      { reason: 'unavailable', count: 1, error: expect.objectContaining({ code: 'connection' }) },
    ])
    expect(stage.copies[0]?.gateway.counters.local()).toEqual({ admissions: 9, outages: 1 })
  })

  test('an outage within a minute gives nobody a second one, also when the store comes back empty', async () => {
    const { redis, stage } = await openOutage({ copies: 2 })
    const project = await stage.makeProject({ rpm_limit: 20 })
    await knowEachOther(stage)
    const askBoth = async (times: number) => {
      const statuses: number[] = []
      for (let i = 0; i < times; i++) statuses.push(await statusOf(stage, project, i % 2))
      return statuses.filter(status => status === 200).length
    }
    expect(await askBoth(10)).toBe(10)
    await redis.kill()
    expect(await askBoth(8)).toBe(8)
    await redis.restart()
    await expect.poll(() => stage.kv.isSeeded().catch(() => null), within(10_000)).toBe(false)
    await stage.push(project)
    await stage.sync()
    // Two of the twenty are left, although the store has counted none. Each replica rounds its share up.
    expect(await askBoth(30)).toBeLessThanOrEqual(4)
    expect(await askBoth(2)).toBe(0)
  })

  test('the day goes on from what was left of it', async () => {
    const { redis, stage } = await openOutage({
      answer: async call => {
        call.settle(400)
        replyJson(call.response, 200, {})
      },
    })
    const project = await stage.makeProject({ tokens_per_day: 1_000 })
    const body = { ...completion, max_tokens: 10 }
    const complete = async () => (await stage.complete(project, { body })).status
    expect(await complete()).toBe(200)
    await expect
      .poll(() => stage.kv.findSpend(project.projectId, new Date().toISOString().slice(0, 10)), within(5_000))
      .toBe(400)
    expect(await complete()).toBe(200)
    await sleep(200)
    await redis.kill()
    // The config changes, but the remaining tokens of the day stay.
    await stage.deploy(project, { settings: { memory_window: 8 } }, { isPushed: false })
    await sleep(1_100)
    // 600 were left in the last response of the store, 16 of them reserved. That call cost 400.
    expect([await complete(), await complete()]).toEqual([200, 429])
  })

  test('what is left of the day is shown to who costs no tokens, who does not settle what may be spent of it', async () => {
    const waiting: (() => void)[] = []
    const { redis, stage } = await openOutage({
      answer: async call => {
        if (call.body !== null && waiting.length === 0) await new Promise<void>(resolve => waiting.push(resolve))
        call.settle(100)
        replyJson(call.response, 200, {})
      },
    })
    const project = await stage.makeProject({ tokens_per_day: 1_000 })
    const remaining = async () => (await ask(stage, project)).headers['x-ratelimit-remaining-tokens']
    const held = stage.complete(project)
    await expect.poll(() => waiting.length, within(5_000)).toBe(1)
    await redis.kill()
    expect(await remaining()).toBe('0')
    waiting[0]?.()
    expect((await held).status).toBe(200)
    expect(await remaining()).toBe('900')
    expect((await stage.complete(project)).status).toBe(200)
  })

  test('a day that was used up, by an overrun or by another copy, stays so, also when the store comes back empty', async () => {
    const { redis, stage } = await openOutage({
      copies: 2,
      answer: async call => {
        call.settle(4_900)
        replyJson(call.response, 200, {})
      },
    })
    const project = await stage.makeProject({ tokens_per_day: 6_000 })
    const body = { ...completion, max_tokens: 10 }
    const complete = async (copy: number) => (await stage.complete(project, { body, copy })).status
    const spent = () => stage.kv.findSpend(project.projectId, new Date().toISOString().slice(0, 10))
    // The second replica first learns how many tokens are left, and at the end that none are.
    for (const [copy, sum] of [
      [1, 4_900],
      [0, 9_800],
    ] as const) {
      expect(await complete(copy)).toBe(200)
      await expect.poll(spent, within(5_000)).toBe(sum)
    }
    expect(await complete(1)).toBe(429)
    await redis.restart()
    await expect.poll(() => stage.kv.isSeeded().catch(() => null), within(10_000)).toBe(false)
    expect([await complete(0), await complete(1)]).toEqual([429, 429])
  })

  test('a copy that first hears of a project then knows from the database what was spent of its day', async () => {
    const { redis, stage } = await openOutage({ copies: 2 })
    const project = await stage.makeProject({ tokens_per_day: 1_000 })
    await knowEachOther(stage)
    await spend(stage, project, 990)
    await redis.kill()
    expect((await stage.complete(project, { copy: 1 })).status).toBe(429)
    expect((await ask(stage, project, 1)).headers).toMatchObject({ 'x-ratelimit-remaining-tokens': '5' })
  })

  test('a share of the whole day, given while the database was away too, shrinks to what it says then', async () => {
    const { redis, stage } = await openOutage()
    const project = await stage.makeProject({ tokens_per_day: 9_000, rpm_limit: 1_000 })
    await spend(stage, project, 9_000)
    await redis.kill()
    await sql`alter table usage_days rename to usage_days_away`.execute(stage.database.sql)
    const statusNow = async () => (await stage.complete(project, { body: { ...completion, max_tokens: 1 } })).status
    expect(await statusNow()).toBe(200)
    await sql`alter table usage_days_away rename to usage_days`.execute(stage.database.sql)
    await expect.poll(statusNow, { interval: 300 }).toBe(429)
  })

  test.each(['global', 'tenant', 'project'] as const)('the %s kill switch works by the database', async scope => {
    const { redis, stage } = await openOutage()
    const project = await stage.makeProject({ rpm_limit: 10_000 })
    const target = { global: '', tenant: project.tenantId, project: project.projectId }[scope]
    await statusOf(stage, project)
    await redis.kill()
    expect(await statusOf(stage, project)).toBe(200)
    await stage.setSwitch(scope, target, true, { isPushed: false })
    await expect.poll(() => statusOf(stage, project), within(3_000)).toBe(403)
    await stage.setSwitch(scope, target, false, { isPushed: false })
    await expect.poll(() => statusOf(stage, project), within(3_000)).toBe(200)
  })

  test('a suspension and a change of settings work by the database', async () => {
    const { redis, stage } = await openOutage()
    const project = await stage.makeProject({ memory_window: 7, rpm_limit: 10_000 })
    const window = async () => {
      await stage.complete(project)
      return stage.calls.at(-1)?.resolved.settings.memory_window
    }
    expect(await window()).toBe(7)
    await redis.kill()
    await stage.deploy(project, { settings: { memory_window: 8 } }, { isPushed: false })
    await expect.poll(window, within(4_000)).toBe(8)
    await stage.deploy(project, { status: 'suspended' }, { isPushed: false })
    await sleep(1_100)
    const admitted = stage.calls.length
    expect([await statusOf(stage, project), await statusOf(stage, project)]).toEqual([401, 401])
    expect(stage.calls).toHaveLength(admitted)
  })

  test('a switch that was set meanwhile holds also when the store is back and does not know of it', async () => {
    const { redis, stage } = await openOutage()
    const project = await stage.makeProject({ rpm_limit: 10_000 })
    await stage.setSwitch('project', randomUUID(), true)
    await statusOf(stage, project)
    await suspendProcess(redis.pid)
    await stage.setSwitch('project', project.projectId, true, { isPushed: false })
    await expect.poll(() => statusOf(stage, project), within(5_000)).toBe(403)
    process.kill(redis.pid, 'SIGCONT')
    await expect
      .poll(
        () =>
          stage.kv.ping().then(
            () => true,
            () => false,
          ),
        within(10_000),
      )
      .toBe(true)
    for (let i = 0; i < 10; i++) expect(await statusOf(stage, project)).toBe(403)
    // Switched off in the database only: the store is known to have old data, so replicas read the database.
    await stage.setSwitch('project', project.projectId, false, { isPushed: false })
    await expect.poll(() => statusOf(stage, project), within(3_000)).toBe(200)
  })

  test('a stream in flight ends by a switch in the database', async () => {
    const reasons: unknown[] = []
    const { redis, stage } = await openOutage({ answer: call => holdOpen(call, reasons) })
    const project = await stage.makeProject()
    const held = stage.complete(project)
    await expect.poll(() => stage.calls.length, within(5_000)).toBe(1)
    await redis.kill()
    await stage.setSwitch('global', '', true, { isPushed: false })
    await expect.poll(() => reasons, within(4_000)).toEqual(['service_disabled'])
    await held
  })

  test('what a call cost is settled once the store is back', async () => {
    const waiting: (() => void)[] = []
    const { redis, stage } = await openOutage({
      answer: async call => {
        await new Promise<void>(resolve => waiting.push(resolve))
        call.settle(123)
        replyJson(call.response, 200, {})
      },
    })
    const project = await stage.makeProject()
    const held = stage.complete(project)
    await expect.poll(() => waiting.length, within(5_000)).toBe(1)
    await suspendProcess(redis.pid)
    waiting[0]?.()
    await held
    await sleep(2_500)
    process.kill(redis.pid, 'SIGCONT')
    const day = new Date().toISOString().slice(0, 10)
    const spent = () => stage.kv.findSpend(project.projectId, day).catch(() => -1)
    await expect.poll(spent, within(15_000)).toBe(123)
    await sleep(1_500)
    expect(await spent()).toBe(123)
    const late = stage.complete(project)
    await expect.poll(() => waiting.length, within(5_000)).toBe(2)
    waiting[1]?.()
    expect((await late).headers['x-ratelimit-remaining-tokens']).toBe(String(1_000_000 - 123 - 6 - 1_024))
  })
})

async function holdOpen(call: AdmittedCall, reasons: unknown[]): Promise<void> {
  const { response } = call
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(': open\n\n')
  reasons.push(await endingOf(call))
  response.end()
}
