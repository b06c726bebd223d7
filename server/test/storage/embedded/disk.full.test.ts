// What reaches the disk, and what is acknowledged when the disk fails: seen and caused at the system calls.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findStrace } from '../../support/programs/strace.ts'
import { openEmbedded, temporaryFolder } from '../fixtures.ts'
import { startChild } from '../processes.ts'

const strace = findStrace() ?? 'strace'

async function countSyncs(commits: number): Promise<number> {
  const folder = temporaryFolder()
  const report = join(folder, 'syncs.txt')
  const tracer = [strace, '-f', '-o', report, '-e', 'trace=fsync,fdatasync']
  const child = await startChild(['commit', join(folder, 'data'), String(commits)], tracer)
  expect(await child.exitCode, child.stderr()).toBe(0)
  expect(child.stdout()).toContain(`committed ${commits}`)
  return readFileSync(report, 'utf8').match(/f(data)?sync\(.*= 0$/gm)?.length ?? 0
}

/** What a writer says for whom some calls fail for a while; the schema is there before. */
async function writeThroughFaults(folder: string, faults: string): Promise<string> {
  const first = await startChild(['commit', folder, '0'])
  expect(await first.exitCode, first.stderr()).toBe(0)
  const tracer = [strace, '-f', '-qq', '-o', '/dev/null', '-e', `inject=${faults}`]
  const child = await startChild(['write', folder, '200'], tracer)
  expect(await child.exitCode, child.stderr()).toBe(0)
  return child.stdout()
}

describe('the disk under SQLite', () => {
  it('is synced at least once for every acknowledged commit', async () => {
    const commits = 100
    const idle = await countSyncs(0)
    const busy = await countSyncs(commits)
    expect(busy - idle).toBeGreaterThanOrEqual(commits)
  })

  it.each([
    ['syncs fail', 'fdatasync,fsync:error=EIO:when=60..70'],
    ['it is full', 'pwrite64:error=ENOSPC:when=200..240'],
  ])('has every row that was acknowledged when %s for a while, and refuses the others', async (_, faults) => {
    const folder = temporaryFolder()
    const said = await writeThroughFaults(folder, faults)
    expect(said).toMatch(/\n\d+-\d+\nfailed: database_unavailable\n(.+\n)*\d+-\d+\n/)
    expect(new Set(said.match(/failed: .*/g))).toEqual(new Set(['failed: database_unavailable']))
    const acknowledged = said.match(/^\d+-\d+$/gm) ?? []
    const { sql } = await openEmbedded(folder)
    const rows = await sql.selectFrom('revisions').select('name').execute()
    const present = new Set(rows.map(row => row.name))
    expect(acknowledged.length).toBeGreaterThan(100)
    expect(acknowledged.filter(name => !present.has(name))).toEqual([])
  })
})
