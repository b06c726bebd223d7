// The files of the days of the request log: opened when they are used, a few at a time. A commit here is not synced to
// the disk: after a power failure the last rows may be missing, but no file is damaged. Loads nothing but the runtime
// and the thread's own files.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { FileStatements } from '../request-log/file-statements.ts'
import { DatabaseFile } from './database-file.ts'
import { DayFile } from './day-file.ts'

/**
 * More than the days that are kept by default, with those of content: a list that goes through all of them would
 * otherwise open each one again.
 */
const maxOpen = 48
/** In KiB. Most reads and all writes are in the newest files. */
const cacheOfNewest = 8_000
const cacheOfOthers = 500
const newest = 3

const extensions = ['', '-wal', '-shm']

export class DayFileCache {
  readonly #folder: string
  readonly #statements: FileStatements
  readonly #open = new Map<string, DayFile>()

  constructor(folder: string, statements: FileStatements) {
    this.#folder = folder
    this.#statements = statements
  }

  /** Creates the file if it is missing. */
  open(day: string): DayFile {
    const known = this.#open.get(day)
    if (known !== undefined) {
      // Moves it to the end, so that the first is the least recently used.
      this.#open.delete(day)
      this.#open.set(day, known)
      return known
    }
    const file = new DayFile(new DatabaseFile(this.#openFile(day)), this.#statements)
    this.#open.set(day, file)
    this.#closeUnused()
    return file
  }

  drop(day: string): void {
    this.#open.get(day)?.discard()
    this.#open.delete(day)
    for (const extension of extensions) rmSync(this.#pathOf(day) + extension, { force: true })
  }

  close(): void {
    for (const file of this.#open.values()) file.close()
    this.#open.clear()
  }

  #closeUnused(): void {
    for (const [day, file] of this.#open) {
      if (this.#open.size <= maxOpen) return
      if (file.isInTransaction) continue
      file.close()
      this.#open.delete(day)
    }
  }

  #openFile(day: string): DatabaseSync {
    const path = this.#pathOf(day)
    if (!existsSync(path)) {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
      writeFileSync(path, '', { flag: 'wx', mode: 0o600 })
    }
    const db = new DatabaseSync(path, { timeout: 5000, defensive: true })
    try {
      db.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma trusted_schema = off')
      db.exec('pragma journal_size_limit = 67108864; pragma wal_autocheckpoint = 4000')
      db.exec(`pragma cache_size = -${this.#isNewest(day) ? cacheOfNewest : cacheOfOthers}`)
      return db
    } catch (error) {
      db.close()
      throw error
    }
  }

  /** Days are opened in any order: a file that is opened when it is new is closed again some days later. */
  #isNewest(day: string): boolean {
    const names = [...this.#open.keys()].filter(name => name.length === day.length)
    return names.filter(name => name > day).length < newest
  }

  #pathOf(day: string): string {
    return join(this.#folder, `${day}.db`)
  }
}
