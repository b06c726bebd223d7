// How the gateway writes the activity of projects to the store: in groups, after an outage again, and the rest at its
// stop.
import { expect, onTestFinished, test } from 'vitest'
import { createActivityNotes } from '../../src/gateway/activity.ts'
import type { PlaneResponse } from '../../src/http/exchange.ts'
import { createProcessStore } from '../../src/kv/process/store.ts'
import { StoreUnavailable } from '../../src/kv/store.ts'
import { createMemoryLog } from '../kv/stores.ts'

const notFound = { statusCode: 404 } as PlaneResponse

function open() {
  const { log, lines } = createMemoryLog()
  const store = createProcessStore({ now: Date.now, log })
  onTestFinished(() => store.close())
  let writes = 0
  const failures: Error[] = []
  const kv: Parameters<typeof createActivityNotes>[0]['kv'] = {
    async addActivity(entries) {
      writes += 1
      const failure = failures.shift()
      if (failure !== undefined) throw failure
      await store.addActivity(entries)
    },
  }
  const notes = createActivityNotes({ kv, log })
  onTestFinished(() => notes.stop())
  const requestsOf = async (projectId: string) => {
    const { minutes } = await store.findActivity(projectId)
    return minutes.reduce((sum, { counts }) => sum + (counts['requests'] ?? 0), 0)
  }
  return { notes, lines, failures, writes: () => writes, requestsOf }
}

test('a thousand requests of two projects are one write', async () => {
  const { notes, requestsOf, writes } = open()
  for (let at = 0; at < 1_000; at++) notes.note(at % 4 === 0 ? 'p' : 'q', notFound, null, 5)
  expect(writes()).toBe(0)
  await expect.poll(() => requestsOf('q')).toBe(750)
  expect(await requestsOf('p')).toBe(250)
  expect(writes()).toBe(1)
  notes.note('p', notFound, null, 5)
  await expect.poll(() => requestsOf('p')).toBe(251)
  expect(writes()).toBe(2)
})

test('what is not written yet is written at the stop', async () => {
  const { notes, requestsOf } = open()
  notes.note('p', notFound, null, 5)
  await notes.stop()
  expect(await requestsOf('p')).toBe(1)
})

test('counts on after a failed write; only an error that is no outage is logged', async () => {
  const { notes, lines, failures, requestsOf, writes } = open()
  for (const failure of [new StoreUnavailable('no_answer'), new RangeError('no count')]) {
    failures.push(failure)
    notes.note('p', notFound, null, 5)
    await expect.poll(() => failures).toEqual([])
  }
  notes.note('p', notFound, null, 5)
  await expect.poll(() => requestsOf('p')).toBe(1)
  expect(writes()).toBe(3)
  expect(lines.map(({ event }) => event)).toEqual(['activity could not be counted'])
})
