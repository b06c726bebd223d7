// Usage and cached answers of all processes of a machine, read right after the answers.
import { expect, test } from 'vitest'
import { clientPortsOf, createClients, startProcesses, topologies } from './processes-stage.ts'

/** So many that each process has some of them. */
const connections = 24

test('usage right after answers counts those of all processes, wherever it is read', async () => {
  const stage = await startProcesses(3)
  const project = await stage.makeProject()
  const clients = createClients(stage.product, connections)
  const authorization = { authorization: `Bearer ${project.token}` }
  for (let round = 1; round <= 3; round += 1) {
    const answers = await Promise.all(clients.map(client => client.complete(project)))
    expect(answers.map(({ status }) => status)).toEqual(clients.map(() => 200))
    const usage = await Promise.all(
      clients.map(client => client.send('GET', `/p/${project.slug}/v1/billing/usage`, authorization)),
    )
    const requests = usage.map(({ text }) => (JSON.parse(text) as { totals: { requests: number } }).totals.requests)
    expect(requests).toEqual(clients.map(() => round * connections))
  }
})

test.each(topologies)(
  'the first process has the rows that another one is asked for: %s',
  async (_name, environment) => {
    const stage = await startProcesses(2, await environment())
    const project = await stage.makeProject()
    const authorization = { authorization: `Bearer ${project.token}` }
    const clients = createClients(stage.product, connections)
    const places = await Promise.all(
      clients.map(async client => {
        const { clientPort } = await client.send('GET', `/p/${project.slug}/v1/models`, authorization)
        return { client, clientPort }
      }),
    )
    const ofFirst = clientPortsOf(stage.product.pid, stage.product.port)
    const own = places.find(({ clientPort }) => ofFirst.has(clientPort))?.client
    const other = places.find(({ clientPort }) => !ofFirst.has(clientPort))?.client
    if (own === undefined || other === undefined) throw new Error('a process got no connection')
    // The row of the first answer is written at once, those of the others wait for a batch.
    for (let answers = 1; answers <= 5; answers += 1) expect((await own.complete(project)).status).toBe(200)
    const { text } = await other.send('GET', `/p/${project.slug}/v1/billing/usage`, authorization)
    expect(JSON.parse(text)).toMatchObject({ totals: { requests: 5 } })
  },
)

test('a cached answer is found by every process right after it was given', async () => {
  const stage = await startProcesses(3)
  const project = await stage.makeProject({ cache: { ttl_seconds: 3600, scope: 'user' } })
  const clients = createClients(stage.product, connections)
  const outcomes: unknown[] = []
  for (const [number, client] of clients.entries()) {
    const fields = { temperature: 0, messages: [{ role: 'user', content: `Question ${number}` }] }
    const next = clients[(number + 1) % connections] ?? client
    for (const asking of [client, next]) {
      const { headers } = await asking.complete(project, fields)
      outcomes.push(headers['x-sallyport-cache'])
    }
  }
  expect(outcomes).toEqual(clients.flatMap(() => ['miss', 'hit']))
})
