// A receiver that fails at random, and processes that are killed while they send: in the end the receiver has each
// request once by its id, and the sum is that of the usage, to the nano-dollar.
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Kysely, sql as text } from 'kysely'
import { expect, inject, onTestFinished, test } from 'vitest'
import { createSecretBox } from '../../../src/crypto/secrets/secret-box.ts'
import { addUsageRows } from '../../../src/storage/add-usage-rows.ts'
import type { Schema } from '../../../src/storage/schema.ts'
import { openDistributed, openEmbedded, temporaryFolder } from '../../storage/fixtures.ts'
import { createDatabase } from '../../support/postgres.ts'
import { type ServerProcess, startProcess } from '../../support/server-process.ts'
import { type Received, type Respond, startReceiver } from '../webhooks/deliver-webhooks-stage.ts'
import { addMeter, addTenant, eventsIn, minute, usageRow } from './meters-stage.ts'

const count = inject('prove') ? 100_000 : 3_000
const batch = 100
/** A quarter of an hour takes some seconds. */
const factor = 120

const key = randomBytes(32)
const secretBox = createSecretBox({ current: key, previous: [] })

function createClock() {
  const startedAt = Date.now()
  return { startedAt, now: () => Math.round(startedAt + (Date.now() - startedAt) * factor) }
}

async function startReplica(place: { url?: string; folder?: string }, startedAt: number): Promise<ServerProcess> {
  const script = fileURLToPath(new URL('./replica.ts', import.meta.url))
  const args = [place.url ?? '', place.folder ?? '', key.toString('hex'), String(startedAt), String(factor)]
  const replica = await startProcess({
    command: process.execPath,
    args: [script, ...args],
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
  })
  onTestFinished(async () => {
    await replica.end('SIGKILL')
  })
  return replica
}

/** Keeps what it took, and fails a third of the requests: before it took them, or after. */
function failAtRandom(taken: Map<string, string>): Respond {
  return (response, received: Received) => {
    const luck = Math.random()
    if (luck < 0.1) return void response.writeHead(503).end()
    if (luck < 0.2) return void response.destroy()
    for (const { id, data } of eventsIn([received])) {
      if (taken.has(id)) expect(taken.get(id)).toBe(data.value)
      taken.set(id, data.value)
    }
    // The receiver has them, and the sender does not learn it.
    if (luck < 0.33) return void response.destroy()
    response.writeHead(204).end()
  }
}

function nanoUsd(value: string): bigint {
  const [whole = '', fraction = ''] = value.split('.')
  return BigInt(whole + fraction.padEnd(9, '0'))
}

const sumOf = (taken: ReadonlyMap<string, string>) =>
  [...taken.values()].reduce((sum, value) => sum + nanoUsd(value), 0n)

async function sumOfUsage(sql: Kysely<Schema>): Promise<bigint> {
  const { rows } = await text<{ sum: string | number }>`select sum(cost_nanousd) as sum from usage_days`.execute(sql)
  return BigInt(rows[0]?.sum ?? 0)
}

const randomCost = () => Math.floor(Math.random() ** 6 * 10_000_000_000) + 1

const longMs = 300_000

test(
  'three processes on PostgreSQL, two of which are killed',
  async () => {
    const url = await createDatabase(inject('postgresUrl'))
    const { sql } = await openDistributed(url)
    const { startedAt, now } = createClock()
    const [receiver, place, taken] = [await startReceiver(), await addTenant(sql), new Map<string, string>()]
    receiver.respond(failAtRandom(taken))
    await addMeter(sql, secretBox, place.tenantId, { url: receiver.url(), at: now() - 10 * minute })
    const replicas = await Promise.all([1, 2, 3].map(() => startReplica({ url }, startedAt)))
    for (let written = 0; written < count; written += batch) {
      // Some were settled minutes ago by the clock of another replica, some wait for the database since an hour.
      const rows = Array.from({ length: batch }, () =>
        usageRow(place, now() - (Math.random() < 0.1 ? Math.floor(Math.random() * 9 * minute) : 0), {
          cost_nanousd: randomCost(),
        }),
      )
      await addUsageRows({ sql, now }, rows)
      if (written === batch * 5 || written === batch * 15) {
        await replicas.pop()?.end('SIGKILL')
        replicas.unshift(await startReplica({ url }, startedAt))
      }
      await sleep(5)
    }
    await expect.poll(() => taken.size, { timeout: longMs, interval: 200 }).toBe(count)
    expect(sumOf(taken)).toBe(await sumOfUsage(sql))
    // Nothing is left, nor does anything come later.
    const open = () => sql.selectFrom('meter_events').select('request_id').where('state', '<>', 'sent').execute()
    await expect.poll(open, { timeout: longMs, interval: 200 }).toEqual([])
    const meter = await sql.selectFrom('meters').select(['sent', 'dropped']).executeTakeFirstOrThrow()
    expect({ sent: Number(meter.sent), dropped: Number(meter.dropped) }).toEqual({ sent: count, dropped: 0 })
  },
  longMs,
)

test(
  'a process on SQLite that is killed and started again',
  async () => {
    const folder = temporaryFolder()
    const { startedAt, now } = createClock()
    const [receiver, taken] = [await startReceiver(), new Map<string, string>()]
    receiver.respond(failAtRandom(taken))
    const database = await openEmbedded(folder)
    const place = await addTenant(database.sql)
    await addMeter(database.sql, secretBox, place.tenantId, { url: receiver.url(), at: now() - minute })
    for (let written = 0; written < count; written += batch) {
      const rows = Array.from({ length: batch }, () => usageRow(place, now(), { cost_nanousd: randomCost() }))
      await addUsageRows({ sql: database.sql, now }, rows)
    }
    const sum = await sumOfUsage(database.sql)
    await database.close()
    for (const part of [0.2, 0.6]) {
      const replica = await startReplica({ folder }, startedAt)
      await expect.poll(() => taken.size, { timeout: longMs, interval: 10 }).toBeGreaterThan(count * part)
      await replica.end('SIGKILL')
    }
    await startReplica({ folder }, startedAt)
    await expect.poll(() => taken.size, { timeout: longMs, interval: 100 }).toBe(count)
    expect(sumOf(taken)).toBe(sum)
  },
  longMs,
)
