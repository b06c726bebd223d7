// One accepted request as a parsed value: what the listener found out once and nobody needs to find out again.
// Knows no plane and no route.

import type { PlaneRequest } from './exchange.ts'
import type { HostDecision } from './front/host-decision.ts'

export interface Incoming {
  /** A new UUID; also the `x-request-id` of every answer. */
  readonly id: string
  readonly host: HostDecision
  readonly method: string
  /** Canonical, with its escapes; within a project without the `/p/{slug}` of the path form. */
  readonly path: string
  /** Without the question mark. */
  readonly query: string
  readonly clientAddress: string
  /** Whether a valid X-Internal-Secret came with it. */
  readonly isInternal: boolean
  readonly receivedAt: number
  /** What the request's log line says besides; the plane fills it in. The route is a pattern, never a path. */
  readonly logContext: { route?: string; tenantId?: string; projectId?: string }
  /** Called when a stop runs out of patience, just before the connection is cut. */
  onCutOff(callback: () => void): void
}

// On the request itself: in a WeakMap each request would outlive the collections that it should die in.
const accepted = Symbol('incoming')

type Accepted = PlaneRequest & { [accepted]?: Incoming }

export function rememberIncoming(request: Accepted, incoming: Incoming): void {
  request[accepted] = incoming
}

/** For a framework that hands its handlers only the raw request. */
export function getIncoming(request: Accepted): Incoming {
  const incoming = request[accepted]
  if (!incoming) throw new Error('The request did not come through the listener')
  return incoming
}
