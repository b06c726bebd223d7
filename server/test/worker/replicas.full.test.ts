// Several copies of the worker on one PostgreSQL, each a process of its own: one at a time, and the next when one dies.
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { beforeEach, expect, inject, onTestFinished, test } from 'vitest'
import { createDatabase } from '../support/postgres.ts'
import { type ServerProcess, startProcess } from '../support/server-process.ts'
import { roomFor } from '../support/slowness.ts'

interface Note {
  holder: string
  what: 'begin' | 'end'
  at: number
}

const leaseMs = 2_000
let databaseUrl: string
let pool: pg.Pool

beforeEach(async () => {
  databaseUrl = await createDatabase(inject('postgresUrl'))
  pool = new pg.Pool({ connectionString: databaseUrl, max: 1 })
  await pool.query('create table notes (id serial primary key, holder text, what text, at bigint)')
  return () => pool.end()
})

/** In the order in which they were written. */
async function readNotes(): Promise<Note[]> {
  const { rows } = await pool.query<{ holder: string; what: Note['what']; at: string }>(
    'select * from notes order by id',
  )
  return rows.map(row => ({ ...row, at: Number(row.at) }))
}

const endsIn = async () => (await readNotes()).filter(note => note.what === 'end').length

async function startCopy(holder: string, times: { jobMs: number; everyMs: number }): Promise<ServerProcess> {
  const args = [fileURLToPath(new URL('./replica.ts', import.meta.url)), databaseUrl, holder]
  const copy = await startProcess({
    command: process.execPath,
    args: [...args, String(times.jobMs), String(times.everyMs), String(leaseMs)],
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
  })
  onTestFinished(async () => {
    await copy.end('SIGKILL')
  })
  return copy
}

const runs = inject('prove') ? 50 : 12
const kills = inject('prove') ? 10 : 1

test('a job runs in one of three copies at a time, and once an interval', async () => {
  const startedAt = Date.now()
  const copies = await Promise.all(['a', 'b', 'c'].map(holder => startCopy(holder, { jobMs: 150, everyMs: 300 })))
  await expect.poll(endsIn, { interval: 100 }).toBeGreaterThanOrEqual(runs)
  const tookMs = Date.now() - startedAt
  await Promise.all(copies.map(copy => copy.end('SIGKILL')))
  const notes = await readNotes()
  for (let index = 0; index + 1 < notes.length; index += 2) {
    expect(notes[index]).toMatchObject({ what: 'begin' })
    expect(notes[index + 1]).toMatchObject({ what: 'end', holder: notes[index]?.holder })
  }
  // Each run takes 150 ms and rests at least 240.
  expect(tookMs).toBeGreaterThan((runs - 1) * 390)
})

test('a copy that is killed in the middle of a job is replaced within the lease', {
  timeout: 300_000 + kills * 15_000,
}, async () => {
  for (let kill = 0; kill < kills; kill++) {
    await pool.query('truncate notes')
    const first = await startCopy(`first ${kill}`, { jobMs: 60_000, everyMs: 300 })
    await expect.poll(readNotes).toHaveLength(1)
    const second = await startCopy(`second ${kill}`, { jobMs: 10, everyMs: 300 })
    // Longer than the lease: it was renewed, or the second would have begun.
    await sleep(leaseMs * 1.5)
    expect(await readNotes()).toHaveLength(1)
    const killedAt = Date.now()
    await first.end('SIGKILL')
    await expect.poll(async () => (await readNotes()).length, { interval: 20 }).toBeGreaterThan(1)
    const [, next] = await readNotes()
    expect(next).toMatchObject({ holder: `second ${kill}`, what: 'begin' })
    console.info(`replaced ${(next?.at ?? 0) - killedAt} ms after the kill, with a lease of ${leaseMs} ms`)
    expect((next?.at ?? 0) - killedAt).toBeLessThan(roomFor(leaseMs + 1_500))
    await second.end('SIGKILL')
  }
})
