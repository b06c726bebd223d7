// Opens the embedded database: one file, one process, every acknowledged commit on the disk.
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Kysely } from 'kysely'
import type { Log } from '../domain/log.ts'
import type { Metrics } from '../domain/metrics.ts'
import { StartupProblem } from '../domain/startup-problem.ts'
import { countQueries } from './count-queries.ts'
import { endedUncleanly, type FolderFiles, lockFolder, markEnded, markRunning, prepareFolder } from './data-folder.ts'
import { describeError, isCorruption, isLocked } from './database-errors.ts'
import type { Schema } from './schema.ts'
import { sqliteDialect } from './sqlite-dialect.ts'
import { outerQueryGuard } from './transact.ts'

export interface OpenHandle {
  sql: Kysely<Schema>
  close(): Promise<void>
}

/** Locks the folder, opens the file, and checks it if the last process crashed. */
export function openSqlite(options: { dataDir: string; log: Log; metrics?: Pick<Metrics, 'queryEnded'> }): OpenHandle {
  const files = prepareFolder(options.dataDir, options.log)
  const unlock = lockFolder(files)
  try {
    const db = openFile(files, options.log)
    markRunning(files)
    const log = countQueries(options.metrics)
    const sql = new Kysely<Schema>({ dialect: sqliteDialect(db), plugins: [outerQueryGuard], log })
    return { sql, close: () => close(sql, db, files, unlock) }
  } catch (error) {
    unlock()
    throw asStartupProblem(error, files)
  }
}

/** The settings of one connection, on a file that uses write-ahead logging. */
export function openDurably(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: 5000, enableForeignKeyConstraints: true, defensive: true })
  try {
    db.exec('pragma journal_mode = wal')
    db.exec('pragma synchronous = full')
    // On macOS an ordinary sync returns before the data is on the disk.
    db.exec('pragma fullfsync = on; pragma checkpoint_fullfsync = on')
    db.exec('pragma trusted_schema = off; pragma cell_size_check = on')
    db.exec('pragma journal_size_limit = 67108864')
    // Four times the default: a page that many commits change is copied into the file once.
    db.exec('pragma wal_autocheckpoint = 4000')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** The first lines of what is wrong with the file, or null. */
export function findCorruption(db: DatabaseSync, check: 'quick_check' | 'integrity_check'): string | null {
  const row = db.prepare(`pragma ${check}(1)`).get()
  const words = String(Object.values(row ?? {})[0] ?? 'no answer')
  if (words !== 'ok') return words
  return db.prepare('pragma foreign_key_check').get() === undefined ? null : 'a row refers to one that does not exist'
}

function openFile(files: FolderFiles, log: Log): DatabaseSync {
  const isSuspect = endedUncleanly(files)
  const db = openDurably(files.database)
  if (!isSuspect) return db
  log.warn('the last process crashed, checking the database')
  const damage = findCorruption(db, 'quick_check')
  if (damage === null) return db
  db.close()
  throw damaged(files, damage)
}

async function close(sql: Kysely<Schema>, db: DatabaseSync, files: FolderFiles, unlock: () => void): Promise<void> {
  // Waits for its turn on the connection, so that no transaction is cut off.
  if (db.isOpen) await sql.connection().execute(async () => undefined)
  await sql.destroy()
  markEnded(files)
  unlock()
}

function asStartupProblem(error: unknown, files: FolderFiles): unknown {
  if (error instanceof StartupProblem) return error
  if (isCorruption(error)) return damaged(files, describeError(error))
  if (isLocked(error)) return new StartupProblem(`The database ${files.database} is locked by another program.`, error)
  return new StartupProblem(
    `The database in ${dirname(files.database)} cannot be opened: ${describeError(error)}.`,
    error,
  )
}

function damaged(files: FolderFiles, words: string): StartupProblem {
  return new StartupProblem(
    `The database ${files.database} is corrupt (${words}); replace it by a backup with npm run db:restore.`,
  )
}
