// Redis lost in every way, under load, with several copies: nobody is served with weaker guardrails or past a kill
// switch, limits hold, and everything is as before soon after it is back.
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, inject, test } from 'vitest'
import { startProxy } from '../support/simulated/breakable-proxy.ts'
import { setKillSwitch } from './distributed-world.ts'
import { complete, type Fleet, type FleetProject, type Outcome, startFleet } from './fleet.ts'

const rounds = inject('prove') ? 10 : 1
const awayMs = inject('prove') ? 30_000 : 2_000
const term = 'aubergine'
const rpm = 40

interface Fault {
  name: string
  begin(): Promise<void> | void
  end(): Promise<void> | void
}

interface Sample {
  at: number
  outcome: Outcome
}

/** One after the other, as fast as the pause allows, until told to stop. */
function keepSampling(everyMs: number, one: () => Promise<Outcome>) {
  const samples: Sample[] = []
  let goesOn = true
  const open: Promise<void>[] = []
  const done = (async () => {
    while (goesOn) {
      const at = performance.now()
      open.push(one().then(outcome => void samples.push({ at, outcome })))
      await sleep(everyMs)
    }
    await Promise.all(open)
  })()
  return {
    samples,
    async stop() {
      goesOn = false
      await done
      return samples
    },
  }
}

const statuses = (samples: Sample[]) => [...new Set(samples.map(({ outcome }) => outcome.status))].sort()

async function admitMany(fleet: Fleet, project: FleetProject, times: number): Promise<number> {
  let admitted = 0
  for (let i = 0; i < times; i++) if ((await complete(fleet, project)).status === 200) admitted++
  return admitted
}

async function goThrough(fleet: Fleet, fault: Fault, projects: Record<'open' | 'killed' | 'guarded', FleetProject>) {
  const limited = await fleet.makeProject({ rpm_limit: rpm })
  const open = keepSampling(100, () => complete(fleet, projects.open))
  const killed = keepSampling(150, () => complete(fleet, projects.killed))
  const guarded = keepSampling(150, () =>
    complete(fleet, projects.guarded, { messages: [{ role: 'user', content: `Tell me about ${term}` }] }),
  )
  const beganAt = performance.now()
  const before = await admitMany(fleet, limited, 10)
  await fault.begin()
  const meanwhile = admitMany(fleet, limited, 30)
  await sleep(awayMs)
  await fault.end()
  const backAt = performance.now()
  const during = await meanwhile
  await sleep(5_000)
  const after = await admitMany(fleet, limited, 40)
  const hadOneWindow = performance.now() - beganAt < 58_000
  await sleep(1_000)
  const served = await open.stop()
  // Never past a switch, never without the guardrail, whatever else is answered.
  expect(statuses(await killed.stop())).not.toContain(200)
  expect(statuses(await guarded.stop())).not.toContain(200)
  expect(before).toBe(10)
  if (hadOneWindow) expect(before + during + after).toBeLessThanOrEqual(rpm + rpm / fleet.crews.gateway.copies.length)
  const late = served.filter(({ at }) => at > backAt + 5_000)
  expect(late.length).toBeGreaterThan(0)
  expect(statuses(late)).toEqual([200])
  // Whoever could not be served was told so, and in time.
  expect(served.filter(({ outcome }) => outcome.broken !== null)).toEqual([])
  expect(statuses(served).filter(status => ![200, 503].includes(status))).toEqual([])
}

describe('Redis', () => {
  test(`is killed, paused, cut off, flushed and restarted empty, ${rounds} times each`, async () => {
    let proxy: Awaited<ReturnType<typeof startProxy>> | undefined
    const fleet = await startFleet({ gateway: 2, inference: 1, api: 1, worker: 1 }, async world => {
      proxy = await startProxy(world.redis.port)
      return { REDIS_URL: `redis://127.0.0.1:${proxy.port}` }
    })
    const { redis } = fleet.world
    const faults: Fault[] = [
      { name: 'killed', begin: () => redis.kill(), end: () => redis.restart() },
      {
        name: 'paused',
        begin: () => void process.kill(redis.pid, 'SIGSTOP'),
        end: () => void process.kill(redis.pid, 'SIGCONT'),
      },
      { name: 'black hole', begin: () => proxy?.swallow(), end: () => proxy?.mend() },
      { name: 'flushed', begin: () => fleet.flush(), end: () => undefined },
      { name: 'restarted empty', begin: () => redis.restart(), end: () => undefined },
    ]
    const [open, killed, guarded] = await Promise.all([
      fleet.makeProject(),
      fleet.makeProject(),
      fleet.makeProject({ sentinel_mode: 'enforce', sentinel_blocklist: [term] }),
    ])
    await setKillSwitch(fleet.api, killed.tenantId, true)
    for (let round = 0; round < rounds; round++) {
      for (const fault of faults) {
        await goThrough(fleet, fault, { open, killed, guarded }).catch(error => {
          throw new Error(`Redis ${fault.name}, round ${round}: ${error}`, { cause: error })
        })
      }
    }
  }, 3_600_000)
})
