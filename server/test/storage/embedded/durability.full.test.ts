// What was acknowledged is there after a kill, whenever it falls.
import { sql as text } from 'kysely'
import { describe, expect, inject, it } from 'vitest'
import type { Database } from '../../../src/storage/open-database.ts'
import { waitUntilReady } from '../../support/server-process.ts'
import { roomFor } from '../../support/slowness.ts'
import { openEmbedded, temporaryFolder } from '../fixtures.ts'
import { startChild } from '../processes.ts'

/** Writes until the kill, which falls after the first acknowledgement; returns what it had acknowledged by then. */
async function writeAndKill(folder: string): Promise<string[]> {
  const writer = await startChild(['write', folder])
  await waitUntilReady(writer, () => /^\d+-\d+$/m.test(writer.stdout()), 60_000)
  await new Promise(resolve => setTimeout(resolve, Math.random() * 300))
  await writer.end('SIGKILL')
  const whole = writer.stdout().slice(0, writer.stdout().lastIndexOf('\n'))
  expect(whole).not.toContain('failed')
  return whole.split('\n').filter(line => /^\d+-\d+$/.test(line))
}

export async function expectWhole(database: Database, acknowledged: readonly string[]): Promise<void> {
  const { rows } = await text`pragma integrity_check`.execute(database.sql)
  expect(rows).toEqual([{ integrity_check: 'ok' }])
  const revisions = await database.sql.selectFrom('revisions').select('name').orderBy('name').execute()
  const leases = await database.sql.selectFrom('leases').select('name').orderBy('name').execute()
  expect(leases).toEqual(revisions)
  const present = new Set(revisions.map(row => row.name))
  expect(acknowledged.filter(name => !present.has(name))).toEqual([])
}

describe('durability of SQLite', () => {
  const cycles = inject('prove') ? 50 : 3

  it(`loses no acknowledged row in ${cycles} kills`, { timeout: cycles * 100_000 }, async () => {
    const folder = temporaryFolder()
    const acknowledged: string[] = []
    for (let cycle = 0; cycle < cycles; cycle++) {
      acknowledged.push(...(await writeAndKill(folder)))
      // Every third time the next writer itself meets what the kill left.
      if (cycle % 3 === 1 && cycle < cycles - 1) continue
      const start = performance.now()
      const database = await openEmbedded(folder)
      expect(performance.now() - start).toBeLessThan(roomFor(3000))
      await expectWhole(database, acknowledged)
      await database.close()
    }
  })
})
