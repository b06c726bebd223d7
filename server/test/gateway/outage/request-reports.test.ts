// Tests the reports of requests that a replica admitted without the store: over a real store whose responses get lost.
import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createRequestReports } from '../../../src/gateway/outage/request-reports.ts'
import { createProcessStore } from '../../../src/kv/process/store.ts'
import type { OpenWindow } from '../../../src/kv/request-windows.ts'
import { StoreUnavailable } from '../../../src/kv/store.ts'
import { createHandClock, createMemoryLog, requestOf, seed } from '../../kv/stores.ts'

function open() {
  const clock = createHandClock(1_000_000)
  const { log, lines } = createMemoryLog()
  const store = createProcessStore({ now: clock.now, log })
  let answers: 'well' | 'never asked' | 'answer lost' = 'well'
  let asked = 0
  const kv = {
    async addRequests(reportId: string, windows: readonly OpenWindow[]) {
      asked += 1
      if (answers === 'never asked') throw new StoreUnavailable('connection')
      await store.addRequests(reportId, windows)
      if (answers === 'answer lost') throw new StoreUnavailable('timeout')
    },
  }
  let number = 0
  const reports = createRequestReports({ kv, now: clock.now, randomId: () => `r${number++}`, log })
  onTestFinished(() => reports.stop())
  return {
    clock,
    reports,
    lines,
    asked: () => asked,
    answer: (how: typeof answers) => {
      answers = how
    },
    sendNow: async () => {
      reports.sendNow()
      await turn()
    },
    seed: () => seed(store, ['p']),
    counts: async () => {
      const admission = await store.admit(
        requestOf({ projectId: 'p', projectRequests: 0, userRequests: 9, userId: 'u' }),
      )
      return { project: admission.counts?.project, user: admission.counts?.user.count }
    },
  }
}

test('the store counts a report once, however often its answer was lost', async () => {
  const { clock, reports, answer, sendNow, seed, counts } = open()
  await seed()
  const endsAt = clock.now() + 30_000
  answer('answer lost')
  for (let i = 0; i < 3; i++) reports.add('p', null, endsAt)
  reports.add('p', 'u', endsAt)
  await sendNow()
  reports.add('p', null, endsAt)
  await sendNow()
  answer('well')
  await sendNow()
  await sendNow()
  expect(await counts()).toEqual({ project: { count: 4, endsAt }, user: 1 })
})

test('it is sent again by itself until the store has taken it, and then no more', async () => {
  const { clock, reports, asked, answer, seed, counts } = open()
  await seed()
  answer('never asked')
  reports.add('p', null, clock.now() + 30_000)
  await expect.poll(asked).toBeGreaterThan(1)
  answer('well')
  await expect.poll(async () => (await counts()).project?.count).toBe(1)
  const askedThen = asked()
  await new Promise(resolve => setTimeout(resolve, 800))
  expect(asked()).toBe(askedThen)
})

test('a window that has ended is not reported', async () => {
  const { clock, reports, asked, answer, sendNow, seed, counts } = open()
  await seed()
  answer('never asked')
  reports.add('p', null, clock.now() + 1_000)
  await sendNow()
  clock.advance(1_000)
  answer('well')
  const askedThen = asked()
  await sendNow()
  expect(asked()).toBe(askedThen)
  expect(await counts()).toMatchObject({ project: { count: 0 } })
})
