// The statements by which rows wait in the file of their day in SQLite, until they are entered together: see
// embedded/day-file.ts.
import { requestColumns } from './request-tables.ts'
import { rowSums } from './sum-columns.ts'

/** The thread that runs them does not know them. */
export interface WaitingStatements {
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
}

/** How entered rows are added to the sums of their hours. */
export interface SumStatement {
  hourMs: number
  /** Where a row has its time, by which it belongs to an hour. */
  at: number
  /** Where a row has what the rows of a sum agree in, the time included. */
  values: readonly number[]
  /** Where it has the numbers to add. */
  added: readonly number[]
  /** Adds a sum: its parameters are those values, the number of rows, and the added numbers. */
  add: string
}

const columns = Object.keys(requestColumns)

/** A row that is there already stays as it is: it has been added to the sums. */
const enter = `insert into requests (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})
  on conflict do nothing`

export const waitingStatements: WaitingStatements = {
  keep: 'insert into waiting_rows (rows) values (?)',
  canKeep: "select 1 from sqlite_master where name = 'waiting_rows'",
  take: 'select rows from waiting_rows order by rowid',
  enter,
  clear: 'delete from waiting_rows',
  sums: {
    hourMs: rowSums.hourMs,
    at: columns.indexOf('at'),
    values: rowSums.values.map(name => columns.indexOf(name)),
    added: rowSums.added.map(name => columns.indexOf(name)),
    add: rowSums.statement,
  },
}
