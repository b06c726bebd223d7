// Four processes on the embedded stores: limits and budgets are as exact as those of one.
import { expect, inject, test } from 'vitest'
import { answerBody } from '../inference/budget/budget-stage.ts'
import { ask, createWorld } from '../product/distributed-world.ts'
import { completeAll, countOf, createClients, startProcesses } from './processes-stage.ts'

const rounds = inject('prove') ? 20 : 3
const requests = 1_000
const connections = 16

test('1,000 requests at once against a limit of 100: exactly 100', async () => {
  const stage = await startProcesses(4)
  expect(stage.otherPids()).toHaveLength(3)
  const admitted: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const project = await stage.makeProject({ rpm_limit: 100 })
    const replies = await completeAll(createClients(stage.product, connections), project, requests)
    expect(countOf(replies, 200) + countOf(replies, 429)).toBe(requests)
    admitted.push(countOf(replies, 200))
  }
  expect(admitted).toEqual(Array.from({ length: rounds }, () => 100))
  // All of them still run.
  const metrics = await (await fetch(`${stage.product.baseUrl}/metrics`)).text()
  const cpu = [...metrics.matchAll(/^sallyport_process_cpu_seconds_total\{process="(\d)"\}/gm)].map(([, at]) => at)
  expect(cpu).toEqual(['1', '2', '3', '4'])
})

test('two processes on PostgreSQL and Redis: jobs run once, and the limit is as exact', async () => {
  const world = await createWorld()
  const stage = await startProcesses(2, world.env)
  const project = await stage.makeProject({ rpm_limit: 100 })
  const replies = await completeAll(createClients(stage.product, connections), project, requests)
  expect(countOf(replies, 200)).toBe(100)
  expect(countOf(replies, 429)).toBe(requests - 100)
  const metrics = await (await fetch(`${stage.product.baseUrl}/metrics`)).text()
  const roles = [...metrics.matchAll(/^sallyport_role\{role="(\w+)",process="(\d)"\} 1$/gm)].map(
    ([, ...found]) => found,
  )
  expect(roles.filter(([role]) => role === 'gateway').map(([, process]) => process)).toEqual(['1', '2'])
  expect(roles.filter(([role]) => role === 'worker').map(([, process]) => process)).toEqual(['1'])
  // Each line of the log says which process wrote it. Lines are written some at a time.
  const lines = () => stage.product.stderr().trim().split('\n')
  await expect.poll(() => lines().length).toBeGreaterThan(requests)
  const writers = lines().map(line => (JSON.parse(line) as { process?: number }).process)
  expect(new Set(writers)).toEqual(new Set([1, 2]))
})

test('a budget of 50 answers: never 51', async () => {
  const stage = await startProcesses(4)
  for (let round = 0; round < rounds; round += 1) {
    const project = await stage.makeProject()
    let answered = 0
    stage.upstream.on('POST /v1/chat/completions', () => {
      answered += 1
      return { body: answerBody({ prompt: 4, completion: 1_000 }) }
    })
    // A prompt token costs 150 nano-dollars, a generated one 600. The estimate of the prompt may be a few tokens more.
    const answerNanoUsd = 4 * 150 + 1_000 * 600
    const path = `/auth/v1/tenants/${project.tenantId}/budgets`
    const budgets = [{ usd: (50 * answerNanoUsd + 20 * 150) / 1e9, period: 'month' }]
    await ask(stage.product, 'PUT', path, stage.session, { budgets })
    const clients = createClients(stage.product, connections)
    // Every process knows the budget within a second.
    await new Promise(resolve => setTimeout(resolve, 1_500))
    const replies = await completeAll(clients, project, 400, { max_tokens: 1_000 })
    expect(countOf(replies, 200) + countOf(replies, 429)).toBe(400)
    expect(answered).toBeLessThanOrEqual(50)
    // Requests that were rejected because of open reservations are sent again.
    while (countOf(await completeAll(clients, project, 1, { max_tokens: 1_000 }), 200) > 0);
    expect(answered).toBe(50)
  }
})
