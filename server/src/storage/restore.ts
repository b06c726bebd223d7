// Replaces the embedded database by a backup and keeps the old one aside. At every moment there must be one whole
// database; the folder's lock keeps a server from running meanwhile.
import { chmodSync, copyFileSync, existsSync, linkSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Log } from '../domain/log.ts'
import { StartupProblem } from '../domain/startup-problem.ts'
import { BackupProblem, refuseCorrupt } from './backup.ts'
import { describeError, isCorruption, isLocked } from './database-errors.ts'
import { type FolderFiles, lockFolder, markEnded, prepareFolder, syncFile, syncFolder } from './embedded/data-folder.ts'
import { findPending } from './migrate.ts'
import { allMigrations } from './migrations/all-migrations.ts'

interface RestoreOptions {
  dataDir: string
  file: string
  now: () => number
  log: Log
}

/** Returns the path of the replaced database, or null if there was none. */
export function restore(options: RestoreOptions): string | null {
  const file = resolve(options.file)
  if (!existsSync(file)) throw new BackupProblem(`${file} does not exist.`)
  if (sizeOf(`${file}-wal`) > 0) throw new BackupProblem(`${file} is a database in use, not a finished backup.`)
  const files = prepareFolder(options.dataDir, options.log)
  const unlock = lockFolder(files)
  const incoming = `${files.database}.restoring`
  try {
    copyPrivately(file, incoming)
    becomePlainFile(incoming, file)
    refuseForeign(incoming, file)
    syncFile(incoming)
    const kept = sizeOf(files.database) > 0 ? keepAside(files, options.now()) : null
    renameSync(incoming, files.database)
    syncFolder(dirname(files.database))
    markEnded(files)
    return kept
  } catch (error) {
    if (error instanceof BackupProblem || error instanceof StartupProblem) throw error
    throw new BackupProblem(`The restore failed: ${describeError(error)}.`, error)
  } finally {
    for (const leftover of [incoming, `${incoming}-journal`]) rmSync(leftover, { force: true })
    unlock()
  }
}

/** The copy is private from its first byte on. */
function copyPrivately(file: string, target: string): void {
  rmSync(target, { force: true })
  writeFileSync(target, '', { flag: 'wx', mode: 0o600 })
  copyFileSync(file, target)
  chmodSync(target, 0o600)
}

/** Turns it into a single file without write-ahead log; files beside it can then be deleted. */
function becomePlainFile(path: string, name: string): void {
  let db: DatabaseSync | null = null
  try {
    db = new DatabaseSync(path, { timeout: 5000 })
    const mode = Object.values(db.prepare('pragma journal_mode = delete').get() ?? {})[0]
    if (mode !== 'delete') throw new BackupProblem(`${name} is in use by another program.`)
  } catch (error) {
    if (isCorruption(error)) throw new BackupProblem(`${name} is not a whole database file.`, error)
    if (isLocked(error)) throw new BackupProblem(`${name} is in use by another program.`, error)
    throw error
  } finally {
    db?.close()
  }
}

/** Rejects here what the next start would reject, while the current database is still untouched. */
function refuseForeign(path: string, name: string): void {
  refuseCorrupt(path, name)
  const db = new DatabaseSync(path, { timeout: 5000, readOnly: true })
  try {
    const isOurs = db.prepare("select 1 from sqlite_schema where name = 'schema_migrations'").get() !== undefined
    if (!isOurs) throw new BackupProblem(`${name} is not a backup of this product.`)
    const steps = db.prepare('select name, checksum from schema_migrations order by name').all()
    const applied = steps.map(step => ({ name: String(step['name']), checksum: String(step['checksum']) }))
    findPending(applied, allMigrations, 'sqlite')
  } finally {
    db.close()
  }
}

/** The current database also keeps its own name until the rename that replaces it. */
function keepAside(files: FolderFiles, now: number): string {
  const stamp = new Date(now).toISOString().replace(/[-:.]/g, '')
  const kept = join(dirname(files.database), `sallyport.replaced-${stamp}.db`)
  const log = `${files.database}-wal`
  // SQLite deletes the log of a file that it cannot read.
  if (sizeOf(log) > 0) copyPrivately(log, `${kept}-wal`)
  try {
    if (mergeWriteAheadLog(files)) rmSync(`${kept}-wal`, { force: true })
  } catch (error) {
    rmSync(`${kept}-wal`, { force: true })
    throw error
  }
  // SQLite would take them for files of the restored database.
  for (const leftover of [log, `${files.database}-shm`]) rmSync(leftover, { force: true })
  linkSync(files.database, kept)
  return kept
}

/** Merges the write-ahead log into the file; returns false if the file is too corrupt for it. */
function mergeWriteAheadLog(files: FolderFiles): boolean {
  try {
    becomePlainFile(files.database, files.database)
    return true
  } catch (error) {
    if (error instanceof BackupProblem && isCorruption(error.cause)) return false
    throw error
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
