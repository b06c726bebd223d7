// Every copy replaced, one after the other, under load: nobody notices, and every token is accounted once.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, inject, test } from 'vitest'
import { ask } from './distributed-world.ts'
import { complete, type Fleet, type FleetProject, type Outcome, pieces, startFleet, tokensOfAnswer } from './fleet.ts'

/**
 * Starts so many a second until it is stopped, whatever becomes of them; fewer while `maxOpen` wait for their answers.
 */
function keepAsking(perSecond: number, maxOpen: number, one: () => Promise<Outcome>) {
  const outcomes: Promise<Outcome>[] = []
  let openCount = 0
  const begin = async (): Promise<Outcome> => {
    openCount++
    return one().finally(() => openCount--)
  }
  let goesOn = true
  const began = performance.now()
  const done = (async () => {
    while (goesOn) {
      const due = Math.floor(((performance.now() - began) * perSecond) / 1000)
      while (outcomes.length < due && openCount < maxOpen) outcomes.push(begin())
      await sleep(5)
    }
  })()
  return {
    async stop() {
      goesOn = false
      await done
      return Promise.all(outcomes)
    },
  }
}

async function usageOf(fleet: Fleet, { id }: FleetProject) {
  const path = `/auth/v1/projects/${id}/usage`
  const { totals } = await ask<{ totals: object }>(fleet.api, 'GET', path, fleet.session)
  return totals
}

test('three gateways, two inference, one api, one worker', async () => {
  const load = inject('prove') ? { short: 200, streams: 50 } : { short: 40, streams: 8 }
  const fleet = await startFleet({ gateway: 3, inference: 2, api: 1, worker: 1 })
  // In turn: the highest limit that a project can have is 10,000 requests a minute.
  const projects = [await fleet.makeProject(), await fleet.makeProject(), await fleet.makeProject()]
  const asked = projects.map(() => 0)
  let turn = 0
  const askNext = (fields: object = {}) => {
    const index = turn++ % projects.length
    asked[index]!++
    return complete(fleet, projects[index]!, fields)
  }
  const short = keepAsking(load.short, load.short, () => askNext())
  // As many streams at once, each of about two seconds.
  const streams = keepAsking(load.streams / 2, load.streams, () => askNext({ stream: true }))
  await sleep(1_000)
  for (const role of ['gateway', 'inference', 'worker', 'api'] as const) {
    for (let index = 0; index < fleet.crews[role].copies.length; index++) await fleet.replace(role, index)
  }
  await sleep(1_000)
  const plain = await short.stop()
  const streamed = await streams.stop()
  const bad = plain.filter(({ status, text }) => status !== 200 || !text.includes('"Hello"'))
  expect(bad).toEqual([])
  const whole = pieces.map(piece => `"${piece}"`)
  const cut = streamed.filter(
    ({ text }) => !text.endsWith('data: [DONE]\n\n') || !whole.every(piece => text.includes(piece)),
  )
  expect(cut).toEqual([])
  expect(asked.reduce((sum, count) => sum + count)).toBe(plain.length + streamed.length)
  for (const [index, project] of projects.entries()) {
    const requests = asked[index]!
    const expected = { requests, total_tokens: requests * tokensOfAnswer }
    await expect.poll(() => usageOf(fleet, project), { interval: 300 }).toMatchObject(expected)
    await expect
      .poll(() => fleet.spent(project.id), { interval: 300 })
      .toEqual({ spent: expected.total_tokens, reserved: 0 })
  }
})
