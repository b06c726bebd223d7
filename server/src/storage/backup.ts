// Copies the embedded database while it is in use: one consistent snapshot, checked before it counts. The copy does not
// contain the secrets.
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describeError } from './database-errors.ts'
import { filesIn, syncFile, syncFolder } from './embedded/data-folder.ts'
import { findCorruption } from './embedded/database-file.ts'

/** Why a backup or a restore failed, in one sentence for the operator. */
export class BackupProblem extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'BackupProblem'
  }
}

/** Writes the copy to `file`, which must not exist; an unfinished copy never has that name. */
export function backUp(options: { dataDir: string; file: string }): void {
  const { database } = filesIn(options.dataDir)
  const file = resolve(options.file)
  if (!existsSync(database)) throw new BackupProblem(`There is no database in ${dirname(database)}.`)
  if (existsSync(file)) throw new BackupProblem(`${file} exists already.`)
  const partial = `${file}.partial`
  try {
    // SQLite writes into an existing empty file and keeps its mode.
    writeFileSync(partial, '', { flag: 'wx', mode: 0o600 })
  } catch (error) {
    throw new BackupProblem(`${partial} cannot be written: ${describeError(error)}.`, error)
  }
  try {
    copyInto(database, partial)
    refuseCorrupt(partial, 'The copy')
    syncFile(partial)
    renameSync(partial, file)
    syncFolder(dirname(file))
  } catch (error) {
    rmSync(partial, { force: true })
    if (error instanceof BackupProblem) throw error
    throw new BackupProblem(`The backup failed: ${describeError(error)}.`, error)
  }
}

/** Reads the whole file; a corrupt copy must not count as a backup. */
export function refuseCorrupt(file: string, name: string): void {
  const db = new DatabaseSync(file, { timeout: 5000, readOnly: true })
  try {
    const damage = findCorruption(db, 'integrity_check')
    if (damage !== null) throw new BackupProblem(`${name} is corrupt: ${damage}.`)
  } finally {
    db.close()
  }
}

/** One read transaction, so that writers continue and the copy is of one moment. */
function copyInto(database: string, target: string): void {
  const db = new DatabaseSync(database, { timeout: 5000 })
  try {
    db.prepare('vacuum into ?').run(target)
  } finally {
    db.close()
  }
}
