// One connection to the file of the embedded database: its settings, its prepared statements and its transaction.
// Loads nothing but the runtime: the thread that uses the file loads every import a second time.
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import type { CarriedResult } from '../carried/carried-result.ts'

interface Prepared {
  statement: StatementSync
  returnsRows: boolean
}

/** Lists in `in (…)` create statements of many lengths; this limits what they cost. */
const maxStatements = 500

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
    // In KiB, four times the default: a batch of usage rows of hundreds of projects changes more than 2 MB of pages.
    db.exec('pragma cache_size = -8000')
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

/** A transaction takes the write lock at its beginning, and fails as a whole at its first error, as on PostgreSQL. */
export class DatabaseFile {
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, Prepared>()
  #isInTransaction = false
  /** Why the open transaction can only be rolled back. */
  #failure: unknown = null

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  get isInTransaction(): boolean {
    return this.#isInTransaction
  }

  run(sql: string, parameters: readonly unknown[]): CarriedResult {
    if (this.#failure !== null) throw this.#failure
    try {
      const { statement, returnsRows } = this.#prepare(sql)
      // SQLite rejects what it cannot bind.
      const values = parameters as SQLInputValue[]
      if (returnsRows) return { rows: statement.all(...values), affected: null }
      return { rows: [], affected: Number(statement.run(...values).changes) }
    } catch (error) {
      if (this.#isInTransaction) this.#failure = error
      throw error
    }
  }

  /** Does not throw: if it fails, so do the statements of the transaction, and its commit. */
  begin(): void {
    this.#isInTransaction = true
    try {
      this.#db.exec('begin immediate')
    } catch (error) {
      this.#failure = error
    }
  }

  commit(): void {
    if (this.#failure !== null) throw this.#failure
    this.#db.exec('commit')
    this.#isInTransaction = false
  }

  /** A full disk ends the transaction by itself; a rollback of no transaction must not hide that error. */
  rollBack(): void {
    this.#isInTransaction = false
    this.#failure = null
    if (this.#db.isTransaction) this.#db.exec('rollback')
  }

  close(): void {
    this.#statements.clear()
    this.#db.close()
  }

  #prepare(sql: string): Prepared {
    const known = this.#statements.get(sql)
    if (known !== undefined) {
      // Moves it to the end, so that the first is the least recently used.
      this.#statements.delete(sql)
      this.#statements.set(sql, known)
      return known
    }
    const statement = this.#db.prepare(sql)
    const prepared = { statement, returnsRows: statement.columns().length > 0 }
    this.#statements.set(sql, prepared)
    if (this.#statements.size > maxStatements) this.#statements.delete(this.#statements.keys().next().value ?? '')
    return prepared
  }
}
