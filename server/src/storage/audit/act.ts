// The act that is being done: the first transaction of its work carries its entry in the audit, so that both are stored
// or neither. Whoever writes in a transaction needs to know nothing of it.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { Transaction } from 'kysely'
import type { AuditActor } from '../../domain/audit/entry.ts'
import type { JsonObject } from '../../domain/json-object.ts'
import type { Schema } from '../schema.ts'

/** What only the work itself knows of its act. */
export interface ActNotes {
  actor?: AuditActor
  authenticatedBy?: string
  /** The tenant in whose chain the entry belongs. */
  tenantId?: string
  target?: { id: string; name?: string }
  before?: JsonObject
  after?: JsonObject
}

export interface Act {
  /** Runs before the rest of the transaction, and again if the transaction is tried again. */
  begin(trx: Transaction<Schema>): Promise<void>
  /** Runs as the last part of the transaction. */
  end(trx: Transaction<Schema>): Promise<void>
  note(notes: ActNotes): void
}

interface Scope {
  act: Act
  state: 'open' | 'taken' | 'recorded' | 'closed'
}

const acts = new AsyncLocalStorage<Scope | null>()

/** Returns the result, and whether a transaction has recorded the act. */
export async function doAct<T>(act: Act, work: () => Promise<T>): Promise<{ result: T; isRecorded: boolean }> {
  const scope: Scope = { act, state: 'open' }
  try {
    const result = await acts.run(scope, work)
    return { result, isRecorded: scope.state === 'recorded' }
  } finally {
    // What the work has left running in the background is no part of the act.
    scope.state = 'closed'
  }
}

/** For work that others may have caused as well, such as writing what was gathered. */
export function outsideActs<T>(work: () => T): T {
  return acts.run(null, work)
}

export function noteAct(notes: ActNotes): void {
  acts.getStore()?.act.note(notes)
}

/** Takes the act for one transaction; null if there is none, or another transaction has it. */
export function takeAct(): { act: Act; settle(isCommitted: boolean): void } | null {
  const scope = acts.getStore()
  if (scope == null || scope.state !== 'open') return null
  scope.state = 'taken'
  return {
    act: scope.act,
    settle(isCommitted) {
      if (scope.state === 'taken') scope.state = isCommitted ? 'recorded' : 'open'
    },
  }
}
