// Runs a transaction on either database: all or nothing, retried when it lost a race.
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CompiledQuery, Kysely, KyselyPlugin, QueryResult, Transaction } from 'kysely'
import { type Act, takeAct } from './audit/act.ts'
import { isLostRace } from './database-errors.ts'
import type { Schema } from './schema.ts'

const maxAttempts = 5

const running = new AsyncLocalStorage<{ isOpen: boolean }>()

/**
 * Runs the body in a transaction. The body must await nothing but the given `trx`, and may run more than once, so other
 * effects belong after it. A throw rolls everything back. The first transaction of an act records it in the audit.
 */
export async function transact<T>(sql: Kysely<Schema>, body: (trx: Transaction<Schema>) => Promise<T>): Promise<T> {
  refuseInsideTransaction()
  const taken = takeAct()
  if (taken === null) return await runUntilDone(sql, body)
  let isCommitted = false
  try {
    const result = await runUntilDone(sql, trx => within(taken.act, trx, body))
    isCommitted = true
    return result
  } finally {
    taken.settle(isCommitted)
  }
}

async function within<T>(act: Act, trx: Transaction<Schema>, body: (trx: Transaction<Schema>) => Promise<T>) {
  await act.begin(trx)
  const result = await body(trx)
  await act.end(trx)
  return result
}

async function runUntilDone<T>(sql: Kysely<Schema>, body: (trx: Transaction<Schema>) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await runOnce(sql, body)
    } catch (error) {
      if (attempt >= maxAttempts || !isLostRace(error)) throw error
      await sleep(attempt * 5 + Math.random() * 20)
    }
  }
}

async function runOnce<T>(sql: Kysely<Schema>, body: (trx: Transaction<Schema>) => Promise<T>): Promise<T> {
  const scope = { isOpen: true }
  try {
    return await sql.transaction().execute(trx => running.run(scope, () => body(trx.withoutPlugins())))
  } finally {
    scope.isOpen = false
  }
}

/**
 * Sends all statements before the first has its result, so that they wait for the database's thread or process once.
 * They run in this order. If one fails, this throws its error once all have ended.
 */
export async function executeTogether(
  trx: Transaction<Schema>,
  statements: readonly CompiledQuery[],
): Promise<QueryResult<unknown>[]> {
  const outcomes = await trx
    .getExecutor()
    .provideConnection(connection =>
      Promise.allSettled(statements.map(statement => connection.executeQuery<unknown>(statement))),
    )
  return outcomes.map(outcome => {
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  })
}

/**
 * Inside a transaction, a query outside its `trx` would wait forever for the one connection that the transaction holds.
 * This plugin of the outer handle turns that into an error.
 */
export const outerQueryGuard: KyselyPlugin = {
  transformQuery(args) {
    refuseInsideTransaction()
    return args.node
  },
  async transformResult(args) {
    return args.result
  },
}

function refuseInsideTransaction(): void {
  if (running.getStore()?.isOpen) throw new Error('inside a transaction only its own handle may be used')
}
