// The statements for the file of a day in SQLite: which bring it up to this version, and by which rows wait in it until
// they are entered together, see embedded/day-file.ts.
import { type FileUpgrade, fileUpgrades } from './file-upgrades.ts'
import { requestColumns } from './request-tables.ts'
import { rowSums } from './sums/sum-columns.ts'

/** The thread that runs them does not know them. */
export interface FileStatements {
  /** Keeps a batch as a text, its one parameter: a JSON list of rows. */
  keep: string
  /** Returns a row if the file can keep any. */
  canKeep: string
  /** Returns all texts as `rows`. */
  take: string
  /** Enters a row, whose values are the parameters. */
  enter: string
  /** Deletes all texts. */
  clear: string
  sums: SumStatement
  upgrades: readonly FileUpgrade[]
}

/** How entered rows are added to the sums of their hours. */
export interface SumStatement {
  hourMs: number
  /** Where a row has its time, by which it belongs to an hour. */
  at: number
  /** Where a row has what the rows of a sum agree in, the time included. */
  agreed: readonly number[]
  /** Where it has the numbers to add. */
  added: readonly number[]
  /** Where it has the ranges to count. */
  counted: readonly number[]
  /** Adds a sum: its parameters are what rows agree in, the number of rows, the added numbers and the counts. */
  add: string
}

const columns = Object.keys(requestColumns)

/** A row that is there already stays as it is: it has been added to the sums. */
const enter = `insert into requests (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})
  on conflict do nothing`

export const fileStatements: FileStatements = {
  keep: 'insert into waiting_rows (rows) values (?)',
  canKeep: "select 1 from sqlite_master where name = 'waiting_rows'",
  take: 'select rows from waiting_rows order by rowid',
  enter,
  clear: 'delete from waiting_rows',
  sums: {
    hourMs: rowSums.hourMs,
    at: columns.indexOf('at'),
    agreed: rowSums.agreed.map(name => columns.indexOf(name)),
    added: rowSums.added.map(name => columns.indexOf(name)),
    counted: rowSums.counted.map(name => columns.indexOf(name)),
    add: rowSums.statement,
  },
  upgrades: fileUpgrades,
}
