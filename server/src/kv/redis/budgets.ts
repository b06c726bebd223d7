// Budgets on Redis: each operation is one script, and so atomic for all replicas. The algorithm is in
// scripts/budgets.lua and reserve-budgets.lua, and in their twin process/budgets.ts.

import type { BudgetSpend } from '../../domain/budgets/budget.ts'
import { assertCount, assertCounts } from '../admission-arithmetic.ts'
import { assertBudgetRequest } from '../budget-request.ts'
import type { BudgetCount, BudgetReservation, Budgets } from '../budgets.ts'
import type { RedisConnection } from './client/connection.ts'
import { listOf, numberOf, textOf } from './client/replies.ts'
import type { RedisKeys } from './keys.ts'
import { scripts } from './scripts.ts'

const tenantsAtOnce = 200
const countersAtOnce = 500

export function createRedisBudgets(connection: RedisConnection, keys: RedisKeys, clock: () => number | ''): Budgets {
  const namesOf = (tenantId: string) => [keys.budgetPeriods(tenantId), keys.budgetHolds(tenantId)]
  return {
    reserveBudgets: async request => {
      assertBudgetRequest(request)
      const { tenantId, requestId, holder, amount, checkpoint, demands } = request
      const args = demands.flatMap(({ period, scope, limit, spent, keepMs }) => [
        period,
        scope,
        limit,
        spent ?? '',
        keepMs,
      ])
      const all = [clock(), requestId, amount, checkpoint, holder, ...args]
      return readReservation(await connection.run(scripts.reserveBudgets, namesOf(tenantId), all))
    },
    settleBudgets: async (tenantId, requestId, amount) => {
      assertCount(amount)
      const reply = await connection.run(scripts.settleBudgets, namesOf(tenantId), [requestId, amount])
      return reply === null ? null : readSpends(listOf(reply))
    },
    checkpointBudgets: async (tenantId, requestId, amount) => {
      assertCount(amount)
      await connection.run(scripts.checkpointBudgets, [keys.budgetHolds(tenantId)], [clock(), requestId, amount])
    },
    sweepBudgets: async (tenantIds, endedHolder = '') => {
      let swept = 0
      for (let first = 0; first < tenantIds.length; first += tenantsAtOnce) {
        const names = tenantIds.slice(first, first + tenantsAtOnce).flatMap(namesOf)
        swept += numberOf(await connection.run(scripts.sweepBudgets, names, [clock(), endedHolder]))
      }
      return swept
    },
    findBudgetSpend: async (tenantId, period) => {
      const fields = listOf(await connection.send('HGETALL', `${keys.budgetPeriods(tenantId)}${period}`)).map(textOf)
      return fields.flatMap((name, at) =>
        at % 2 === 0 && name.startsWith('s:') ? [{ period, scope: name.slice(2), spent: Number(fields[at + 1]) }] : [],
      )
    },
    raiseBudgetSpend: async (tenantId, spends) => {
      assertCounts(...spends.map(({ spent }) => spent))
      for (let first = 0; first < spends.length; first += countersAtOnce) {
        const some = spends.slice(first, first + countersAtOnce)
        const args = some.flatMap(({ period, scope, spent }) => [period, scope, spent])
        await connection.run(scripts.raiseBudgetSpend, [keys.budgetPeriods(tenantId)], args)
      }
    },
  }
}

function readReservation(reply: unknown): BudgetReservation {
  const [word, ...numbers] = listOf(reply)
  const counts: BudgetReservation['counts'] = []
  for (let at = 0; at < numbers.length; at += 2) counts.push(readCount(numbers[at], numbers[at + 1]))
  return { outcome: outcomeOf(textOf(word)), counts }
}

function readCount(spent: unknown, reserved: unknown): BudgetCount | null {
  const known = numberOf(spent)
  return known < 0 ? null : { spent: known, reserved: numberOf(reserved) }
}

function readSpends(reply: readonly unknown[]): BudgetSpend[] {
  const spends: BudgetSpend[] = []
  for (let at = 0; at < reply.length; at += 3) {
    spends.push({ period: textOf(reply[at]), scope: textOf(reply[at + 1]), spent: numberOf(reply[at + 2]) })
  }
  return spends
}

function outcomeOf(word: string): BudgetReservation['outcome'] {
  if (word === 'reserved' || word === 'over' || word === 'unseeded') return word
  throw new Error('Redis answered something other than the outcome of a reservation')
}
