// Ends calls in flight early: as long as there are any, checks regularly whether a kill switch, a suspension or a
// restriction of the end user now applies to one of them.

import type { AdmittedCall, CallRegistry } from '../../call/admitted-call.ts'
import { createLiveSet } from '../../collections/live-set.ts'
import { createTicker } from '../../collections/ticker.ts'
import { findRestriction } from '../../domain/end-users/restrictions.ts'
import type { Log } from '../../domain/log.ts'
import type { ProjectRef } from '../../kv/store.ts'
import type { ConfigCache } from '../config-cache.ts'
import type { KillSwitchState } from '../kill-switches.ts'
import type { RestrictionState } from '../restrictions.ts'
import type { LocalAdmissions } from './local-admissions.ts'

export interface CallsInFlight extends CallRegistry {
  stop(): void
}

interface Dependencies {
  switches: KillSwitchState
  configs: ConfigCache
  restrictions: RestrictionState
  local: Pick<LocalAdmissions, 'outage'>
  log: Log
}

const pollEveryMs = 500

export function createCallsInFlight({ switches, configs, restrictions, local, log }: Dependencies): CallsInFlight {
  const open = createLiveSet<AdmittedCall>()
  let isPolling = false

  function endIfCovered(call: AdmittedCall): void {
    const isSuspended = configs.peek(call.verified.projectId)?.status === 'suspended'
    const scope = switches.state.isAnyOn ? switches.find(call.verified) : null
    if (isSuspended || scope !== null) call.end('service_disabled', scope)
    const known = restrictions.peek(call.verified.projectId)
    const restriction = known === null || known.isEmpty ? null : findRestriction(known, call.verified)
    if (restriction !== null) call.end(restriction)
  }

  const endCovered = (): void => open.members().forEach(endIfCovered)

  async function poll(): Promise<void> {
    const projects = new Map<string, ProjectRef>(open.members().map(({ verified }) => [verified.projectId, verified]))
    // Without the store, no change of a document is published.
    const isAlone = local.outage.isOutage || switches.isStoreUnavailable()
    const maxAgeMs = isAlone ? 2 * pollEveryMs : Number.POSITIVE_INFINITY
    const results = await Promise.allSettled([
      switches.refresh(pollEveryMs),
      ...[...projects.values()].flatMap(({ projectId, tenantId }): Promise<unknown>[] => [
        configs.getWithin({ projectId, tenantId }, maxAgeMs),
        restrictions.getWithin({ projectId, tenantId }, maxAgeMs),
      ]),
    ])
    // If one read failed, the other projects' calls still end, and this project's by its last known state.
    endCovered()
    const failed = results.filter(result => result.status === 'rejected')
    if (failed.length > 0) {
      log.error('calls in flight could not be checked', { count: failed.length, error: failed[0]?.reason })
    }
  }

  switches.onChange(endCovered)
  restrictions.onChange(endCovered)
  const ticker = createTicker(pollEveryMs, () => {
    if (open.size === 0 || isPolling) return open.size > 0
    isPolling = true
    poll()
      .catch((error: unknown) => log.error('calls in flight could not be ended', { error }))
      .finally(() => {
        isPolling = false
      })
    return true
  })

  return {
    add(call) {
      const slot = open.add(call)
      ticker.start()
      // A change that was published between the admission and now is not published again.
      endIfCovered(call)
      return slot
    },
    remove: open.remove,
    stop: ticker.stop,
  }
}
