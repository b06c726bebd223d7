import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { slowMigrations } from './child.ts'
import { openEmbedded, temporaryFolder } from './fixtures.ts'
import { describeMigrations } from './migration-contract.ts'
import { startChild } from './processes.ts'

describe('migrations of SQLite', () => {
  describeMigrations(
    async () => {
      const folder = temporaryFolder()
      return { address: folder, open: more => openEmbedded(folder, more) }
    },
    () => (inject('prove') ? 20 : 3),
  )

  it('lets one of three processes that start at once apply them, and refuses the others', async () => {
    const folder = temporaryFolder()
    const children = await Promise.all([1, 2, 3].map(() => startChild(['hold', folder])))
    while (children.filter(child => child.isRunning()).length > 1) await new Promise(resolve => setTimeout(resolve, 20))
    for (const child of children.filter(one => !one.isRunning()))
      expect(child.stderr()).toContain('is in use by another')
    await Promise.all(children.map(child => child.end('SIGKILL')))
    await openEmbedded(folder)
  })

  it('applies each once even without that lock', async () => {
    const file = join(temporaryFolder(), 'unlocked.db')
    const children = await Promise.all([1, 2, 3].map(() => startChild(['migrate-unlocked', file])))
    expect(await Promise.all(children.map(child => child.exitCode))).toEqual([0, 0, 0])
    const applied = children.flatMap(child => child.stdout().match(/applying a migration \d+/g) ?? [])
    expect(applied.sort()).toEqual(
      slowMigrations()
        .map((_, index) => `applying a migration ${index + 1}`)
        .sort(),
    )
  })
})
