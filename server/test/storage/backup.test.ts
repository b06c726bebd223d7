import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, inject, it } from 'vitest'
import { backUp } from '../../src/storage/backup.ts'
import { restore } from '../../src/storage/restore.ts'
import { type ServerProcess, startProcess } from '../support/server-process.ts'
import { keepLog, openEmbedded, temporaryFolder } from './fixtures.ts'
import { startChild, waitForLine } from './processes.ts'

interface Outcome {
  code: number | null
  stdout: string
  stderr: string
}

async function startCommand(dataDir: string, args: string[]): Promise<ServerProcess> {
  const script = join(import.meta.dirname, '../../dist/code/database.js')
  return startProcess({
    command: process.execPath,
    args: [script, ...args],
    env: { PATH: process.env.PATH, DATA_DIR: dataDir },
  })
}

async function run(dataDir: string, ...args: string[]): Promise<Outcome> {
  const started = await startCommand(dataDir, args)
  const code = await started.exitCode
  return { code, stdout: started.stdout(), stderr: started.stderr() }
}

function expectRefused(outcome: Outcome, words: string | RegExp): void {
  expect(outcome).toMatchObject({ code: 1, stdout: '' })
  expect(outcome.stderr).toMatch(/^[^\n]+\.\n$/)
  expect(outcome.stderr).toMatch(words)
}

async function folderWith(name: string): Promise<string> {
  const folder = temporaryFolder()
  const database = await openEmbedded(folder)
  await database.sql.insertInto('revisions').values({ name, revision: 1 }).execute()
  await database.close()
  return folder
}

async function namesIn(folder: string): Promise<string[]> {
  const database = await openEmbedded(folder)
  const rows = await database.sql.selectFrom('revisions').select('name').orderBy('name').execute()
  await database.close()
  return rows.map(row => row.name)
}

function acknowledgedBy(writer: ServerProcess): string[] {
  return writer.stdout().match(/^\d+-\d+(?=\n)/gm) ?? []
}

describe('a backup', () => {
  it('is one moment of a database that is written to meanwhile, private, whole and restorable', async () => {
    const folder = temporaryFolder()
    const file = join(temporaryFolder(), 'copy.db')
    const writer = await startChild(['write', folder])
    await waitForLine(writer, 'open')
    await expect.poll(() => acknowledgedBy(writer).length).toBeGreaterThan(0)
    const before = acknowledgedBy(writer)
    expect(await run(folder, 'backup', file)).toMatchObject({ code: 0, stderr: '' })
    const count = acknowledgedBy(writer).length
    expect(count).toBeGreaterThan(before.length)
    await expect.poll(() => acknowledgedBy(writer).length).toBeGreaterThan(count)

    expect((statSync(file).mode & 0o777).toString(8)).toBe('600')
    expect(readdirSync(join(file, '..'))).toEqual(['copy.db'])
    const copy = new DatabaseSync(file)
    const revisions = copy
      .prepare('select name from revisions order by name')
      .all()
      .map(row => row['name'])
    const leases = copy
      .prepare('select name from leases order by name')
      .all()
      .map(row => row['name'])
    copy.close()
    expect(leases).toEqual(revisions)
    expect(before.filter(name => !revisions.includes(name))).toEqual([])

    expectRefused(await run(folder, 'restore', file), 'is in use by another process')
    await writer.end('SIGKILL')
    const restored = await run(folder, 'restore', file)
    expect(restored).toMatchObject({ code: 0, stderr: '' })
    expect(await namesIn(folder)).toEqual(revisions)

    const kept = readdirSync(folder).find(name => name.startsWith('sallyport.replaced-')) ?? ''
    expect(restored.stdout).toContain(join(folder, kept))
    const replaced = new DatabaseSync(join(folder, kept), { readOnly: true })
    const all = new Set(
      replaced
        .prepare('select name from revisions')
        .all()
        .map(row => row['name']),
    )
    replaced.close()
    expect(acknowledgedBy(writer).filter(name => !all.has(name))).toEqual([])
  })

  it('never replaces a file, and leaves none behind when it fails', async () => {
    const folder = await folderWith('a')
    const target = temporaryFolder()
    writeFileSync(join(target, 'letter.txt'), 'dear')
    expectRefused(await run(folder, 'backup', join(target, 'letter.txt')), 'exists already')
    expect(readFileSync(join(target, 'letter.txt'), 'utf8')).toBe('dear')
    expectRefused(await run(folder, 'backup', join(target, 'none', 'copy.db')), 'cannot be written')
    const empty = temporaryFolder()
    expectRefused(await run(empty, 'backup', join(target, 'copy.db')), 'There is no database')
    expect(readdirSync(empty)).toEqual([])
    const damaged = await folderWith('a')
    writeFileSync(join(damaged, 'sallyport.db'), 'no database at all\n'.repeat(1000))
    expectRefused(await run(damaged, 'backup', join(target, 'copy.db')), 'file is not a database')
    expect(readdirSync(target)).toEqual(['letter.txt'])
  })
})

