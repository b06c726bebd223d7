import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { StartupProblem } from '../../../src/domain/startup-problem.ts'
import { keepLog, openEmbedded, sampleRows, temporaryFolder } from '../fixtures.ts'
import { startChild, waitForLine } from '../processes.ts'

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8)
}

async function startupProblem(action: Promise<unknown>): Promise<string> {
  const error: unknown = await action.then(
    () => null,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(StartupProblem)
  const { message } = error as StartupProblem
  expect(message).toMatch(/^[^\n]+\.$/)
  return message
}

describe('the data folder', () => {
  it('is for the owner alone, with every file in it, whatever the umask', async () => {
    const before = process.umask(0)
    try {
      const folder = join(temporaryFolder(), 'a', 'data')
      const { sql } = await openEmbedded(folder)
      await sql.insertInto('revisions').values({ name: 'a', revision: 1 }).execute()
      expect(modeOf(folder)).toBe('700')
      for (const name of ['.db', '.db-wal', '.db-shm', '.lock.db', '.running']) {
        expect(modeOf(join(folder, `sallyport${name}`)), name).toBe('600')
      }
    } finally {
      process.umask(before)
    }
  })

  it('is closed to others again where it is ours, and left alone with a warning where it is not', async () => {
    const ours = temporaryFolder()
    await (await openEmbedded(ours)).close()
    chmodSync(ours, 0o755)
    chmodSync(join(ours, 'sallyport.db'), 0o644)
    await openEmbedded(ours)
    expect(modeOf(ours)).toBe('700')
    expect(modeOf(join(ours, 'sallyport.db'))).toBe('600')

    const theirs = temporaryFolder()
    writeFileSync(join(theirs, 'letter.txt'), '')
    chmodSync(theirs, 0o755)
    const log = keepLog()
    await openEmbedded(theirs, { log })
    expect(modeOf(theirs)).toBe('755')
    expect(log.lines).toContain('the data folder is open to other users, restrict its permissions')
  })

  it('leaves nothing but the database behind after an orderly end', async () => {
    const folder = temporaryFolder()
    const database = await openEmbedded(folder)
    await database.sql.insertInto('users').values(sampleRows.users[0]).execute()
    await database.close()
    for (const name of ['.db-wal', '.db-shm', '.running']) {
      expect(existsSync(join(folder, `sallyport${name}`)), name).toBe(false)
    }
  })

  it('says what is wrong with a folder that cannot be used', async () => {
    const file = join(temporaryFolder(), 'file')
    writeFileSync(file, '')
    expect(await startupProblem(openEmbedded(join(file, 'data')))).toContain('cannot be used')
    const blocked = temporaryFolder()
    mkdirSync(join(blocked, 'sallyport.db'))
    expect(await startupProblem(openEmbedded(blocked))).toContain('cannot be opened')
  })
})

describe('the lock', () => {
  it('refuses a second process, and lets it in after a kill of the first', async () => {
    const folder = temporaryFolder()
    const first = await startChild(['hold', folder])
    await waitForLine(first, 'open')
    const second = await startChild(['hold', folder])
    expect(await second.exitCode).toBe(1)
    expect(second.stderr()).toBe(`The data folder ${folder} is in use by another process.\n`)
    await first.end('SIGKILL')
    const third = await startChild(['hold', folder])
    await waitForLine(third, 'open')
  })

  it('refuses a second opening in the same process, and leaves the first one its lock', async () => {
    const folder = temporaryFolder()
    const { ping } = await openEmbedded(folder)
    expect(await startupProblem(openEmbedded(folder))).toContain('is in use by another process')
    const other = await startChild(['hold', folder])
    expect(await other.exitCode).toBe(1)
    await ping()
  })

  it('is given back by a close and by a refused start', async () => {
    const folder = temporaryFolder()
    await (await openEmbedded(folder)).close()
    await startupProblem(openEmbedded(folder, { migrations: [] }))
    await (await openEmbedded(folder)).close()
  })
})

describe('after an unclean end', () => {
  async function leaveUnclean(folder: string): Promise<void> {
    const writer = await startChild(['write', folder])
    await waitForLine(writer, 'open')
    await new Promise(resolve => setTimeout(resolve, 100))
    await writer.end('SIGKILL')
  }

  it('checks the file, and only then', async () => {
    const folder = temporaryFolder()
    await leaveUnclean(folder)
    const log = keepLog()
    await (await openEmbedded(folder, { log })).close()
    expect(log.lines).toContain('the last process crashed, checking the database')
    const calm = keepLog()
    await openEmbedded(folder, { log: calm })
    expect(calm.lines).toEqual([])
  })

  it('refuses a damaged file, and changes nothing', async () => {
    const folder = temporaryFolder()
    await leaveUnclean(folder)
    const file = join(folder, 'sallyport.db')
    const db = new DatabaseSync(file)
    db.exec('pragma wal_checkpoint(truncate)')
    db.close()
    const bytes = readFileSync(file)
    // A page in the middle, so that the header still looks well.
    bytes.fill(0x5a, 8 * 4096, 30 * 4096)
    writeFileSync(file, bytes)
    expect(await startupProblem(openEmbedded(folder))).toMatch(/is corrupt \(.+\); replace it by a backup/)
    expect(readFileSync(file).equals(bytes)).toBe(true)
  })

  it('refuses a file that is no database', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'sallyport.db')
    writeFileSync(file, 'no database at all\n'.repeat(1000))
    expect(await startupProblem(openEmbedded(folder))).toContain('is corrupt (file is not a database)')
    expect(readFileSync(file, 'utf8')).toContain('no database at all')
  })
})
