// The rows of the request log under full load, on both topologies: a clean stop of four processes loses none, and the
// death of a process those of its last tenth of a second.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, inject, test, vi } from 'vitest'
import { readAllRequests } from '../../src/storage/request-log/list-requests.ts'
import type { RequestDays } from '../../src/storage/request-log/request-days.ts'
import { createWorld } from '../product/distributed-world.ts'
import type { FleetProject } from '../product/fleet.ts'
import { openDistributed, openEmbedded, temporaryFolder } from '../storage/fixtures.ts'
import { roomFor } from '../support/slowness.ts'
import { parseMetrics } from '../telemetry/parse-metrics.ts'
import { createClients, type ProcessesStage, startProcesses } from './processes-stage.ts'

interface Topology {
  env: Record<string, string>
  /** Once all processes have ended. */
  openDays(): Promise<RequestDays>
}

const topologies: [name: string, make: () => Promise<Topology>][] = [
  [
    'on the embedded stores',
    async () => {
      const folder = temporaryFolder()
      return { env: { DATA_DIR: folder }, openDays: async () => (await openEmbedded(folder)).requestDays }
    },
  ],
  [
    'on PostgreSQL and Redis',
    async () => {
      const { env } = await createWorld()
      return { env, openDays: async () => (await openDistributed(env['DATABASE_URL'] ?? '')).requestDays }
    },
  ],
]

/** On a busy machine they take some time. */
const requests = inject('prove') ? 200_000 : 60
/** Each may send 10,000 requests in a minute. */
const projectCount = inject('prove') ? 40 : 4
const connections = 24
/** Rows wait so long for their batch, and as long again until it is written. */
const lostMs = 200

interface Answered {
  id: string
  at: number
}

/** Sends requests as fast as they are answered. */
function createLoad(stage: ProcessesStage, projects: readonly FleetProject[]) {
  const answered: Answered[] = []
  let goesOn = true
  const done = Promise.all(
    createClients(stage.product, connections).map(async (client, first) => {
      for (let turn = first; goesOn; turn++) {
        const { status, headers } = await client.complete(projects[turn % projects.length] as FleetProject)
        if (status === 200) answered.push({ id: String(headers['x-request-id']), at: performance.now() })
      }
    }),
  )
  return {
    answered,
    async reach(count: number) {
      while (answered.length < count) await sleep(20)
    },
    async stop() {
      goesOn = false
      await done
    },
  }
}

async function findLost(topology: Topology, projects: readonly FleetProject[], answered: readonly Answered[]) {
  const days = await topology.openDays()
  const ids = new Set<string>()
  for (const { id } of projects) {
    for await (const rows of readAllRequests(days, id)) for (const row of rows) ids.add(row.id)
  }
  return answered.filter(({ id }) => !ids.has(id))
}

async function openLoad(topology: Topology) {
  const stage = await startProcesses(4, topology.env)
  const projects: FleetProject[] = []
  for (let made = 0; made < projectCount; made++) projects.push(await stage.makeProject({ rpm_limit: 10_000 }))
  await writeFirstRows(stage, projects)
  return { stage, projects, load: createLoad(stage, projects) }
}

/** A process connects with its first row, and makes the day's tables: rows wait for that longer than for a batch. */
async function writeFirstRows(stage: ProcessesStage, projects: readonly FleetProject[]): Promise<void> {
  const clients = createClients(stage.product, connections)
  await Promise.all(clients.map((client, at) => client.complete(projects[at % projects.length] as FleetProject)))
  await vi.waitFor(async () => {
    const metrics = parseMetrics(await (await fetch(`${stage.product.baseUrl}/metrics`)).text())
    expect(metrics.value('sallyport_request_rows_total{outcome="written"}')).toBe(clients.length)
  }, 60_000)
}

test.each(topologies)('a process that dies loses its last rows, a clean stop none: %s', async (name, make) => {
  const topology = await make()
  const { stage, projects, load } = await openLoad(topology)
  await load.reach(requests / 2)
  const killedAt = performance.now()
  process.kill(stage.otherPids()[0] ?? 0, 'SIGKILL')
  await load.reach(requests)
  await load.stop()
  expect(await stage.product.stop()).toBe(0)
  const lost = await findLost(topology, projects, load.answered)
  report(name, load.answered, lost, killedAt)
  // A client may read what its process has sent before its death a moment later.
  const room = roomFor(lostMs)
  expect(lost.filter(({ at }) => at < killedAt - room || at > killedAt + room)).toEqual([])
})

test.each(topologies)('all processes that die at once lose their last rows: %s', async (name, make) => {
  const topology = await make()
  const { stage, projects, load } = await openLoad(topology)
  await load.reach(requests)
  const killedAt = performance.now()
  for (const pid of [...stage.otherPids(), stage.product.pid]) process.kill(pid, 'SIGKILL')
  await load.stop()
  await stage.product.kill()
  const lost = await findLost(topology, projects, load.answered)
  report(name, load.answered, lost, killedAt)
  const room = roomFor(lostMs)
  expect(lost.filter(({ at }) => at < killedAt - room)).toEqual([])
})

/** For a run by hand: `npm run prove -- server/test/processes/request-rows`. */
function report(name: string, answered: readonly Answered[], lost: readonly Answered[], killedAt: number): void {
  if (!inject('prove')) return
  const oldest = Math.max(0, ...lost.map(({ at }) => killedAt - at))
  process.stdout.write(
    `${name}: ${answered.length} answered, ${lost.length} lost, the oldest ${oldest.toFixed(0)} ms before the kill\n`,
  )
}
