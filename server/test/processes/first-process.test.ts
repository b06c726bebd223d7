// The first process, with stand-ins for the others and for its own parts: which processes may join, and what happens to
// the reservations of one that died.
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startChild } from '../../src/processes/child.ts'
import { FirstProcess } from '../../src/processes/first-process.ts'
import { createMemoryLog } from '../kv/stores.ts'
import { childrenOf } from './processes-stage.ts'

const mainFile = join(import.meta.dirname, 'stand-in.ts')

beforeEach(() => {
  process.env.STAND_IN_VERSION = '1.2.3'
})
afterEach(() => {
  delete process.env.STAND_IN_VERSION
})

test.each([
  ['1.2.3', true],
  ['1.2.4', false],
])('a process of version %s joins one of version 1.2.3: %s', async (version, joins) => {
  process.env.STAND_IN_VERSION = version
  const none = { collect: async () => [], writeUsage: () => Promise.resolve() }
  const child = startChild({ mainFile, number: 2, version: '1.2.3', sockets: [], ...none })
  expect(await child.ready).toBe(joins)
  if (joins) child.kill()
  expect(await child.ended).toMatchObject(joins ? { signal: 'SIGKILL' } : { exitCode: 3 })
})

test('settles what a process that died had reserved: until the store does, and again for what it read late', async () => {
  const { log, lines } = createMemoryLog()
  const first = new FirstProcess({ count: 2, mainFile, version: '1.2.3', log, isShared: false })
  const asked: string[] = []
  await first.startOthers({
    address: { address: '127.0.0.1', port: 0, family: 'IPv4' },
    serveTo: () => undefined,
    acceptFrom: async () => () => undefined,
    families: () => [],
    writeUsage: () => Promise.resolve(),
    readiness: () => [],
    async settleReservationsOf(replicaId) {
      asked.push(replicaId)
      if (asked.length === 1) throw new Error('the store is unavailable')
      return 3
    },
  })
  const [pid = 0] = childrenOf(process.pid)
  process.kill(pid, 'SIGKILL')
  await expect.poll(() => asked.length, { timeout: 60_000 }).toBe(3)
  expect(new Set(asked).size).toBe(1)
  expect(lines.filter(({ event }) => event === 'settled the reservations of a process that ended')).toHaveLength(2)
  await stop(first)
})

async function stop({ place }: FirstProcess): Promise<void> {
  if (place.kind === 'first') await place.stopOthers()
}
