import { sql as text } from 'kysely'
import { describe, expect, it } from 'vitest'
import { describeStorage } from './contract.ts'
import { openMigrated, temporaryFolder } from './fixtures.ts'
import { startChild } from './processes.ts'

describe('SQLite', () => {
  describeStorage(() => openMigrated())

  it('writes ahead, syncs fully and checks references', async () => {
    const { sql } = await openMigrated()
    const ask = async (pragma: string): Promise<unknown> =>
      Object.values((await text.raw<Record<string, unknown>>(`pragma ${pragma}`).execute(sql)).rows[0] ?? {})[0]
    expect(await ask('journal_mode')).toBe('wal')
    expect(await ask('synchronous')).toBe(2)
    expect(await ask('foreign_keys')).toBe(1)
    expect(await ask('busy_timeout')).toBe(5000)
    expect(await ask('wal_autocheckpoint')).toBe(4000)
    expect(await ask('cache_size')).toBe(-8000)
  })

  it('lets the event loop turn while a statement runs', async () => {
    const { sql } = await openMigrated()
    let isRunning = true
    const counted = text`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 1000000)
      select count(*) from numbers`
      .execute(sql)
      .finally(() => {
        isRunning = false
      })
    let turns = 0
    for (; isRunning; turns++) await new Promise(resolve => setImmediate(resolve))
    await counted
    expect(turns).toBeGreaterThan(10)
  })

  it('ends the process if the thread of the database fails', async () => {
    const child = await startChild(['exhaust', temporaryFolder()], ['env', 'NODE_OPTIONS=--max-old-space-size=64'])
    expect(await child.exitCode).not.toBe(0)
    expect(child.stderr()).toContain('ERR_WORKER_OUT_OF_MEMORY')
    expect(child.stdout()).toMatch(/open\n$/)
  })

  it('keeps working past its store of prepared statements', async () => {
    const { sql } = await openMigrated()
    for (let length = 1; length <= 700; length++) {
      const names = Array.from({ length }, (_, index) => `${index}`)
      await sql.selectFrom('revisions').selectAll().where('name', 'in', names).execute()
    }
    await expect(sql.selectFrom('revisions').selectAll().where('name', 'in', ['0']).execute()).resolves.toEqual([])
  })
})
