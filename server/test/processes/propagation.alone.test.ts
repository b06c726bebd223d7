// What is done at one process is seen by all of them in time: within a second, and within two for streams.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, inject, test } from 'vitest'
import { ask, setKillSwitch } from '../product/distributed-world.ts'
import type { FleetProject } from '../product/fleet.ts'
import { roomFor } from '../support/slowness.ts'
import { type Client, createClients, type ProcessesStage, type Reply, startProcesses } from './processes-stage.ts'

const rounds = inject('prove') ? 10 : 1
const contractMs = 1_000
const streamsMs = 2_000
/** So many that each process has some of them. */
const connections = 24

interface Deed {
  name: string
  act(stage: ProcessesStage, project: FleetProject): Promise<unknown>
  isSeen(reply: Reply): boolean
  /** Instead of a completion. */
  send?(client: Client, project: FleetProject): Promise<Reply>
}

const own = ({ id }: FleetProject) => `/auth/v1/projects/${id}`

const block: Deed = {
  name: 'a blocked user',
  act: ({ product, session }, project) => ask(product, 'PUT', `${own(project)}/users/alice/block`, session, {}),
  isSeen: ({ status }) => status === 403,
}
const killSwitch: Deed = {
  name: 'a kill switch',
  act: ({ product }, project) => setKillSwitch(product, project.tenantId, true),
  isSeen: ({ status }) => status === 403,
}

const deeds: Deed[] = [
  killSwitch,
  block,
  {
    name: 'a deploy',
    async act({ product, session }, project) {
      await ask(product, 'PUT', `${own(project)}/settings`, session, { rpm_limit: 9_999 })
      await ask(product, 'POST', `${own(project)}/settings/deploy`, session)
    },
    isSeen: ({ headers }) => headers['x-ratelimit-limit-requests'] === '9999',
  },
  {
    name: 'a revoked token',
    act: ({ product, session }, project) =>
      fetch(`${product.baseUrl}${own(project)}/users/alice/revoke-tokens`, { method: 'POST', headers: session }),
    isSeen: ({ status }) => status === 401,
  },
  {
    name: 'a revoked API key',
    async act({ product, session }, project) {
      const [key] = await ask<{ id: string }[]>(product, 'GET', `${own(project)}/api-keys`, session)
      await fetch(`${product.baseUrl}/auth/v1/api-keys/${key?.id}`, { method: 'DELETE', headers: session })
    },
    isSeen: ({ status }) => status === 401,
    send: (client, { slug, apiKey }) =>
      client.send(
        'POST',
        `/p/${slug}/v1/auth/mint`,
        { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        { user_id: 'bob' },
      ),
  },
]

test.each(deeds)('$name', async ({ act, isSeen, send = (client, project) => client.complete(project) }) => {
  // No cycle of the worker tells of what was not announced.
  const stage = await startProcesses(4, { SYNC_INTERVAL: '3600' })
  const clients = createClients(stage.product, connections)
  for (let round = 0; round < rounds; round += 1) {
    const project = await stage.makeProject()
    // Every process has it in its caches.
    const before = await Promise.all(clients.map(client => send(client, project)))
    expect(before.map(isSeen)).not.toContain(true)
    expect(before.every(({ status }) => status === 200 || status === 201)).toBe(true)
    await act(stage, project)
    const actedAt = performance.now()
    const seen = await Promise.all(
      clients.map(async client => {
        while (!isSeen(await send(client, project))) {
          if (performance.now() - actedAt > 30_000) return Number.POSITIVE_INFINITY
        }
        return performance.now() - actedAt
      }),
    )
    expect(Math.max(...seen)).toBeLessThan(roomFor(contractMs))
  }
})

test.each([killSwitch, block])('$name ends the streams of all processes', async ({ act }) => {
  const stage = await startProcesses(4, { SYNC_INTERVAL: '3600' })
  const project = await stage.makeProject()
  stage.upstream.on('POST /v1/chat/completions', () => ({
    async write(response) {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (let left = 1_200; left > 0 && !response.destroyed; left -= 1) {
        response.write('data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"a"}}]}\n\n')
        await sleep(50)
      }
      response.end()
    },
  }))
  const streams = createClients(stage.product, connections).map(client => client.complete(project, { stream: true }))
  await expect.poll(() => stage.upstream.requests.filter(({ method }) => method === 'POST').length).toBe(connections)
  await sleep(300)
  await act(stage, project)
  const actedAt = performance.now()
  const ended = await Promise.all(streams)
  expect(performance.now() - actedAt).toBeLessThan(roomFor(streamsMs))
  expect(ended.filter(({ text }) => !text.includes('error'))).toEqual([])
})
