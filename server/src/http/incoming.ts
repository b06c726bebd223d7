// What the listener found out about one accepted request, so that nothing parses it twice.

import type { PlaneRequest } from './exchange.ts'
import type { HostDecision } from './front/host-decision.ts'

export interface Incoming {
  /** A new UUID; also the `x-request-id` of the response. */
  readonly id: string
  readonly host: HostDecision
  readonly method: string
  /** Canonical, with its escapes; for a project, without the `/p/{slug}` of the path form. */
  readonly path: string
  /** Without the question mark. */
  readonly query: string
  readonly clientAddress: string
  /** Whether the request carried a valid X-Internal-Secret. */
  readonly isInternal: boolean
  readonly receivedAt: number
  /** Further fields of the request's log line, filled in by the plane. The route is a pattern, never a path. */
  readonly logContext: { route?: string; tenantId?: string; projectId?: string }
  /** The callback runs when the deadline of a shutdown has passed, just before the connection is cut. */
  onCutOff(callback: () => void): void
}

// Stored on the request itself: entries of a WeakMap survive collections of young objects.
const accepted = Symbol('incoming')

type Accepted = PlaneRequest & { [accepted]?: Incoming }

export function rememberIncoming(request: Accepted, incoming: Incoming): void {
  request[accepted] = incoming
}

/** For a framework that gives its handlers only the raw request. */
export function getIncoming(request: Accepted): Incoming {
  const incoming = request[accepted]
  if (!incoming) throw new Error('The request did not come through the listener')
  return incoming
}
