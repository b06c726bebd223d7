// Tests that an answer which had to end early is not cached, whoever ended it: a kill switch, an operator who blocks the
// user, the client, or the time that a whole answer may take. In front of every wire, streamed and whole.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openRequest } from '../http/resetting-client.ts'
import { type AnyWire, everyWire } from './every-wire.ts'
import type { TestProject } from './inference-stage.ts'
import { cached, cacheHeader, openWireStage, stall, type TaggedRequest, type WireStage } from './wire-stage.ts'

let wires: WireStage
beforeAll(async () => {
  wires = await openWireStage({ UPSTREAM_TOTAL_TIMEOUT: '8' })
})
afterAll(() => wires.stop())

interface Running {
  request: TaggedRequest
  /** Resolves when the response ends, whatever it is. */
  ended: Promise<unknown>
  leave(): void
}

/** All but the last event of a stream, or half of a whole answer; then nothing. Resolves when the client may see it. */
async function begin(project: TestProject, wire: AnyWire, isStream: boolean): Promise<Running> {
  const surface = wire.surfaces[everyWire.indexOf(wire) % wire.surfaces.length] ?? 'responses'
  const request = wires.request(wire, surface, isStream)
  const whole = wire.whole()
  const streamed = Buffer.concat(wire.events().slice(0, -1 - wire.spareEvents))
  request.damage(isStream ? stall(wire.streamType, streamed) : stall('application/json', whole.subarray(0, 9)))
  const { response, ended, reset } = openRequest({
    port: wires.stage.harness.product.port,
    path: `/p/${project.slug}${request.path}`,
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${await project.mint()}` },
    body: JSON.stringify(request.body),
  })
  if (isStream) await response
  else await expect.poll(request.calls).toBe(1)
  return { request, ended, leave: reset }
}

type End = (project: TestProject, running: readonly Running[]) => Promise<void>
const wait = (running: readonly Running[]) => Promise.all(running.map(({ ended }) => ended))

const ends: [name: string, end: End][] = [
  [
    'a kill switch',
    async ({ id }, running) => {
      const { call, adminSecret } = wires.stage.harness
      const turn = (enabled: boolean) =>
        call('POST', `/v1/admin/killswitch/project/${id}`, { adminSecret, body: { enabled } })
      expect((await turn(true)).status).toBe(200)
      await wait(running)
      expect((await turn(false)).status).toBe(200)
    },
  ],
  [
    'a block of its user',
    async ({ id }, running) => {
      const { call, owner } = wires.stage.harness
      const turn = (method: string) =>
        call(method, `/auth/v1/projects/${id}/users/alice/block`, { session: owner.session, body: {} })
      expect((await turn('PUT')).status).toBe(200)
      await wait(running)
      expect((await turn('DELETE')).status).toBe(204)
    },
  ],
  [
    'its client, which resets its connection',
    async (project, running) => {
      for (const { leave } of running) leave()
      await wait(running)
      // What both cost is recorded at their ends.
      await expect
        .poll(async () => (await rowsOf(project)).filter(({ is_estimated }) => is_estimated === 1).length)
        .toBeGreaterThanOrEqual(2)
    },
  ],
  ['the time that a whole answer may take', async (_project, running) => void (await wait(running))],
]

async function rowsOf({ id }: TestProject): Promise<{ is_estimated: number }[]> {
  return await wires.stage.harness.query('select is_estimated from usage_records where project_id = ?', [id])
}

test.each(ends)('an answer that is ended by %s is not cached', async (_name, end) => {
  const check = async (wire: AnyWire) => {
    const project = await wire.makeProject(wires.stage, cached)
    const running = await Promise.all([true, false].map(isStream => begin(project, wire, isStream)))
    await end(project, running)
    return await Promise.all(running.map(one => askAgain(wire, project, one)))
  }
  const seen = await Promise.all(everyWire.map(check))
  const wanted = everyWire.map(({ name }) => [name, 1, 200, 'miss', 2, 'hit', 2])
  expect(seen).toEqual(wanted.map(one => [one, one]))
})

/** What the cache said and how often the provider was asked, before and after each of two further requests. */
async function askAgain({ name }: AnyWire, project: TestProject, { request }: Running): Promise<unknown[]> {
  request.damage(null)
  const ask = () => project.ask('POST', request.path, { body: request.body })
  const before = request.calls()
  let second = await ask()
  // What ended the answer may hold for another second.
  for (let times = 0; second.status !== 200 && times < 500; times++) second = await ask()
  const calls = request.calls()
  const third = await ask()
  const { [cacheHeader]: cacheOfSecond } = second.headers
  return [name, before, second.status, cacheOfSecond, calls, third.headers[cacheHeader], request.calls()]
}
