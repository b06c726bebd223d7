// One file of a day of the request log. Rows arrive in small batches whose places in the file are far apart, and each
// commit would write all pages around them. So a batch is first kept as one text, and the texts are entered together,
// sorted: once a second, when there are many, and before anything else uses the file.

import type { FileStatements } from '../request-log/file-statements.ts'
import type { FileUpgrade } from '../request-log/file-upgrades.ts'
import type { DatabaseFile } from './database-file.ts'
import { type Row, RowSums } from './row-sums.ts'

const maxWaitingMs = 1_000
/** In characters: about 2,000 rows, whose entry takes some 40 ms of this thread. */
const maxWaiting = 1_000_000

export class DayFile {
  readonly #file: DatabaseFile
  readonly #statements: FileStatements
  /** How many characters wait. A file that a killed process leaves may have some. */
  #waiting: number
  #timer: NodeJS.Timeout | undefined
  /** Told to the next statement: an entry by the timer, or before a transaction, has nobody to tell. */
  #failure: unknown = null
  /** Rows that cannot be entered, until the next batch reports them. */
  #dropped = 0

  /** Brings a file up to this version that an earlier one began. */
  constructor(file: DatabaseFile, statements: FileStatements) {
    for (const upgrade of statements.upgrades) apply(file, upgrade)
    this.#file = file
    this.#statements = statements
    this.#waiting = file.run(statements.canKeep, []).rows.length === 0 ? 0 : maxWaiting
  }

  get isInTransaction(): boolean {
    return this.#file.isInTransaction
  }

  run(sql: string, parameters: readonly unknown[]): ReturnType<DatabaseFile['run']> {
    if (sql === this.#statements.keep) return this.#keep(sql, parameters)
    this.#enter()
    return this.#file.run(sql, parameters)
  }

  /** Does not throw, like that of the file. */
  begin(): void {
    this.#enterQuietly()
    this.#file.begin()
  }

  commit(): void {
    this.#file.commit()
  }

  rollBack(): void {
    this.#file.rollBack()
  }

  /** What cannot be entered now is kept in the file until it is opened again. */
  close(): void {
    this.#enterQuietly()
    this.discard()
  }

  /** Closes it without entering what waits. */
  discard(): void {
    clearTimeout(this.#timer)
    this.#file.close()
  }

  #keep(sql: string, parameters: readonly unknown[]): ReturnType<DatabaseFile['run']> {
    const result = this.#file.run(sql, parameters)
    this.#waiting += String(parameters[0]).length
    if (this.#waiting >= maxWaiting) this.#enterQuietly()
    else this.#timer ??= setTimeout(() => this.#enterQuietly(), maxWaitingMs)
    const dropped = this.#dropped
    this.#dropped = 0
    return dropped === 0 ? result : { ...result, rows: [{ dropped }] }
  }

  /** Tries again what failed before: only the last failure is told. */
  #enterQuietly(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#failure = null
    try {
      this.#enter()
    } catch (error) {
      this.#failure = error
    }
  }

  #enter(): void {
    const failure = this.#failure
    this.#failure = null
    if (failure !== null) throw failure
    if (this.#waiting === 0 || this.#file.isInTransaction) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    const { take, clear } = this.#statements
    const texts = this.#file.run(take, []).rows.map(({ rows }) => JSON.parse(String(rows)) as Row[])
    const rows = texts.flat().sort(byPlace)
    try {
      inTransaction(this.#file, () => {
        this.#enterRows(rows)
        this.#file.run(clear, [])
      })
    } catch (error) {
      if (!isOfRow(error)) throw error
      this.#enterApart(rows)
      inTransaction(this.#file, () => this.#file.run(clear, []))
    }
    this.#waiting = 0
  }

  #enterRows(rows: readonly Row[]): void {
    const { enter, sums } = this.#statements
    const entered = new RowSums(sums)
    for (const row of rows) if (this.#file.run(enter, row).affected === 1) entered.add(row)
    for (const parameters of entered.parameters()) this.#file.run(sums.add, parameters)
  }

  /** One that cannot be entered must not keep the others out. */
  #enterApart(rows: readonly Row[]): void {
    for (const row of rows) {
      try {
        inTransaction(this.#file, () => this.#enterRows([row]))
      } catch (error) {
        if (!isOfRow(error)) throw error
        this.#dropped++
      }
    }
  }
}

/** Of SQLite: too large, breaks a rule of its column, another type, more values than columns. */
const codesOfRow: ReadonlySet<unknown> = new Set([18, 19, 20, 25])

/** Whether it is the row that cannot be entered. A value that cannot be bound is an error of the runtime. */
function isOfRow(error: unknown): boolean {
  const { errcode = 0 } = error as { errcode?: number }
  return error instanceof TypeError || codesOfRow.has(errcode & 0xff)
}

function apply(file: DatabaseFile, { find, statements }: FileUpgrade): void {
  if (file.run(find, []).rows.length === 0) return
  inTransaction(file, () => {
    for (const statement of statements) file.run(statement, [])
  })
}

function inTransaction(file: DatabaseFile, work: () => void): void {
  file.begin()
  try {
    work()
    file.commit()
  } catch (error) {
    file.rollBack()
    throw error
  }
}

/** Rows begin with their key. */
function byPlace([project, id]: Row, [otherProject, otherId]: Row): number {
  if (project !== otherProject) return String(project) < String(otherProject) ? -1 : 1
  return String(id) < String(otherId) ? -1 : 1
}
