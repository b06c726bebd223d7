// PostgreSQL killed and started again, under load: inference goes on, management says that it may be tried again, and
// no write that was acknowledged is lost.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, inject, onTestFinished, test } from 'vitest'
import { startPostgres } from '../support/postgres.ts'
import { ask } from './distributed-world.ts'
import { complete, type Outcome, startFleet, tokensOfAnswer } from './fleet.ts'

const rounds = inject('prove') ? 10 : 2
const awayMs = 3_000

test(`PostgreSQL is killed ${rounds} times`, async () => {
  const postgres = await startPostgres({ durable: true })
  const fleet = await startFleet({ gateway: 2, inference: 1, api: 1, worker: 1 }, undefined, {
    postgresUrl: postgres.url,
  })
  onTestFinished(() => postgres.stop())
  const project = await fleet.makeProject()
  const outcomes: Promise<Outcome>[] = []
  const made: string[] = []
  const refusals: { status: number; body: unknown }[] = []
  let goesOn = true
  const inference = (async () => {
    while (goesOn) {
      outcomes.push(complete(fleet, project))
      await sleep(50)
    }
  })()
  const management = (async () => {
    while (goesOn) {
      const response = await fetch(`${fleet.api.baseUrl}/auth/v1/tenants`, {
        method: 'POST',
        headers: { ...fleet.session, 'content-type': 'application/json' },
        body: JSON.stringify({ name: `Tenant ${made.length}` }),
        signal: AbortSignal.timeout(20_000),
      })
      const body = await response.json()
      if (response.status === 201) made.push((body as { id: string }).id)
      else refusals.push({ status: response.status, body })
      await sleep(20)
    }
  })()
  for (let round = 0; round < rounds; round++) {
    await sleep(1_500)
    await postgres.kill()
    await sleep(awayMs)
    await postgres.restart()
  }
  await expect
    .poll(() => ask(fleet.api, 'GET', '/auth/v1/tenants', fleet.session).then(() => 'back', String))
    .toBe('back')
  await sleep(1_000)
  goesOn = false
  await Promise.all([inference, management])
  const answers = await Promise.all(outcomes)
  expect(answers.filter(({ status }) => status !== 200)).toEqual([])
  expect(made.length).toBeGreaterThan(0)
  expect(refusals.length).toBeGreaterThan(0)
  for (const refusal of refusals) expect(refusal).toMatchObject({ status: 503, body: { retryable: true } })
  const kept = await ask<{ id: string }[]>(fleet.api, 'GET', '/auth/v1/tenants', fleet.session)
  const ids = new Set(kept.map(({ id }) => id))
  expect(made.filter(id => !ids.has(id))).toEqual([])
  // The rows waited: each answer is accounted once.
  const usage = () => ask(fleet.api, 'GET', `/auth/v1/projects/${project.id}/usage`, fleet.session)
  const totals = { requests: answers.length, total_tokens: answers.length * tokensOfAnswer }
  await expect.poll(usage, { interval: 300 }).toMatchObject({ totals })
}, 600_000)