describe('a restore', () => {
  async function backupWith(name: string): Promise<string> {
    const file = join(temporaryFolder(), 'copy.db')
    backUp({ dataDir: await folderWith(name), file })
    return file
  }

  it('fills an empty folder', async () => {
    const folder = join(temporaryFolder(), 'new')
    expect(await run(folder, 'restore', await backupWith('saved'))).toMatchObject({ code: 0, stderr: '' })
    expect(await namesIn(folder)).toEqual(['saved'])
  })

  it('refuses what is no whole backup of this version, and leaves the database in place alone', async () => {
    const folder = await folderWith('in place')
    const good = await backupWith('saved')
    const variant = (name: string, spoil: (file: string) => void): string => {
      const file = join(temporaryFolder(), name)
      copyFileSync(good, file)
      spoil(file)
      return file
    }
    const execute = (statement: string) => (file: string) => {
      const db = new DatabaseSync(file)
      db.exec(statement)
      db.close()
    }
    const junk = variant('junk.db', file => writeFileSync(file, 'no database at all\n'.repeat(1000)))
    const short = variant('short.db', file => truncateSync(file, 20 * 4096))
    const foreign = variant('foreign.db', execute('drop table schema_migrations'))
    const newer = variant('newer.db', execute("insert into schema_migrations values ('9999-later', 'x', 1)"))
    const inUse = variant('in-use.db', file => writeFileSync(`${file}-wal`, 'something'))
    const attempt = (file: string) => () => restore({ dataDir: folder, file, now: Date.now, log: keepLog() })
    expect(attempt(join(folder, 'none.db'))).toThrow('does not exist')
    expect(attempt(junk)).toThrow('not a whole database')
    expect(attempt(short)).toThrow(/corrupt|not a whole database|malformed/)
    expect(attempt(foreign)).toThrow('not a backup of this product')
    expect(attempt(newer)).toThrow('newer than this version')
    expect(attempt(inUse)).toThrow('not a finished backup')
    expect(await namesIn(folder)).toEqual(['in place'])
    expect(readdirSync(folder).filter(name => /replaced|restoring/.test(name))).toEqual([])
  })

  it('replaces a damaged database, which it keeps with all that belongs to it', async () => {
    const folder = await folderWith('in place')
    const file = join(folder, 'sallyport.db')
    writeFileSync(file, 'no database at all\n'.repeat(1000))
    writeFileSync(`${file}-wal`, 'what was written ahead')
    expect(await run(folder, 'restore', await backupWith('saved'))).toMatchObject({ code: 0 })
    expect(await namesIn(folder)).toEqual(['saved'])
    const kept = readdirSync(folder).filter(name => name.startsWith('sallyport.replaced-'))
    expect(kept.map(name => name.replace(/replaced-[^.]+/, 'x')).sort()).toEqual([
      'sallyport.x.db',
      'sallyport.x.db-wal',
    ])
  })

  const kills = inject('prove') ? 20 : 3

  it('leaves the one or the other when it is killed', { timeout: kills * 100_000 }, async () => {
    const backup = await backupWith('saved')
    for (let round = 0; round < kills; round++) {
      const folder = await folderWith('in place')
      const command = await startCommand(folder, ['restore', backup])
      // The copy appears first: the kill falls into what comes after it.
      while (command.isRunning() && !existsSync(join(folder, 'sallyport.db.restoring'))) await sleep(1)
      await sleep(round % 10)
      await command.end('SIGKILL')
      expect(['saved', 'in place']).toContain((await namesIn(folder))[0])
    }
  })
})

describe('the command line', () => {
  it.each([[[]], [['backup']], [['remove', 'x']], [['backup', 'x', 'y']]])('explains itself to %j', async args => {
    const outcome = await run(temporaryFolder(), ...args)
    expect(outcome).toMatchObject({ code: 2, stdout: '' })
    expect(outcome.stderr).toContain('npm run db:backup -- FILE')
  })
})
