// Budgets in this process: each call is one synchronous pass, so nothing runs between its checks and its charges.
// Twin of scripts/budgets.lua, reserve-budgets.lua, settle-budgets.lua …

import { ShortLivedMap } from '../../collections/short-lived-map.ts'
import type { BudgetCounter, BudgetSpend } from '../../domain/budgets/budget.ts'
import type { NanoUsd } from '../../domain/money.ts'
import { assertCount, leaseMs } from '../admission-arithmetic.ts'
import { assertBudgetRequest, maxSpent } from '../budget-request.ts'
import type { BudgetCount, BudgetRequest, BudgetReservation, Budgets } from '../budgets.ts'

interface Held {
  amount: NanoUsd
  checkpoint: NanoUsd
  holder: string
  leaseEndsAt: number
  counters: BudgetCounter[]
}

interface Period {
  keptUntil: number
  /** By scope. */
  counts: Map<string, BudgetCount>
}

class TenantBudgets {
  readonly periods = new Map<string, Period>()
  readonly held = new ShortLivedMap<Held>()

  find({ period, scope }: BudgetCounter): BudgetCount | undefined {
    return this.periods.get(period)?.counts.get(scope)
  }

  /** Returns the counter, raised to `spent`; null if there is neither. */
  raised(counter: BudgetCounter, spent: NanoUsd | null, keptUntil: number): BudgetCount | null {
    const found = this.find(counter)
    if (found !== undefined) {
      found.spent = Math.max(found.spent, spent ?? 0)
      return found
    }
    if (spent === null) return null
    const period = this.periods.get(counter.period) ?? { keptUntil, counts: new Map() }
    const made = { spent, reserved: 0 }
    period.counts.set(counter.scope, made)
    this.periods.set(counter.period, period)
    return made
  }

  /** Charges the last checkpoint if `amount` is null. */
  settle(requestId: string, amount: NanoUsd | null): BudgetSpend[] | null {
    const held = this.held.delete(requestId)
    if (held === undefined) return null
    return held.counters.flatMap(counter => {
      const count = this.find(counter)
      if (count === undefined) return []
      count.spent = Math.min(count.spent + (amount ?? held.checkpoint), maxSpent)
      count.reserved = Math.max(0, count.reserved - held.amount)
      return [{ ...counter, spent: count.spent }]
    })
  }
}

export interface ProcessBudgets {
  intentions: Budgets
  forget(tenantId: string): void
  sweep(now: number): void
}

export function createProcessBudgets(clock: () => number): ProcessBudgets {
  const byTenant = new Map<string, TenantBudgets>()
  const budgetsOf = (tenantId: string): TenantBudgets => {
    const known = byTenant.get(tenantId)
    if (known !== undefined) return known
    const made = new TenantBudgets()
    byTenant.set(tenantId, made)
    return made
  }
  return {
    intentions: {
      reserveBudgets: async request => {
        assertBudgetRequest(request)
        return reserve(budgetsOf(request.tenantId), request, clock())
      },
      settleBudgets: async (tenantId, requestId, amount) => {
        assertCount(amount)
        return byTenant.get(tenantId)?.settle(requestId, amount) ?? null
      },
      checkpointBudgets: async (tenantId, requestId, amount) => {
        assertCount(amount)
        const held = byTenant.get(tenantId)?.held.get(requestId)
        if (held === undefined) return
        held.checkpoint = amount
        held.leaseEndsAt = clock() + leaseMs
      },
      sweepBudgets: async (tenantIds, endedHolder) => {
        const now = clock()
        return tenantIds.reduce((swept, id) => swept + settleEnded(byTenant.get(id), now, endedHolder), 0)
      },
      findBudgetSpend: async (tenantId, period) => {
        const counts = [...(byTenant.get(tenantId)?.periods.get(period)?.counts ?? [])]
        return counts.map(([scope, { spent }]) => ({ period, scope, spent }))
      },
      raiseBudgetSpend: async (tenantId, spends) => {
        for (const { spent, ...counter } of spends) {
          assertCount(spent)
          const count = byTenant.get(tenantId)?.find(counter)
          if (count !== undefined) count.spent = Math.max(count.spent, spent)
        }
      },
    },
    forget: tenantId => void byTenant.delete(tenantId),
    sweep(now) {
      for (const [tenantId, { periods, held }] of byTenant) {
        for (const [name, { keptUntil }] of periods) if (keptUntil <= now) periods.delete(name)
        if (periods.size === 0 && held.size === 0) byTenant.delete(tenantId)
      }
    },
  }
}

function reserve(budgets: TenantBudgets, request: BudgetRequest, now: number): BudgetReservation {
  const { requestId, holder, amount, checkpoint, demands } = request
  const counts = demands.map(demand => budgets.raised(demand, demand.spent, now + demand.keepMs))
  const answer = (outcome: BudgetReservation['outcome']): BudgetReservation => {
    return { outcome, counts: counts.map(count => count && { ...count }) }
  }
  if (budgets.held.get(requestId) !== undefined) return answer('reserved')
  if (counts.includes(null)) return answer('unseeded')
  const isOver = demands.some(({ limit }, at) => {
    const { spent, reserved } = counts[at] ?? { spent: 0, reserved: 0 }
    return spent + reserved + amount > limit
  })
  if (isOver) return answer('over')
  for (const count of counts) if (count !== null) count.reserved += amount
  const counters = demands.map(({ period, scope }) => ({ period, scope }))
  budgets.held.set(requestId, { amount, checkpoint, holder, leaseEndsAt: now + leaseMs, counters })
  return answer('reserved')
}

function settleEnded(budgets: TenantBudgets | undefined, now: number, endedHolder: string | undefined): number {
  const open = [...(budgets?.held ?? [])]
  const ended = open.filter(([, { leaseEndsAt, holder }]) => leaseEndsAt <= now || holder === endedHolder)
  for (const [requestId] of ended) budgets?.settle(requestId, null)
  return ended.length
}
