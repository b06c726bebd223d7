// Serves this process's embedded database to another process of the machine over a link: single statements, and
// transactions that hold the one connection until they end. Rolls back what is open when the link closes.
import { CompiledQuery, type ControlledTransaction, type Kysely } from 'kysely'
import type { Log } from '../../domain/log.ts'
import type { Link } from '../../sockets/link.ts'
import type { CarriedResult } from '../carried/carried-result.ts'
import { carryRow, uncarry } from '../carried/carried-values.ts'
import type { Database } from '../open-database.ts'
import type { RequestDays } from '../request-log/request-days.ts'
import { contentDays as contentKind, type RequestTables } from '../request-log/request-tables.ts'
import type { Schema } from '../schema.ts'

type Served = Pick<Database, 'sql' | 'requestDays' | 'contentDays'>
type Handle = ControlledTransaction<Schema> | ControlledTransaction<RequestTables>

interface OpenTransaction {
  handle: Handle
  /** Ends it if its process sends nothing: all others wait for the one connection. */
  idleTimer: NodeJS.Timeout
}

/** As for connections of PostgreSQL. */
const maxIdleMs = 15_000

export function serveDatabase(link: Link, database: Served, log: Log): void {
  const served = new ServedDatabase(database, log)
  link.serve({
    begin: (day: string | null) => served.begin(day),
    listDays: () => served.listDays(),
    dropDay: (name: string) => served.dropDay(name),
    query: (...args: Parameters<ServedDatabase['query']>) => served.query(...args),
    commit: (number: number) => served.commit(number),
    rollBack: (number: number) => served.rollBack(number),
  })
  void link.closed.then(() => served.end())
}

class ServedDatabase {
  readonly #database: Served
  readonly #log: Log
  readonly #open = new Map<number, OpenTransaction>()
  #lastNumber = 0
  #hasEnded = false

  constructor(database: Served, log: Log) {
    this.#database = database
    this.#log = log
  }

  /** The file of a day of the request log; null for the database. */
  #of(name: string | null): Kysely<Schema> | Kysely<RequestTables> {
    if (name === null) return this.#database.sql
    const { days, day } = this.#findDay(name)
    return days.of(day)
  }

  /** By the name of its file. */
  #findDay(name: string): { days: RequestDays; day: string } {
    const { requestDays, contentDays } = this.#database
    if (!name.startsWith(contentKind.prefix)) return { days: requestDays, day: name }
    return { days: contentDays, day: name.slice(contentKind.prefix.length) }
  }

  async listDays(): Promise<string[]> {
    const { requestDays, contentDays } = this.#database
    return [...(await requestDays.list()), ...(await contentDays.list()).map(day => contentKind.prefix + day)]
  }

  async dropDay(name: string): Promise<void> {
    const { days, day } = this.#findDay(name)
    await days.drop(day)
  }

  async begin(day: string | null): Promise<number> {
    const sql = this.#of(day)
    const handle = await sql.startTransaction().execute()
    this.#lastNumber += 1
    const number = this.#lastNumber
    const idleTimer = setTimeout(() => void this.rollBack(number), maxIdleMs).unref()
    this.#open.set(number, { handle, idleTimer })
    // The other process ended while its transaction waited for the connection.
    if (this.#hasEnded) await this.rollBack(number)
    return number
  }

  async query(
    number: number | null,
    text: string,
    carried: readonly unknown[],
    day: string | null,
  ): Promise<CarriedResult> {
    const executor = number === null ? this.#of(day) : this.#find(number)
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

  #find(number: number): Handle {
    const transaction = this.#open.get(number)
    if (transaction === undefined) throw new Error('the transaction has ended')
    transaction.idleTimer.refresh()
    return transaction.handle
  }
}
