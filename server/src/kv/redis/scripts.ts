// Assembles the Lua scripts as they are sent: the constants, then the parts that the script needs, then the script.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dayMs } from '../../domain/day.ts'
import { ownFile } from '../../files/own-files.ts'
import { activityMinuteMs, activityMinutes } from '../activity.ts'
import { leaseMs, reportMs, requestWindowMs } from '../admission-arithmetic.ts'
import { diagnosticHourMs, diagnosticHours } from '../diagnostics.ts'

export interface Script {
  text: string
  sha1: string
}

/** The stored times decide. Key expiries only clean up, and must not come before the stored times. */
const constants = {
  REQUEST_WINDOW_MS: requestWindowMs,
  QUOTA_WINDOW_MS: 60_000,
  LEASE_MS: leaseMs,
  DAY_MS: dayMs,
  KEEP_DAY_MS: 2 * dayMs,
  CLEAN_UP_MS: 60_000,
  REPORT_MS: reportMs,
  DIAGNOSTIC_HOUR_MS: diagnosticHourMs,
  DIAGNOSTIC_HOURS: diagnosticHours,
  ACTIVITY_MINUTE_MS: activityMinuteMs,
  ACTIVITY_MINUTES: activityMinutes,
}

const preamble = Object.entries(constants).map(([name, value]) => `local ${name} = ${value}\n`)

export const scripts = {
  admit: load('clock', 'each', 'window', 'spend', 'admit'),
  settle: load('clock', 'each', 'spend', 'settle'),
  withdraw: load('clock', 'window', 'spend', 'withdraw'),
  addRequests: load('clock', 'window', 'add-requests'),
  checkpoint: load('clock', 'spend', 'checkpoint'),
  sweepReservations: load('clock', 'spend', 'sweep-reservations'),
  restoreSpend: load('clock', 'restore-spend'),
  markSeeded: load('clock', 'mark-seeded'),
  putDocument: load('put-document'),
  forgetTenant: load('forget-tenant'),
  forgetProject: load('clock', 'forget-project'),
  takeWindows: load('clock', 'window', 'take-windows'),
  giveBackWindows: load('clock', 'window', 'give-back-windows'),
  appendTurn: load('clock', 'append-turn'),
  recallTurns: load('clock', 'recall-turns'),
  keepAnswer: load('clock', 'keep-answer'),
  findAnswer: load('clock', 'find-answer'),
  emitEvent: load('clock', 'window', 'emit-event'),
  claimEvents: load('claim-events'),
  discardEvents: load('discard-events'),
  shelveUsage: load('shelve-usage'),
  addDiagnostics: load('clock', 'add-diagnostics'),
  findDiagnostics: load('clock', 'find-diagnostics'),
  addActivity: load('clock', 'add-activity'),
  findActivity: load('clock', 'find-activity'),
  announceReplica: load('clock', 'announce-replica'),
  reserveBudgets: load('clock', 'budgets', 'reserve-budgets'),
  settleBudgets: load('clock', 'budgets', 'settle-budgets'),
  checkpointBudgets: load('clock', 'budgets', 'checkpoint-budgets'),
  sweepBudgets: load('clock', 'budgets', 'sweep-budgets'),
  raiseBudgetSpend: load('clock', 'raise-budget-spend'),
}

function load(...parts: string[]): Script {
  const files = parts.map(part => readFileSync(ownFile(`kv/scripts/${part}.lua`), 'utf8'))
  const text = [...preamble, ...files].join('')
  return { text, sha1: createHash('sha1').update(text).digest('hex') }
}
