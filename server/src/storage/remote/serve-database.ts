// Serves this process's embedded database to another process of the machine over a link: single statements, and
// transactions that hold the one connection until they end. Rolls back what is open when the link closes.
import { CompiledQuery, type ControlledTransaction, type Kysely } from 'kysely'
import type { Log } from '../../domain/log.ts'
import type { Link } from '../../sockets/link.ts'
import type { CarriedResult } from '../carried/carried-result.ts'
import { carryRow, uncarry } from '../carried/carried-values.ts'
import type { Schema } from '../schema.ts'

interface OpenTransaction {
  handle: ControlledTransaction<Schema>
  /** Ends it if its process sends nothing: all others wait for the one connection. */
  idleTimer: NodeJS.Timeout
}

/** As for connections of PostgreSQL. */
const maxIdleMs = 15_000

export function serveDatabase(link: Link, sql: Kysely<Schema>, log: Log): void {
  const served = new ServedDatabase(sql, log)
  link.serve({
    begin: () => served.begin(),
    query: (...args: Parameters<ServedDatabase['query']>) => served.query(...args),
    commit: (number: number) => served.commit(number),
    rollBack: (number: number) => served.rollBack(number),
  })
  void link.closed.then(() => served.end())
}

class ServedDatabase {
  readonly #sql: Kysely<Schema>
  readonly #log: Log
  readonly #open = new Map<number, OpenTransaction>()
  #lastNumber = 0
  #hasEnded = false

  constructor(sql: Kysely<Schema>, log: Log) {
    this.#sql = sql
    this.#log = log
  }

  async begin(): Promise<number> {
    const handle = await this.#sql.startTransaction().execute()
    this.#lastNumber += 1
    const number = this.#lastNumber
    const idleTimer = setTimeout(() => void this.rollBack(number), maxIdleMs).unref()
    this.#open.set(number, { handle, idleTimer })
    // The other process ended while its transaction waited for the connection.
    if (this.#hasEnded) await this.rollBack(number)
    return number
  }

  async query(number: number | null, text: string, carried: readonly unknown[]): Promise<CarriedResult> {
    const executor = number === null ? this.#sql : this.#find(number)
    const statement = CompiledQuery.raw(text, carried.map(uncarry))
    const { rows, numAffectedRows } = await executor.executeQuery<Record<string, unknown>>(statement)
    return { rows: rows.map(carryRow), affected: numAffectedRows === undefined ? null : Number(numAffectedRows) }
  }

  async commit(number: number): Promise<void> {
    try {
      await this.#find(number).commit().execute()
      clearTimeout(this.#open.get(number)?.idleTimer)
      this.#open.delete(number)
    } catch (error) {
      // A commit that fails keeps the connection.
      await this.rollBack(number)
      throw error
    }
  }

  async rollBack(number: number): Promise<void> {
    const transaction = this.#open.get(number)
    clearTimeout(transaction?.idleTimer)
    this.#open.delete(number)
    try {
      await transaction?.handle.rollback().execute()
    } catch (error) {
      this.#log.error('a transaction of another process was not rolled back', { error })
    }
  }

  async end(): Promise<void> {
    this.#hasEnded = true
    await Promise.all([...this.#open.keys()].map(number => this.rollBack(number)))
  }

  #find(number: number): ControlledTransaction<Schema> {
    const transaction = this.#open.get(number)
    if (transaction === undefined) throw new Error('the transaction has ended')
    transaction.idleTimer.refresh()
    return transaction.handle
  }
}
