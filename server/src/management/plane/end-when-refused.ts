// Ends a streamed response within a second once its caller must not have it any more: they were signed out, removed,
// or lost a permission that they had when it began.

import type { ServerResponse } from 'node:http'
import { holdsAll } from '../../domain/access/permissions.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Log } from '../../domain/log.ts'
import type { Owned } from './caller.ts'

/** With the time that authorisation takes, this stays below a second. */
const checkEveryMs = 750

/** With what a response began. */
export interface Begun {
  owned: Owned | null
  authoriseAgain(): Promise<{ owned: Owned | null }>
  log: Log
}

/** Checks until the returned function is called. A client that connects again gets the refusal itself. */
export function endWhenRefused(response: ServerResponse, { owned, authoriseAgain, log }: Begun): () => void {
  const held = owned?.permissions ?? []
  async function isStillAllowed(): Promise<boolean> {
    try {
      return holdsAll((await authoriseAgain()).owned?.permissions ?? [], held)
    } catch (error) {
      // The sign-in was recent enough when the stream began.
      if (error instanceof Refusal && error.code === 'reauthenticate') return true
      if (!(error instanceof Refusal))
        log.error('stream ended, because its caller could not be authorised again', { error })
      return false
    }
  }
  let isChecking = false
  const timer = setInterval(async () => {
    if (isChecking) return
    isChecking = true
    // As an export that is cut off, what was sent must not look complete.
    if (!(await isStillAllowed()) && !response.writableEnded) response.destroy()
    isChecking = false
  }, checkEveryMs).unref()
  return () => clearInterval(timer)
}
