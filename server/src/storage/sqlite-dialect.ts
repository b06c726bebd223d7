// Kysely's SQLite dialect on node:sqlite: statements are prepared once, and transactions take the write lock at their
// beginning.
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { type SqliteDatabase, SqliteDialect, type SqliteStatement } from 'kysely'
import { asUnavailable } from './database-errors.ts'
import { refuseNul } from './refuse-nul.ts'

/** Lists in `in (…)` create statements of many lengths; this limits what they cost. */
const maxStatements = 500

export function sqliteDialect(db: DatabaseSync): SqliteDialect {
  const statements = new Map<string, SqliteStatement>()
  const database: SqliteDatabase = {
    prepare(sql) {
      const known = statements.get(sql)
      if (known !== undefined) {
        // Moves it to the end, so that the first is the least recently used.
        statements.delete(sql)
        statements.set(sql, known)
        return known
      }
      const statement = prepareStatement(db, sql)
      statements.set(sql, statement)
      if (statements.size > maxStatements) statements.delete(statements.keys().next().value ?? '')
      return statement
    },
    close() {
      statements.clear()
      if (db.isOpen) db.close()
    },
  }
  return new SqliteDialect({ database })
}

function prepareStatement(db: DatabaseSync, sql: string): SqliteStatement {
  if (sql === 'rollback') return rollback(db)
  const statement = guard(() => db.prepare(sql === 'begin' ? 'begin immediate' : sql))
  return {
    reader: statement.columns().length > 0,
    all: parameters => guard(() => statement.all(...accepted(parameters))),
    run: parameters => guard(() => statement.run(...accepted(parameters))),
    iterate: parameters => iterate(statement, parameters),
  }
}

/** A full disk ends the transaction by itself; a rollback of no transaction must not hide that error. */
function rollback(db: DatabaseSync): SqliteStatement {
  const run = (): { changes: number; lastInsertRowid: number } => {
    if (db.isOpen && db.isTransaction) guard(() => db.exec('rollback'))
    return { changes: 0, lastInsertRowid: 0 }
  }
  return { reader: false, all: () => [], run, iterate: () => [].values() }
}

function* iterate(statement: StatementSync, parameters: readonly unknown[]): IterableIterator<unknown> {
  const rows = guard(() => statement.iterate(...accepted(parameters)))
  yield* rows
}

function accepted(parameters: readonly unknown[]): SQLInputValue[] {
  refuseNul(parameters)
  // Kysely types parameters as unknown; node:sqlite itself rejects what it cannot bind.
  return parameters as SQLInputValue[]
}

function guard<T>(action: () => T): T {
  try {
    return action()
  } catch (error) {
    throw asUnavailable(error)
  }
}
