// One way to run a transaction on either database: all or nothing, and again when it lost a race.
// Knows nothing of what is in it.
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely, KyselyPlugin, Transaction } from 'kysely'
import { isLostRace } from './database-errors.ts'
import type { Schema } from './schema.ts'

const maxAttempts = 5

const running = new AsyncLocalStorage<{ isOpen: boolean }>()

/**
 * Runs the body in a transaction. It must await nothing but the database through the `trx` it is given, and it may run
 * more than once, so what it does elsewhere belongs after it. A throw rolls everything back.
 */
export async function transact<T>(sql: Kysely<Schema>, body: (trx: Transaction<Schema>) => Promise<T>): Promise<T> {
  refuseInsideTransaction()
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
 * Inside a transaction a query past its `trx` would wait for the one connection that the transaction holds, for ever.
 * This plugin sits on the outer handle alone and turns that into an error.
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
