// Sends heartbeats (interim responses 102) to gateways in other processes until an answer begins. This process
// enforces the provider's timeouts; a gateway only needs to know that this process is alive.

import { createLiveSet, type Slot } from '../collections/live-set.ts'
import type { PlaneResponse } from '../http/exchange.ts'

export interface Heartbeat {
  begin(response: PlaneResponse): Slot<PlaneResponse>
  end(slot: Slot<PlaneResponse>): void
  stop(): void
}

/** Shorter than proxies in between allow a connection to be silent. */
const maxIntervalMs = 15_000
/** More than one, because a busy process sends a heartbeat late or skips it. */
const beatsPerTimeout = 3

/** For gateways whose timeout is `waitMs`. One timer serves all calls: each gets a heartbeat within one interval. */
export function createHeartbeat(waitMs: number): Heartbeat {
  const unanswered = createLiveSet<PlaneResponse>()
  const intervalMs = Math.min(maxIntervalMs, waitMs / beatsPerTimeout)
  const timer = setInterval(() => unanswered.members().forEach(sendHeartbeat), intervalMs)
  timer.unref()
  return {
    begin: response => unanswered.add(response),
    end: slot => unanswered.remove(slot),
    stop: () => clearInterval(timer),
  }
}

function sendHeartbeat(response: PlaneResponse): void {
  const { req } = response
  // HTTP/1.0 has no interim responses. Requests without a version come from the fast lane, which reads only HTTP/1.1.
  const isOld = 'httpVersion' in req && req.httpVersion !== '1.1'
  if (!response.headersSent && !response.destroyed && !isOld) response.writeProcessing()
}
