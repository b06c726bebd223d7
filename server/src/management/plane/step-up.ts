// Step-up: some routes need a sign-in of the last ten minutes, from people who can prove more than a password. Which
// ones derives from the table of permissions.

import { authentications } from '../../domain/access/authentications.ts'
import { needsStepUp } from '../../domain/access/permissions.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Caller, Session } from './caller.ts'
import { neededPermissions, type Route } from './route.ts'

/** How long a sign-in counts as recent. */
const recentMs = 10 * 60_000

export function routeStepsUp(route: Route): boolean {
  return (
    route.stepUp !== undefined || neededPermissions(route).some(permission => needsStepUp(permission, route.method))
  )
}

export function isRecent({ authenticatedAt }: Session, now: number): boolean {
  return authenticatedAt !== null && authenticatedAt > now - recentMs
}

/** Whether the account or its sign-in is one that must be proven again. */
function stepsUp({ issuer, hasSecondFactor, authenticatedBy }: Session): boolean {
  if (issuer === 'external') return false
  return hasSecondFactor || (authenticatedBy !== null && authentications[authenticatedBy].stepsUp)
}

/** For what is seen only with a recent sign-in. Service accounts have none. */
export function checkRecent({ session }: Caller, now: number): void {
  if (session !== null && stepsUp(session) && !isRecent(session, now)) throw new Refusal('reauthenticate')
}

export function checkStepUp(route: Route, caller: Caller, now: number): void {
  if (!routeStepsUp(route)) return
  const { session } = caller
  if (route.stepUp !== 'everyone' || session === null) {
    checkRecent(caller, now)
    return
  }
  // Who only has the session must not give the account a factor of their own, even if it has none yet.
  if (session.issuer === 'external') throw new Refusal('own_session_required')
  if (!isRecent(session, now)) throw new Refusal('reauthenticate')
}
