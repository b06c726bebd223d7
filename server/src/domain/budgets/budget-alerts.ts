// When the spending of a budget is reported to its tenant.

import type { NanoUsd } from '../money.ts'

export const budgetLevels = ['tenant', 'project', 'tier', 'end_user'] as const
export type BudgetLevel = (typeof budgetLevels)[number]

/** In percent. */
export const alertThresholds = [50, 80, 100] as const
export type AlertThreshold = (typeof alertThresholds)[number]

/** From this on, a budget that rejects a request counts as used up: what is left is too little to be spent. */
const nearlyAll = 80

/** The thresholds that were reached. `isRejecting` if what is left has just been too little for a request. */
export function thresholdsReached(spent: NanoUsd, limit: NanoUsd, isRejecting: boolean): AlertThreshold[] {
  const percent = (spent / limit) * 100
  const isUsedUp = isRejecting && percent >= nearlyAll
  return alertThresholds.filter(threshold => percent >= threshold || (threshold === 100 && isUsedUp))
}
